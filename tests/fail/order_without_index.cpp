// expect: maps_tile_to_index

#include <heddle/concepts.hpp>

struct one_way {
  int size() const { return 1; }
  heddle::coord operator()(int) const { return {0, 0}; }
};

template <heddle::tile_order Order>
void schedule(Order) {}

int main() {
  schedule(one_way{});
}
