// expect: heddle::draw::text: an order of clusters has no picture of its tiles

#include <heddle/draw/text.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

auto picture = heddle::draw::text(heddle::clustered{heddle::row_major{{2, 2}}, {2, 2}, {4, 4}});

int main() {}
