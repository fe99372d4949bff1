#define HEDDLE_CHECKS 0
#include <heddle/heddle.hpp>

int sum_of_rows(const heddle::hilbert& order) {
  int sum = 0;
  for (int i = 0; i < order.size(); ++i) sum += order(i).row;
  return sum;
}
