// expect: kernel_argument

#include <heddle/concepts.hpp>

struct virtual_order {
  virtual ~virtual_order() = default;
  int size() const { return 1; }
  heddle::coord operator()(int) const { return {0, 0}; }
  int index(heddle::coord) const { return 0; }
};

template <heddle::tile_order Order>
void schedule(Order) {}

int main() {
  schedule(virtual_order{});
}
