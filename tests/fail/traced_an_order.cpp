// expect: has_storage

#include <heddle/trace/traced.hpp>

heddle::trace::buffer buffer{{.blocks = 1, .tiles = 1}, nullptr, 0};
heddle::traced scheduler{heddle::extent{1, 1}, buffer};
