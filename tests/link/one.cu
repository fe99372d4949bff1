#include <heddle/heddle.hpp>

int sum_of_rows(const heddle::hilbert& order);

int main() {
  const heddle::hilbert order{{3, 5}};
  int sum = 0;
  for (int i = 0; i < order.size(); ++i) sum += order(i).row;
  return sum == sum_of_rows(order) ? 0 : 1;
}
