// expect: traced{draws_late{

#include <heddle/schedule/draws_late.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/trace/traced.hpp>

unsigned long long state;
heddle::trace::buffer buffer{{.blocks = 1, .tiles = 1}, nullptr, 0};
heddle::draws_late scheduler{heddle::traced{heddle::ticket{heddle::row_major{{1, 1}}, &state}, buffer}};
