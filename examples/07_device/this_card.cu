// Advice for the card at hand: described at once by the runtime, or measured once and kept in a file.

#include <cstdio>

#include <heddle/device.hpp>
#include <heddle/predict.hpp>

#include "../common/cuda.hpp"

using namespace heddle;

void print(const char* how, const predict::device& card, const predict::gemm_problem& product) {
  const predict::advice best = predict::advise(product, card);
  std::printf("%s, %s: %d multiprocessors, DRAM %.2f TB/s, L2 %.2f TB/s, matrix %.0f TFLOP/s\n  %s\n",
              card.name.c_str(), how, card.multiprocessors, 1e-12 * card.dram_bytes_per_second,
              1e-12 * card.l2_bytes_per_second, 1e-12 * card.matrix_operations_per_second, to_string(best).c_str());
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
