#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heddle/choose/detail/cuda_events.hpp>
#include <heddle/choose/detail/guard_memory.hpp>
#include <heddle/choose/detail/guarded_calls.hpp>
#include <heddle/choose/wisdom.hpp>
#include <heddle/detail/check.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Launches one of a few candidates per call, and finds which is the fastest from call to call. Number 0 is what there
/// was before, and the guard cannot lose against it by more than a stated bound.
///
/// Calls have a key of 64 bits that says what a launch's time depends on: sizes, their skew, the device. Each key is
/// decided by itself. While it is undecided, events are recorded around most calls, and later calls read those that have
/// passed: nothing waits or synchronises. A decided key times one call in twelve, and tries others again now and then.
///
/// **The bound**, in expected times, with at most 16 calls in flight: at every call, what a key has taken is at
/// most 1.01 times what number 0 would have, plus two launches of each candidate, and two events per call that is
/// timed. When times change at once: after a step of the candidate that runs, plus as many launches of it as are in
/// flight and sixteen; of another, plus two launches of it. If another becomes the fastest, it is tried within 64 + 179
/// (candidates − 1) (its time before / that of the running one − 1) calls. docs/guard.md says how this was tested.
///
/// **Preconditions**: candidates leave the same result, and depend on nothing else that a candidate leaves. The stream
/// belongs to the current device. What is remembered in a wisdom was found with the same candidates.
///
/// **Effects**: a candidate other than number 0 whose launch returns an error is dropped for all keys, and the error is
/// returned once. Errors of number 0 are returned, and it stays. If the thread has an error of the runtime that was not
/// read, number 0 is launched, so that no other gets the blame. Under capture the decided candidate is launched, else
/// number 0, and nothing is timed. Any number of threads may call, and calls may be in flight when the guard goes.
///
/// **Cost**: 32 events per device. Memory is allocated at the first call of a key and of a device, and none after.
///
/// **Example** (tests/gpu/guard.cu):
///
///     heddle::guard guard{2};
///     …
///       check(guard(stream, /*key*/ size, [&](int which) {
///         return which == 0 ? as_it_was(stream, static_cast<int>(size)) : another(stream, static_cast<int>(size));
///       }));
class guard {
 public:
  /// Makes a guard of 1 to 64 candidates.
  explicit guard(int candidates) : calls_(checked(candidates), {}), candidates_(candidates) {}

  /// Makes a guard that begins each key with what a wisdom has for it, and that `remember` adds to. `question` says
  /// what all keys have in common; a key of a call is added to its problem. The wisdom must outlive the guard.
  guard(int candidates, wisdom& known, wisdom_key question) : guard(candidates) {
    known_ = &known, question_ = std::move(question);
  }

  /// Launches one candidate: calls `launch(which)`, which enqueues work in the stream and returns its error.
  template <class Launch>
  cudaError_t operator()(cudaStream_t stream, std::uint64_t key, const Launch& launch) {
    return (*this)(stream, key, launch, [](int) { return cudaSuccess; });
  }

  /// Launches one candidate. Builds with HEDDLE_CHECKS call `compare(which)` after the first launch of a candidate for
  /// a key. It waits, compares what the candidate left with what number 0 leaves, and returns an error if they differ.
  template <class Launch, class Compare>
  cudaError_t operator()(cudaStream_t stream, std::uint64_t key, const Launch& launch, const Compare& compare) {
    return calls_.call(
        stream, key, launch,
        [this](std::uint64_t of) {
          return detail::recalled(known_ != nullptr ? known_->find(question_of(of)) : nullptr, candidates_);
        },
        [&](int which) -> cudaError_t {
          if constexpr (detail::checks) return compare(which);
          return cudaSuccess;
        });
  }

  /// Returns which candidate is decided on for a key, or nothing while it is undecided.
  std::optional<int> decision(std::uint64_t key) const { return calls_.decision(key); }

  /// Adds what is decided to the wisdom of the constructor, and writes its file. No other thread may use the wisdom.
  void remember() const {
    if (known_ == nullptr) return;
    std::vector<std::pair<std::uint64_t, wisdom_entry>> found;
    calls_.visit(
        [&](std::uint64_t key, const detail::guarded_key& of) { found.emplace_back(key, detail::entry_of(of)); });
    for (auto& [key, entry] : found) (void)known_->remember(question_of(key), std::move(entry));
  }

 private:
  static int checked(int candidates) {
    detail::require_at_least(1, "heddle::guard: candidates", candidates);
    return detail::require_at_most(64, "heddle::guard: candidates", candidates);
  }
  wisdom_key question_of(std::uint64_t key) const {
    wisdom_key of = question_;
    of.problem.emplace_back(key);
    return of;
  }
  detail::guarded_calls<detail::cuda_events> calls_;
  int candidates_;
  wisdom* known_ = nullptr;
  wisdom_key question_;
};

}}  // namespace heddle::HEDDLE_ABI

#endif
