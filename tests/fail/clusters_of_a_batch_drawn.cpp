// expect: heddle::draw::svg: an order of clusters has no picture of its tiles

#include <heddle/draw/svg.hpp>
#include <heddle/order/batched.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

auto picture = heddle::draw::svg(heddle::batched{heddle::clustered{heddle::row_major{{2, 2}}, {2, 2}, {4, 4}}, 3});

int main() {}
