// expect: heddle::transposed: tiles of this order's space have no row and column to swap

#include <heddle/order/grouped.hpp>
#include <heddle/order/transposed.hpp>

char state[64];
heddle::grouped groups{{.rows = 1, .groups = 1, .tile_rows = 1, .cols = 1}, state};
heddle::transposed order{groups};
