// expect: heddle::cta_swizzle: width

#include <heddle/order/cta_swizzle.hpp>

constexpr heddle::cta_swizzle order{{64, 64}, 0, heddle::axis::x};

int main() {}
