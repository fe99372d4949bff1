#pragma once

#include <string>
#include <utility>

#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/device_members.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Holds the name of a device: up to 63 bytes of text that the value owns. Text converts to one.
///
/// **Preconditions**: the text has at most `most` bytes; longer text is refused. Null is empty text.
/// **Example** (tests/predict/device.cpp):
///
///     std::string text = "NVIDIA H200";
///     const device_name owned = text.c_str();
///     text = "another";
///     CHECK(owned == "NVIDIA H200");
class device_name {
 public:
  static constexpr int most = 63;  // bytes, without the zero at the end

  /// Makes empty text.
  constexpr device_name() = default;

  /// Copies text.
  constexpr device_name(const char* text) {
    int size = 0;
    for (; text != nullptr && text[size] != '\0'; ++size) {
      detail::require_at_most(most, "heddle::predict::device: bytes of the name", size + 1);
      text_[size] = text[size];
    }
  }

  /// Returns the text, which lives as long as this value.
  constexpr const char* c_str() const { return text_; }

  /// Returns whether two names are the same text. By hand: a defaulted comparison of arrays is wrong in g++ 16.2, where
  /// a constant expression has two of them.
  friend constexpr bool operator==(const device_name& one, const device_name& other) {
    int same = 0;
    while (same <= most && one.text_[same] == other.text_[same]) ++same;
    return same > most;
  }

 private:
  char text_[most + 1]{};
};

/// Describes a chip to `traffic` and `advise`. Rates are those that kernels reach, not those of the data sheet; 0
/// stands for an unknown rate, and others are from 1 to 10^18.
///
/// **Example** (tests/predict/advise.cpp):
///
///     const device small{.name = "small", .multiprocessors = 10, .l2_bytes = 1 << 20};
struct device {
  device_name name;     // for output of your own; heddle prints it nowhere
  int multiprocessors;  // their number
  long long l2_bytes;   // of all of L2
  /// How many parts of L2 keep a copy each of what all blocks read: an H200 has two, one for each side of the chip.
  int l2_copies = 1;
  long long l2_kept_bytes = 0;              // of what all blocks read at random, as much as L2 keeps; 0: unknown
  double dram_bytes_per_second = 0;         // of the chip
  double l2_bytes_per_second = 0;           // of the chip
  double matrix_operations_per_second = 0;  // of 2-byte elements; larger elements take longer by their size
  long long l1_bytes = 0;                   // of one multiprocessor, with little shared memory
  double l1_bytes_per_second = 0;           // of all multiprocessors
  double instructions_per_second = 0;       // of all threads
  double launch_seconds = 0;                // from one empty launch to the next on a stream
  double atomic_seconds = 0;                // from an addition to a counter in L2 to its answer, for one thread
  double atomics_per_second = 0;            // answers of one counter, to all threads

  /// The operations of a multiprocessor's matrix unit while one line of 128 bytes comes from L2, both at full speed; 0:
  /// unknown.
  double matrix_operations_per_line = 0;

  // Fitted to sweeps on an H200, whose figures any other card has until it has its own.

  int band_rows = 1024;  // rows of C in the bands in which products that leave DRAM idle are fastest
  /// How L1 and L2 overlap: exponent p of the time (a^p + b^p)^(1/p) of two units that alone take a and b. 1: one after
  /// the other; 16, the most: at once.
  double overlap_of_l1_and_l2 = 1.5;
  double overlap_of_units = 2;         // the same of memory, DRAM, and arithmetic; each block adds a half
  double drawing_instructions = 1750;  // per pixel, of a block alone on its multiprocessor that draws a tile

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  constexpr void check() const {
    detail::for_each_member(*this, [](const char* member, const auto& value, detail::limits allowed) {
      if constexpr (requires { value + 1; })
        detail::require_member("device", member, static_cast<double>(value), allowed);
    });
  }

  friend constexpr bool operator==(const device&, const device&) = default;
};

#if defined(__clang__)  // nvcc passes `.name = ` on as `name: `, of which clang warns
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-designator"
#endif

/// Returns an H200, the card that heddle was measured on.
///
/// Measured: products read as much as with 30 MB of cache (docs/inside/gemm_study.md); a copy moves 4.2 TB/s; L2
/// delivers 112 GB in sectors in 10.8 ms while L1 works for 3.2 ms of its own; a bf16 product of 8192³ reaches 805
/// TFLOP/s; a counter gives out a ticket every 0.74 ns (docs/schedule.md). L1 and instructions are those of the
/// hardware at 1.98 GHz: 128 bytes and 128 threads' instructions per clock and multiprocessor, and 4096 matrix
/// operations, at 64 bytes from L2.
constexpr device h200() {
  return {.name = "H200",
          .multiprocessors = 132,
          .l2_bytes = 60 << 20,
          .l2_copies = 2,
          .dram_bytes_per_second = 4.2e12,
          .l2_bytes_per_second = 11.65e12,
          .matrix_operations_per_second = 805e12,
          .l1_bytes = 192 << 10,
          .l1_bytes_per_second = 132 * 128 * 1.98e9,
          .instructions_per_second = 132 * 128 * 1.98e9,
          .atomics_per_second = 1.35e9,
          .matrix_operations_per_line = 2 * 4096};
}

/// Returns an H100 of 80 GB, SXM5. Not measured here.
///
/// The chip of an H200, with the L2 of its data sheet: L1 and instructions have the rates of `h200()`; L2 takes 11.9 ms
/// for what takes 10.8 ms there. DRAM: 3.35 TB/s by the data sheet, of which a copy is taken to reach seven eighths, as
/// on an H200. Products: 794 TFLOP/s, the best of a search over shapes (stas00/ml-engineering, maximum achievable
/// matmul FLOPS, PyTorch 2.7).
constexpr device h100() {
  device chip = h200();
  chip.name = "H100";
  chip.l2_bytes = 50 << 20;
  chip.dram_bytes_per_second = 0.875 * 3.35e12;
  chip.l2_bytes_per_second = 10.4e12;
  chip.matrix_operations_per_second = 794e12;
  return chip;
}

/// Returns an A100 of 80 GB, SXM4. Not measured here.
///
/// Multiprocessors and L2, in two parts that each keep a copy: NVIDIA's A100 architecture paper. DRAM and L2: 1.73 TB/s
/// of a copy and 5.4 TB/s of reads, measured by others (te42kyfo/gpu-benches: cuda-stream, gpu-l2-cache). Products: 271
/// TFLOP/s, measured by others as for `h100()`. L1 is three quarters of the 192 KB of a multiprocessor, as on an H200;
/// L1 and instructions are those of the hardware at 1.41 GHz. At most half of the instructions may be of fp32.
constexpr device a100() {
  return {.name = "A100",
          .multiprocessors = 108,
          .l2_bytes = 40 << 20,
          .l2_copies = 2,
          .dram_bytes_per_second = 1.73e12,
          .l2_bytes_per_second = 5.4e12,
          .matrix_operations_per_second = 271e12,
          .l1_bytes = 144 << 10,
          .l1_bytes_per_second = 108 * 128 * 1.41e9,
          .instructions_per_second = 108 * 128 * 1.41e9,
          .matrix_operations_per_line = 2 * 2048};
}

/// Returns a GeForce RTX 4090. Not measured here.
///
/// Multiprocessors, L2 and 165 TFLOP/s of products that accumulate in fp32: NVIDIA's Ada architecture paper; products
/// of other cards reach some 80 % of such a figure. The rest is scaled from an L40, which has the same chip, measured
/// by others (te42kyfo/gpu-benches: gpu-stream, gpu-l2-cache): a copy reaches 0.91 of the data sheet's DRAM, here
/// of 1.008 TB/s; 96 MB of L2 deliver 5.2 TB/s, of which 72 MB have three quarters; reads keep that rate until they
/// fill all of L2, so that no part keeps a copy. L1 is three quarters of the 128 KB of a multiprocessor, as on an H200;
/// L1 and instructions are those of the hardware at 2.52 GHz.
constexpr device rtx_4090() {
  return {.name = "RTX 4090",
          .multiprocessors = 128,
          .l2_bytes = 72 << 20,
          .l2_copies = 1,
          .dram_bytes_per_second = 0.91 * 1.008e12,
          .l2_bytes_per_second = 0.75 * 5.2e12,
          .matrix_operations_per_second = 165e12,
          .l1_bytes = 96 << 10,
          .l1_bytes_per_second = 128 * 128 * 2.52e9,
          .instructions_per_second = 128 * 128 * 2.52e9,
          .matrix_operations_per_line = 2 * 512};
}

/// Returns a B200. Not measured here.
///
/// 148 multiprocessors and 126 MB of L2 on two dies: measured by others (Chips and Cheese, "Nvidia's B200: Keeping the
/// CUDA Juggernaut Rolling"); that each die keeps a copy is an assumption. DRAM: 8 TB/s by the data sheet, of which a
/// copy is taken to reach seven eighths, as on an H200. Products: 1745 TFLOP/s, measured by others as for `h100()`. No
/// source was found for L2, L1 and instructions: they have as much per multiprocessor as an H200.
constexpr device b200() {
  return {.name = "B200",
          .multiprocessors = 148,
          .l2_bytes = 126 << 20,
          .l2_copies = 2,
          .dram_bytes_per_second = 0.875 * 8e12,
          .l2_bytes_per_second = 11.65e12 / 132 * 148,
          .matrix_operations_per_second = 1745e12,
          .l1_bytes = 192 << 10,
          .l1_bytes_per_second = 148 * 128 * 1.98e9,
          .instructions_per_second = 148 * 128 * 1.98e9,
          .matrix_operations_per_line = 2 * 8192};
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

/// Returns the card whose function has this name: h200, h100, a100, rtx_4090 or b200, in letters of either case. Any
/// other name is refused.
///
/// **Example** (tests/predict/device.cpp):
///
///     CHECK(device_named("rtx_4090").name == rtx_4090().name);
inline device device_named(const std::string& name) {
  std::string known, lower = name;
  for (char& letter : lower) letter = 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  for (const auto& [own_name, card] :
       {std::pair{"h200", &h200}, {"h100", &h100}, {"a100", &a100}, {"rtx_4090", &rtx_4090}, {"b200", &b200}}) {
    if (lower == own_name) return card();
    known += (known.empty() ? "" : ", ") + std::string(own_name);
  }
  detail::refuse("heddle::predict::device: card", (": \"" + name.substr(0, 24) + "\" is none of " + known).c_str());
}

}}}  // namespace heddle::HEDDLE_ABI::predict
