#pragma once

#include <cstddef>

// The bytes that the program holds from operator new. They are not counted under a sanitizer, which has its own.

namespace heddle_test {

/// Returns the bytes that are held now, from which `most_held` goes on.
std::size_t begin_of_held();

/// Returns the most bytes that were held at a time since then.
std::size_t most_held();

}  // namespace heddle_test
