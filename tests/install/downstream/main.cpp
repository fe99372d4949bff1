#include <heddle/laws/check_order.hpp>
#include <heddle/order/hilbert.hpp>

#if !__has_include(<heddle/heddle.hpp>) || !__has_include(<heddle/predict/detail/lru.hpp>)
#error "not all headers are here"
#endif

int main() {
  return heddle::laws::check_order(heddle::hilbert{{12, 34}}) ? 0 : 1;
}
