// expect: heddle::make_tile_table: only the device knows the tiles

#include <heddle/order/grouped.hpp>
#include <heddle/order/tile_table.hpp>

char state[64];
heddle::grouped groups{{.rows = 1, .groups = 1, .tile_rows = 1, .cols = 1}, state};
auto table = heddle::make_tile_table(groups);
