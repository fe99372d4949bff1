// expect: heddle::stream_k: the host divides the tiles

#include <heddle/order/grouped.hpp>
#include <heddle/schedule/stream_k.hpp>

char state[64];
heddle::grouped groups{{.rows = 1, .groups = 1, .tile_rows = 1, .cols = 1}, state};
heddle::stream_k scheduler{groups, 8, 4, state};
