// expect: heddle::constant: an order of clusters has no constant form

#include <heddle/order/clustered.hpp>
#include <heddle/order/constant.hpp>
#include <heddle/order/row_major.hpp>

heddle::constant<heddle::clustered<heddle::row_major>, 2, 2> order;

int main() {}
