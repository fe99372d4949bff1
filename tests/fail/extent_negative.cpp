// expect: heddle::extent: rows

#include <heddle/coord.hpp>

constexpr heddle::extent grid{-1, 4};

int main() {}
