// expect: heddle::draw::text: the order's space has no picture. Orders of an extent, of a triangle, of a

#include <heddle/draw/text.hpp>

#include "line_of_tiles.hpp"

auto picture = heddle::draw::text(in_line{{4}});

int main() {}
