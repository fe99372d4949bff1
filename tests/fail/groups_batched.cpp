// expect: a plane has tiles of a row and a column

#include <heddle/order/batched.hpp>
#include <heddle/order/grouped.hpp>

char state[64];
heddle::grouped groups{{.rows = 1, .groups = 1, .tile_rows = 1, .cols = 1}, state};
heddle::batched order{groups, 3};
