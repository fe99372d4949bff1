// expect: walks_in_roles

#include <heddle/schedule/strided.hpp>

/// Has all members of strided except start, lead and follow.
struct no_roles {
  heddle::strided<heddle::row_major> inner;

  using storage = heddle::strided<heddle::row_major>::storage;
  HEDDLE_FN const heddle::row_major& order() const { return inner.order(); }
  HEDDLE_DEVICE auto tiles(storage& none) const { return inner.tiles(none); }
};

heddle::tile_scheduler auto scheduler = no_roles{heddle::strided{heddle::row_major{{3, 4}}}};
