#include "heddle_host.hpp"

#include "heddle_host.hpp"  // once more

int main() {
  heddle::predict::h200().check();
  return heddle::laws::check_order(heddle::cta_swizzle{{4, 5}, 2}) &&
                 !heddle::draw::svg(heddle::hilbert{{4, 4}}).empty()
             ? 0
             : 1;
}
