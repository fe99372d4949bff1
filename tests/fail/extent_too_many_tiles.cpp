// expect: heddle::extent: rows x cols

#include <heddle/coord.hpp>

constexpr heddle::extent grid{65536, 32768};

int main() {}
