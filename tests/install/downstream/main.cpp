#include <heddle/heddle.hpp>
#include <heddle/laws/check_order.hpp>

int main() {
  return heddle::laws::check_order(heddle::hilbert{{12, 34}}) ? 0 : 1;
}
