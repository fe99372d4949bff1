#pragma once

// Traces show what ran: which block took which tile, on which multiprocessor, from when to when.
//
//   heddle::traced scheduler{heddle::ticket{order, state}, buffer};     // the kernel stays as it is
//   …
//   const auto [report, error] = heddle::trace::read(buffer, stream);   // on the host, after the launch
//   heddle::trace::chrome_trace file;
//   file.add("product", report, order);                                 // then file.write("product.json")
//
// `trace::summarize` has the numbers, `draw::timeline` the picture. docs/trace.md explains them.

#include <heddle/trace/buffer.hpp>
#include <heddle/trace/room.hpp>
#include <heddle/trace/traced.hpp>
#if !defined(__CUDACC_RTC__)
#include <heddle/trace/chrome_trace.hpp>
#include <heddle/trace/read.hpp>
#include <heddle/trace/report.hpp>
#include <heddle/trace/summary.hpp>
#endif
