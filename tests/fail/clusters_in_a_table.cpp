// expect: clustered{tile_table{

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_table.hpp>

auto table = heddle::make_tile_table(heddle::clustered{heddle::row_major{{2, 2}}, {2, 2}, {4, 4}});

int main() {}
