// expect: heddle::draw::svg: the order's space has no picture. Orders of an extent, of a triangle, of a

#include <heddle/draw/svg.hpp>

#include "line_of_tiles.hpp"

auto picture = heddle::draw::svg(in_line{{4}});

int main() {}
