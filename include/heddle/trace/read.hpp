#pragma once

#include <vector>

#include <heddle/detail/not_captured.hpp>
#include <heddle/result.hpp>
#include <heddle/trace/buffer.hpp>
#include <heddle/trace/detail/log_reader.hpp>
#include <heddle/trace/report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Reads what launches have noted, from a copy of the buffer's memory on the host.
///
/// **Preconditions**: no launch writes the buffer while it is copied. The copy has at least `room.bytes()` bytes; a
/// shorter one is refused. Bytes of any value are read without harm.
///
/// **Example** (tests/trace/summary.cpp):
///
///     const trace::report none = trace::read(room, zeros.data(), zeros.size());
inline report read(const room& room, const void* copy, unsigned long long bytes) {
  heddle::detail::require_at_least(detail::saturated(room.bytes()), "heddle::trace::read: bytes",
                                   detail::saturated(bytes));
  return detail::log_reader(room, static_cast<const char*>(copy)).take();
}

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

/// Reads what launches have noted in a buffer on the device.
///
/// **Preconditions**: the launches are on this stream, or have ended.
///
/// **Effects**: copies the memory to the host, and waits for the stream. A stream that is being captured is an error.
///
/// **Example** (examples/trace/trace.cu):
///
///     const auto [report, error] = heddle::trace::read(buffer, nullptr);
inline result<report> read(const buffer& from, cudaStream_t stream) {
  cudaError_t error = heddle::detail::not_captured(stream);
  if (error != cudaSuccess) return {{}, error};
  std::vector<char> copy(from.room().bytes());
  error = cudaMemcpyAsync(copy.data(), from.memory(), copy.size(), cudaMemcpyDeviceToHost, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return {{}, error};
  return {read(from.room(), copy.data(), copy.size())};
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::trace
