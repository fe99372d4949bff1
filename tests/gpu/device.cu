// Compares descriptions of the card at hand with what the runtime says, and with the constants of known cards.

#include <heddle/device.hpp>

#include <heddle/predict/advise.hpp>

#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

predict::device calibrated(cudaStream_t on = nullptr) {
  const auto [card, error] = calibrate(on);
  check(error);
  return card;
}

/// Whether times mean something: not under tools that check every access.
bool is_timed() {
  return kernels_overlap();
}

/// The share by which one number is off another.
double off(double one, double other) {
  return std::abs(one / other - 1);
}

}  // namespace

GPU_TEST("The description of a card has what the runtime says of it", "[device]") {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  for (int ordinal = 0; ordinal < devices; ++ordinal) {
    const auto [card, error] = device_of(ordinal);
    check(error);
    card.check();
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, ordinal));
    CHECK(std::string(card.name.c_str()) == std::string(properties.name).substr(0, predict::device_name::most));
    CHECK(card.multiprocessors == attribute(cudaDevAttrMultiProcessorCount, ordinal));
    CHECK(card.l2_bytes == attribute(cudaDevAttrL2CacheSize, ordinal));
    CHECK(card.l1_bytes <= attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal) + (28 << 10));
    CHECK(card.instructions_per_second > 0);
  }
}

GPU_TEST("A card with a constant has its rates", "[device]") {
  const auto [card, error] = current_device();
  check(error);
  predict::device known = detail::known_card(card.name, card.multiprocessors);
  if (known.multiprocessors == 0) {
    skip("no constant describes this card");
    return;
  }
  CHECK(card.l2_bytes == known.l2_bytes);
  known.name = card.name;
  CHECK(card == known);
}

GPU_TEST("The current device is the one that the program chose", "[device]") {
  int devices = 0, before = 0;
  check(cudaGetDeviceCount(&devices));
  check(cudaGetDevice(&before));
  for (int ordinal = 0; ordinal < devices; ++ordinal) {
    check(cudaSetDevice(ordinal));
    const auto [card, error] = current_device();
    check(error);
    CHECK(card == device_of(ordinal).value);
    int after = -1;
    check(cudaGetDevice(&after));
    CHECK(after == ordinal);
  }
  check(cudaSetDevice(before));
  const predict::gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
  const auto [card, error] = current_device();
  check(error);
  const predict::advice best = predict::advise(product, card);
  CHECK(best.predicted_bytes > 0);
}

GPU_TEST("A number that no card has is an error", "[device]") {
  if (!is_timed()) return;  // tools report the runtime's error
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  for (const int ordinal : {-1, devices, 1 << 20}) {
    const auto [card, error] = device_of(ordinal);
    CHECK(error == cudaErrorInvalidDevice);
    CHECK(card.multiprocessors == 0);
  }
  (void)cudaGetLastError();
}

GPU_TEST("A card is calibrated in less than 0.3 s", "[device][clock]") {
  check(cudaFree(nullptr));  // makes the context, which is not part of it
  const bool counts = is_timed();
  for (int turn = 0; turn < 3; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    const predict::device card = calibrated();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    CAPTURE(turn, taken.count());
    card.check();
    if (counts) CHECK(taken.count() < 0.3);
  }
}

GPU_TEST("Calibration finds rates that a card can have, and those of its constant", "[device][clock]") {
  if (!is_timed()) return;
  const predict::device card = calibrated(), described = device_of(0).value;
  std::printf(
      "%s: DRAM %.3f TB/s, L2 %.2f TB/s keeps %.1f of %.1f MB, L1 %.1f TB/s, %.1f T instructions/s, matrix %.0f TFLOP/s, launch "
      "%.2f us, atomic %.0f ns, one every %.3f ns\n",
      card.name.c_str(), 1e-12 * card.dram_bytes_per_second, 1e-12 * card.l2_bytes_per_second,
      1e-6 * static_cast<double>(card.l2_kept_bytes), 1e-6 * static_cast<double>(card.l2_bytes),
      1e-12 * card.l1_bytes_per_second, 1e-12 * card.instructions_per_second, 1e-12 * card.matrix_operations_per_second,
      1e6 * card.launch_seconds, 1e9 * card.atomic_seconds, 1e9 / card.atomics_per_second);
  CHECK(card.name == described.name);
  CHECK(card.multiprocessors == described.multiprocessors);
  CHECK(card.l2_bytes == described.l2_bytes);
  CHECK(card.l1_bytes == described.l1_bytes);
  CHECK(card.l2_kept_bytes > card.l2_bytes / 8);
  CHECK(card.l2_kept_bytes <= card.l2_bytes);
  CHECK(card.l2_bytes_per_second > card.dram_bytes_per_second);
  CHECK(card.l1_bytes_per_second > card.l2_bytes_per_second);
  CHECK(card.matrix_operations_per_second > card.instructions_per_second);
  CHECK(card.launch_seconds > 2e-7);
  CHECK(card.launch_seconds < 5e-5);
  CHECK(card.atomic_seconds > 5e-8);
  CHECK(card.atomic_seconds < 5e-6);
  CHECK(card.atomics_per_second * card.atomic_seconds > 10);

  // No unit exceeds what its clock and width allow, by more than the clock may be above the one that is named.
  const double clock = 1e3 * attribute(cudaDevAttrClockRate, 0), clocks = clock * card.multiprocessors;
  const double memory =
      2e3 * attribute(cudaDevAttrMemoryClockRate, 0) * attribute(cudaDevAttrGlobalMemoryBusWidth, 0) / 8;
  CHECK(card.dram_bytes_per_second < 1.02 * memory);
  CHECK(card.dram_bytes_per_second > 0.6 * memory);
  CHECK(card.l1_bytes_per_second < 1.05 * 128 * clocks);
  CHECK(card.l1_bytes_per_second > 0.7 * 128 * clocks);
  CHECK(card.instructions_per_second < 1.05 * 128 * clocks);
  CHECK(card.instructions_per_second > 0.7 * 128 * clocks);

  const predict::device known = detail::known_card(card.name, card.multiprocessors);
  if (known.multiprocessors == 0) return;
  const double far = known.name == predict::h200().name ? 0.15 : 0.5;  // the others were not measured
  CHECK(card.l2_copies == known.l2_copies);
  CHECK(off(card.dram_bytes_per_second, known.dram_bytes_per_second) < far);
  CHECK(off(card.l2_bytes_per_second, known.l2_bytes_per_second) < far);
  CHECK(off(card.l1_bytes_per_second, known.l1_bytes_per_second) < far);
  CHECK(off(card.instructions_per_second, known.instructions_per_second) < far);
  CHECK(card.matrix_operations_per_second == known.matrix_operations_per_second);
  if (known.atomics_per_second > 0) CHECK(off(card.atomics_per_second, known.atomics_per_second) < far);
}

GPU_TEST("Two calibrations agree", "[device][clock]") {
  if (!is_timed()) return;
  const predict::device one = calibrated(), other = calibrated();
  CHECK(one.l2_copies == other.l2_copies);
  CHECK(off(one.dram_bytes_per_second, other.dram_bytes_per_second) < 0.05);
  CHECK(off(one.l2_bytes_per_second, other.l2_bytes_per_second) < 0.05);
  CHECK(off(one.l1_bytes_per_second, other.l1_bytes_per_second) < 0.05);
  CHECK(off(static_cast<double>(one.l2_kept_bytes), static_cast<double>(other.l2_kept_bytes)) < 0.2);
  CHECK(off(one.instructions_per_second, other.instructions_per_second) < 0.05);
}

GPU_TEST("Calibration leaves the device and the stream as they were", "[device]") {
  const stream on;
  (void)calibrated(on);  // loads the kernels, which stay
  check(cudaDeviceSynchronize());
  std::size_t heap = 0, heap_after = 0;
  check(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  const auto [card, error] = calibrate(on);
  check(error);
  CHECK(card.multiprocessors > 0);
  check(cudaDeviceGetLimit(&heap_after, cudaLimitMallocHeapSize));
  CHECK(heap_after == heap);
  int device = -1;
  check(cudaGetDevice(&device));
  CHECK(device == 0);
  CHECK(cudaStreamQuery(on) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  check(cudaThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == cudaStreamCaptureModeGlobal);
}

GPU_TEST("A stream that is captured is not calibrated on, and the capture goes on", "[device]") {
  const stream on;
  device_array<int> word(1, 0);
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    const auto is_refused = [&] {
      const auto [card, error] = calibrate(on);
      CHECK(error == cudaErrorStreamCaptureUnsupported);
      CHECK(card.multiprocessors == 0);
      check(cudaMemsetAsync(word.data(), 1, sizeof(int), on));
    };
    CHECK(captured_graph(on, is_refused, mode).nodes() == 1);
  }
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

GPU_TEST("A stream on which a captured call throws is not left in capture", "[device]") {
  const stream on;
  CHECK_THROWS_AS(captured_graph(on, [] { check(cudaErrorNotReady); }), cuda_error);
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(on, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
}

GPU_TEST("A card is calibrated while another stream is captured", "[device]") {
  const stream other, on;
  device_array<int> word(1, 0);
  const auto is_calibrated = [&] {
    check(cudaMemsetAsync(word.data(), 1, sizeof(int), other));
    CHECK(calibrated(on).multiprocessors > 0);
  };
  CHECK(captured_graph(other, is_calibrated, cudaStreamCaptureModeGlobal).nodes() == 1);
}
