// expect: heddle::laws: this order has a longest_step()

#include <heddle/laws/check_order.hpp>

struct numbers {
  int size() const { return 2; }
  int operator()(int i) const { return i; }
  int index(int tile) const { return tile; }
  int longest_step() const { return 1; }
};

bool holds = static_cast<bool>(heddle::laws::check_order(numbers{}));

int main() {}
