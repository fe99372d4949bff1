#pragma once

// Draws orders, timelines, bars and charts as text and SVG, on the host.
//
//   draw::svg(hilbert{{8, 8}})

#include <heddle/draw/bars.hpp>
#include <heddle/draw/chart.hpp>
#include <heddle/draw/page.hpp>
#include <heddle/draw/svg.hpp>
#include <heddle/draw/text.hpp>
#include <heddle/draw/timeline.hpp>
#include <heddle/draw/trace_timeline.hpp>
