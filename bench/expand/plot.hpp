#pragma once

#include <functional>
#include <string>
#include <vector>

#include <heddle/draw/chart.hpp>

namespace heddle_bench {

using write_chart = std::function<void(const std::string& name, const std::vector<heddle::draw::series>&,
                                       const heddle::draw::chart_options&)>;

/// Draws what expansion costs in time and memory, and prints the table of docs/expand.md.
void plot_expansion(const write_chart& write);

}  // namespace heddle_bench
