// expect: heddle::dilated: step.cols

#include <heddle/order/dilated.hpp>

constexpr heddle::dilated order{{64, 64}, {4, 0}, 2};

int main() {}
