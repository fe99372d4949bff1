// expect: heddle::predict::traffic: what a cluster reads is not what a tile reads

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/traffic.hpp>

heddle::predict::gemm_problem problem{.m = 256, .n = 256, .k = 64};
auto traffic = heddle::predict::traffic(heddle::clustered{heddle::row_major{{1, 1}}, {2, 2}, {2, 2}}, problem, 4, 0);

int main() {}
