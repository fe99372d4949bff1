// expect: heddle::predict::traffic: the tiles of the order are not those of the problem

#include <heddle/order/batched.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/traffic.hpp>

heddle::predict::gemm_problem problem{.m = 256, .n = 256, .k = 64};
auto traffic = heddle::predict::traffic(heddle::batched{heddle::row_major{problem.grid()}, 2}, problem, 4, 0);

int main() {}
