// expect: has_push_storage

#include <heddle/concepts.hpp>

struct no_push_storage {
  struct storage {};
};

heddle::expander auto work = no_push_storage{};

int main() {}
