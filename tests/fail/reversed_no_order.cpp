// expect: counts_tiles

#include <heddle/order/reversed.hpp>

struct no_order {
  int operator()(int i) const { return i; }
  int index(int i) const { return i; }
};

heddle::reversed<no_order> order{no_order{}};

int main() {}
