#pragma once

#include <heddle/detail/not_captured.hpp>
#include <heddle/device/current_device.hpp>
#include <heddle/device/detail/busy_kernels.hpp>
#include <heddle/device/detail/kept_bytes.hpp>
#include <heddle/device/detail/stopwatch.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

/// The function behind `calibrate`. A member of a class template is compiled where it is called: only a program that
/// calls it has the kernels.
template <class = void>
struct calibration {
  result<predict::device> operator()(cudaStream_t stream = nullptr) const {
    if (const cudaError_t error = not_captured(stream); error != cudaSuccess) return {{}, error};
    result<predict::device> found = current_device();
    if (!found) return found;
    predict::device& card = found.value;
    const int blocks = card.multiprocessors;

    stopwatch watch(stream);
    const long long least = 4 * card.l2_bytes > (64 << 20) ? 4 * card.l2_bytes : 64 << 20;
    const long long wanted = 8 * card.l2_bytes > (512 << 20) ? 8 * card.l2_bytes : 512 << 20;
    const long long bytes = watch.allocate(wanted, least);
    char* const memory = watch.memory();
    const auto set = reinterpret_cast<const uint4*>(memory);  // zeros; what kernels write lies behind the sets
    const auto counter = reinterpret_cast<unsigned*>(memory + bytes / 2), never = counter + 64;
    const auto rate = [](double work, double seconds) { return seconds > 0 ? work / seconds : 0; };

    const auto issue_seconds = [&](int turns) {
      return watch.seconds(
          [&] { return watch.start(busy::issue<0>, blocks, busy::reading_threads, 0.5f, 3u, turns, never); });
    };
    issue_seconds(4000);  // raises the clocks, in some 10 ms
    card.instructions_per_second = rate(1000 * blocks * busy::instructions_of_issue, issue_seconds(1000));

    const auto read_rate = [&](auto kernel, long long set_bytes, int turns = 512) {
      const auto words = static_cast<unsigned>(set_bytes / sizeof(uint4));
      return rate(turns * blocks * busy::bytes_of_read, watch.seconds([&] {
        return watch.start(kernel, blocks, busy::reading_threads, set, words, turns, never);
      }));
    };
    card.l1_bytes_per_second = read_rate(busy::read<true>, 16 << 10);
    card.l2_bytes_per_second = read_rate(busy::read<false>, card.l2_bytes / 8);
    const long long small = 2 * card.l2_bytes, large = bytes;
    const double of_small = read_rate(busy::read_at_random<0>, small, 256);
    const double of_large = read_rate(busy::read_at_random<0>, large, 256);
    card.l2_kept_bytes = kept_bytes(card.l2_bytes, small, of_small, large, of_large);

    const auto half = static_cast<decltype(sizeof 0)>(bytes / 2);
    constexpr int copies = 4;  // so that what the last one leaves in L2 counts little
    card.dram_bytes_per_second = rate(static_cast<double>(copies * bytes), watch.seconds([&] {
      cudaError_t each = cudaSuccess;
      for (int i = 0; i < copies && each == cudaSuccess; ++i) {
        each = cudaMemcpyAsync(memory + half, memory, half, cudaMemcpyDeviceToDevice, stream);
      }
      return each;
    }));

    if (card.matrix_operations_per_second == 0) {
      card.matrix_operations_per_second = rate(1500 * blocks * busy::operations_of_multiply, watch.seconds([&] {
        return watch.start(busy::multiply<0>, blocks, busy::multiplying_threads, 1u, 1500, never);
      }));
    }

    constexpr int launches = 200;
    card.launch_seconds = watch.seconds([&] {
      cudaError_t each = cudaSuccess;
      for (int i = 0; i < launches && each == cudaSuccess; ++i) each = watch.start(busy::idle<0>, 1, 32);
      return each;
    }) / launches;

    const auto draw_seconds = [&](int by, int turns) {
      return watch.seconds([&] { return watch.start(busy::draw<0>, by, 32, counter, turns, never); });
    };
    card.atomic_seconds = draw_seconds(1, 2000) / 2000;
    card.atomics_per_second = rate(16.0 * blocks * 256, draw_seconds(16 * blocks, 256));

    if (watch.error() != cudaSuccess) return {{}, watch.error()};
    return found;
  }
};

}  // namespace detail

/// `calibrate(stream)` measures the current device, and returns its description with the rates that kernels reach.
///
///   dram_bytes_per_second           copies of 256 MB, or half of what there is, read and written bytes together
///   l2_bytes_per_second             reads of an eighth of L2 by all multiprocessors, past L1
///   l2_kept_bytes                   reads at random of twice L2 and of all that is allocated, by what hits in each
///   l1_bytes_per_second             reads of 16 KB
///   instructions_per_second         instructions of fp32 and of integers in turn
///   matrix_operations_per_second    mma.sync in bf16, from registers
///   launch_seconds                  200 empty launches, one behind the other
///   atomic_seconds                  draws from one counter, by one thread
///   atomics_per_second              draws from one counter, by 16 blocks per multiprocessor
///
/// Each is the best of four runs. For a card with a constant, such as `predict::h200()`, the rate of matrix operations
/// is that of the constant, which whole products reach. For another card it is that of `mma.sync`: on Hopper and later,
/// where other instructions are faster, it is less than products reach. How many copies L2 keeps is not measured, but
/// what it keeps of bytes that all multiprocessors read: `l2_bytes / l2_copies` should be near that.
///
/// **Preconditions**: the stream is of the current device. If it is being captured, the error says so, and the capture
/// goes on. Work that runs at the same time makes the rates too low.
///
/// **Effects**: allocates device memory, 512 MB, eight times L2 if that is more, or what there is, and frees it; makes
/// events, launches kernels on the stream, and waits for them. Waits for the device when it frees.
///
/// **Cost**: less than 0.3 s. Call it once, and keep the description: `predict::write_device`.
///
/// **Example** (tests/gpu/device.cu):
///
///     const auto [card, error] = calibrate(on);
///     check(error);
inline constexpr detail::calibration<> calibrate;

}}  // namespace heddle::HEDDLE_ABI

#endif
