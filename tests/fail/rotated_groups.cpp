// expect: bounds_tiles

#include <heddle/order/grouped.hpp>
#include <heddle/order/rotated.hpp>

int main() {
  const heddle::grouped experts{heddle::group_shape{}, nullptr};
  const heddle::rotated later{experts, 1};
  (void)later;
}
