// What is said of a card from what a runtime says of it, for cards whose facts are known.

#include <heddle/device/current_device.hpp>

#include <heddle/device/detail/kept_bytes.hpp>
#include <heddle/predict/advise.hpp>

#include "test.hpp"

namespace {

using namespace heddle;

constexpr int mebi = 1 << 20, kibi = 1 << 10;

/// Name, multiprocessors, capability, bytes of L2, most shared bytes, clock, and the memory's clock and bus in bits.
constexpr detail::card_facts h200_facts{"NVIDIA H200", 132, 90, 60 * mebi, 228 * kibi, 1.98e9, 3.201e9, 6144};
constexpr detail::card_facts h100_facts{"NVIDIA H100 80GB HBM3", 132, 90, 50 * mebi, 228 * kibi, 1.98e9, 2.619e9, 5120};
constexpr detail::card_facts l40_facts{"NVIDIA L40", 142, 89, 96 * mebi, 100 * kibi, 2.49e9, 9.001e9, 384};
constexpr detail::card_facts t4_facts{"NVIDIA Tesla T4", 40, 75, 4 * mebi, 64 * kibi, 0, 0, 256};

bool is_within(double value, double share, double other) {
  return std::abs(value / other - 1) < share;
}

}  // namespace

TEST_CASE("A card that has a constant is described by it, under the name that the runtime has", "[device]") {
  predict::device expected = predict::h200();
  expected.name = "NVIDIA H200";
  CHECK(detail::card_of(h200_facts) == expected);
  static_assert(detail::card_of(h200_facts).matrix_operations_per_second == 805e12);
  for (const auto& [name, card] : {std::pair<const char*, predict::device>{"NVIDIA H100 80GB HBM3", predict::h100()},
                                   {"NVIDIA A100-SXM4-80GB", predict::a100()},
                                   {"NVIDIA GeForce RTX 4090", predict::rtx_4090()},
                                   {"NVIDIA B200", predict::b200()}}) {
    CHECK(detail::known_card(name, card.multiprocessors) == card);
  }
}

TEST_CASE("An H100 is described with all that advice for a product asks for", "[device]") {
  const predict::device card = detail::card_of(h100_facts), constant = predict::h100();
  CHECK(card.l2_bytes == constant.l2_bytes);
  CHECK(card.l2_copies == 2);
  CHECK(card.l2_bytes_per_second > 0);
  CHECK(card.matrix_operations_per_second > 0);
  CHECK(card.matrix_operations_per_line > 0);
  CHECK(card.band_rows == constant.band_rows);
  // DRAM by the runtime's clocks is near the constant's, which is by the data sheet.
  CHECK(is_within(0.875 * 2 * h100_facts.memory_clock * h100_facts.memory_bus_bits / 8, 0.01,
                  card.dram_bytes_per_second));
  for (const int k : {64, 1000, 8192}) {
    const predict::gemm_problem product{.m = 8192, .n = 4096, .k = k};
    CHECK(predict::advise(product, card).reason == predict::advise(product, constant).reason);
    CHECK(predict::advise(product, card).schedule == predict::advise(product, constant).schedule);
    CHECK(predict::advise(product, card).reason.find("it is not known") == std::string::npos);
  }
}

TEST_CASE("A part of a card, or a card with a name like it, is not described by the constant", "[device]") {
  detail::card_facts slice = h200_facts;
  slice.multiprocessors = 60;
  CHECK(detail::card_of(slice).matrix_operations_per_second == 0);
  CHECK(detail::known_card("NVIDIA H200 NVL", 132).multiprocessors == 0);
  CHECK(detail::known_card("NVIDIA H100 PCIe", 114).multiprocessors == 0);
  CHECK(detail::known_card("NVIDIA GeForce RTX 4090 Laptop GPU", 76).multiprocessors == 0);
  CHECK(detail::known_card("", 132).multiprocessors == 0);
}

TEST_CASE("What is derived of a card is near what its constant says", "[device]") {
  detail::card_facts unnamed = h200_facts;
  unnamed.name = "a card";
  const predict::device derived = detail::card_of(unnamed), known = predict::h200();
  derived.check();
  CHECK(derived.name == "a card");
  CHECK(derived.multiprocessors == known.multiprocessors);
  CHECK(derived.l2_bytes == known.l2_bytes);
  CHECK(derived.l2_copies == known.l2_copies);
  CHECK(derived.l1_bytes == known.l1_bytes);
  CHECK(derived.l1_bytes_per_second == known.l1_bytes_per_second);
  CHECK(derived.instructions_per_second == known.instructions_per_second);
  CHECK(is_within(derived.dram_bytes_per_second, 0.05, known.dram_bytes_per_second));
  CHECK(derived.matrix_operations_per_line == known.matrix_operations_per_line);
  CHECK(derived.l2_bytes_per_second == 0);
  CHECK(derived.matrix_operations_per_second == 0);
  CHECK(derived.atomics_per_second == 0);

  const predict::device l40 = detail::card_of(l40_facts);
  CHECK(l40.l2_copies == 1);
  CHECK(l40.l1_bytes == 96 << 10);
  CHECK(is_within(l40.dram_bytes_per_second, 0.05, 0.78e12));  // measured by te42kyfo/gpu-benches
}

TEST_CASE("A card of which the runtime says little has rates that are unknown", "[device]") {
  const predict::device old = detail::card_of(t4_facts);
  old.check();
  CHECK(old == predict::device{.name = "NVIDIA Tesla T4", .multiprocessors = 40, .l2_bytes = 4 << 20});
}

TEST_CASE("What a cache keeps follows from the rates of random reads of two sets", "[device]") {
  // A cache that drops a word at random for each miss, of words that are read at random: DRAM delivers a word per unit
  // of time, and a hit takes none.
  std::mt19937 random(1);
  const auto rate = [&](std::size_t cache, std::size_t set) {
    std::vector<std::size_t> kept(cache);  // the word in each place
    std::vector<bool> is_kept(set);
    for (std::size_t i = 0; i < cache; ++i) kept[i] = i, is_kept[i] = true;
    int misses = 0, reads = 0;
    while (misses < 200'000) {
      const std::size_t word = random() % set;
      ++reads;
      if (is_kept[word]) continue;
      ++misses;
      std::size_t& place = kept[random() % cache];
      is_kept[place] = false, is_kept[word] = true;
      place = word;
    }
    return static_cast<double>(reads) / misses;
  };
  for (const std::size_t cache : {500, 1000, 1500}) {
    const long long found = detail::kept_bytes(2000, 4000, rate(cache, 4000), 16000, rate(cache, 16000));
    CAPTURE(cache, found);
    CHECK(is_within(static_cast<double>(found), 0.05, static_cast<double>(cache)));
  }
  static_assert(detail::kept_bytes(60, 120, 2, 480, 1) == 60);  // 80, but no cache has more than it has
  static_assert(detail::kept_bytes(60, 120, 1, 480, 1) == 0);
  static_assert(detail::kept_bytes(60, 120, 1, 480, 2) == 0);
  static_assert(detail::kept_bytes(60, 120, 0, 480, 0) == 0);
  static_assert(detail::kept_bytes(60, 120, 1, 480, 0) == 0);
}
