#pragma once

#include <heddle/draw/timeline.hpp>

#include "table.hpp"

// Time lines, drawn for the page and for the docs. Those of schedulers play the schedulers' own code on the host.

namespace demo {

/// Which block takes which tile when, for each scheduler.
std::vector<picture> timelines_of_schedulers();

/// When the tiles of a causal pass run if they are taken in the order of bands, and if the longest come first.
std::vector<picture> timelines_of_costs();

/// Which thread stores which item when: in a loop in each thread, and dealt out after a push.
std::vector<picture> timelines_of_expansion();

/// Returns empty lanes of a time line: "warp 0", "1", "2" …
std::vector<heddle::draw::lane> numbered(const std::string& what, int count);

}  // namespace demo
