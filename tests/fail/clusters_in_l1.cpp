// expect: heddle::predict::l1_traffic: what a cluster reads is not what a tile reads

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/predict/l1_traffic.hpp>

heddle::predict::stencil_problem problem{.rows = 32, .cols = 32, .bytes_per_pixel = 4};
auto traffic = heddle::predict::l1_traffic(heddle::clustered{heddle::row_major{{1, 1}}, {2, 2}, {2, 2}}, problem,
                                           heddle::predict::h200(), 8);

int main() {}
