#pragma once

// Draws orders and timelines as text and SVG, on the host.
//
//   draw::svg(hilbert{{8, 8}})

#include <heddle/draw/svg.hpp>
#include <heddle/draw/text.hpp>
#include <heddle/draw/timeline.hpp>
#include <heddle/draw/trace_timeline.hpp>
