// expect: heddle::constant_order: an order of clusters has no constant form

#include <heddle/order/clustered.hpp>
#include <heddle/order/constant_order.hpp>
#include <heddle/order/row_major.hpp>

heddle::constant_order<heddle::clustered<heddle::row_major>, 2, 2> order;

int main() {}
