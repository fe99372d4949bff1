// Advice for the card at hand: described at once by the runtime, or measured once and kept in a file.

#include <cstdio>

#include <heddle/device.hpp>
#include <heddle/predict.hpp>

#include "../common/cuda.hpp"

using namespace heddle;

void print(const char* how, const predict::device& card, const predict::gemm_problem& product) {
  const predict::advice best = predict::advise(product, card);
  std::printf("%s, %s: %d multiprocessors, %.1f T instructions/s, matrix %.0f TFLOP/s\n", card.name.c_str(), how,
              card.multiprocessors, 1e-12 * card.instructions_per_second, 1e-12 * card.matrix_operations_per_second);
  std::printf("  DRAM %.2f TB/s, L2 %.2f TB/s, L1 %.1f TB/s; L2 keeps %.1f of %.1f MB\n",
              1e-12 * card.dram_bytes_per_second, 1e-12 * card.l2_bytes_per_second, 1e-12 * card.l1_bytes_per_second,
              1e-6 * static_cast<double>(card.l2_kept_bytes), 1e-6 * static_cast<double>(card.l2_bytes));
  std::printf("  a launch %.2f us, an atomic %.0f ns\n", 1e6 * card.launch_seconds, 1e9 * card.atomic_seconds);
  std::printf("  8192 x 8192 x 8192: %s\n", to_string(best).c_str());
}

int main() try {
  if (!has_gpu("07_this_card")) return skipped;
  const predict::gemm_problem product{.m = 8192, .n = 8192, .k = 8192};

  const auto [card, error] = current_device();
  check(error);
  print("described", card, product);

  predict::stored_device kept = predict::read_device("this_card.json");
  if (!kept || !(kept.chip.name == card.name)) {
    const auto [measured, problem] = calibrate();
    check(problem);
    kept.chip = measured;
    kept.error = predict::write_device("this_card.json", measured);
  }
  print("measured", kept.chip, product);
  if (!kept) std::printf("%s\n", kept.error.c_str());
  return kept.chip.name == card.name ? 0 : 1;
} catch (const std::exception& error) {
  return failed("07_this_card", error);
}
