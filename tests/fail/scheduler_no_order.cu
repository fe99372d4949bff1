// expect: tile_order

#include <heddle/schedule/strided.hpp>

heddle::strided<int> scheduler{3};
