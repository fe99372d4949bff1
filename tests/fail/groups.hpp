#pragma once

#include <heddle/order/grouped.hpp>

char state[64];
heddle::grouped groups{{.rows = 1, .groups = 1, .tile_rows = 1, .cols = 1}, state};
