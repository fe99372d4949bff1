// expect: pushes

#include <heddle/expand/packed_prefix.hpp>

/// Has all members of packed_prefix except push.
struct no_push {
  heddle::packed_prefix inner;

  using push_storage = heddle::packed_prefix::push_storage;
  using storage = heddle::packed_prefix::storage;
  HEDDLE_DEVICE auto items(storage& shared) const { return inner.items(shared); }
};

void build(heddle::packed_prefix inner) {
  heddle::expander auto work = no_push{inner};
}
