// expect: has_order

#include <heddle/schedule/strided.hpp>

struct no_order {
  struct storage {};
};

heddle::tile_scheduler auto scheduler = no_order{};

int main() {}
