#pragma once

#include <heddle/config.hpp>

#if !defined(__CUDACC_RTC__)
#include <heddle/predict/device.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns the constant of a card by the name that the runtime has for it, if it has as many multiprocessors: a part of
/// a card, as under MIG, has not. Returns a device without multiprocessors if no constant describes the card.
constexpr predict::device known_card(const predict::device_name& name, int multiprocessors) {
  struct known {
    const char* name;
    predict::device card;
  };
  const known cards[] = {{"NVIDIA H200", predict::h200()},
                         {"NVIDIA H100 80GB HBM3", predict::h100()},
                         {"NVIDIA A100-SXM4-80GB", predict::a100()},
                         {"NVIDIA GeForce RTX 4090", predict::rtx_4090()},
                         {"NVIDIA B200", predict::b200()}};
  for (const known& one : cards) {
    if (name == one.name && multiprocessors == one.card.multiprocessors) return one.card;
  }
  return {};
}

/// Returns the operations in bf16 of a multiprocessor's matrix unit in the two clocks in which a line comes from L2, by
/// NVIDIA's architecture papers; 0 for a capability that they do not have.
constexpr double operations_per_line(int capability) {
  switch (capability) {
    case 80:
      return predict::a100().matrix_operations_per_line;
    case 86:
    case 89:
    case 120:
      return predict::rtx_4090().matrix_operations_per_line;
    case 90:
      return predict::h100().matrix_operations_per_line;
    case 100:
      return predict::b200().matrix_operations_per_line;
    default:
      return 0;
  }
}

/// What the runtime says of a card.
struct card_facts {
  predict::device_name name;
  int multiprocessors, capability;        // 90 for 9.0
  long long l2_bytes, most_shared_bytes;  // the latter of a multiprocessor
  double clock, memory_clock;             // in Hz, at most; 0 if the runtime does not say
  int memory_bus_bits;
};

/// Returns the description of a card: its constant if there is one, else what follows from the facts.
///
/// DRAM moves two words per clock of the memory, of which a copy is taken to reach seven eighths: 0.85 to 0.91 were
/// measured on an A100, an H200 and an L40 (`predict/device.hpp`). From sm_80 on, L1 delivers 128 bytes per clock, and
/// has what shared memory leaves of a memory that is 28 KB larger than the most that can be shared: three quarters, as
/// on an H200. A multiprocessor begins 128 threads' instructions per clock. GA100 and GH100 have an L2 in two parts.
constexpr predict::device card_of(const card_facts& facts) {
  predict::device card = known_card(facts.name, facts.multiprocessors);
  if (card.multiprocessors == 0) {
    const double clocks = facts.clock * facts.multiprocessors;
    card.l2_copies = facts.capability == 80 || facts.capability == 90 ? 2 : 1;
    card.dram_bytes_per_second = 0.875 * 2 * facts.memory_clock * (facts.memory_bus_bits / 8);
    card.instructions_per_second = 128 * clocks;
    card.matrix_operations_per_line = operations_per_line(facts.capability);
    if (facts.capability >= 80) {
      card.l1_bytes = (facts.most_shared_bytes + (28 << 10)) * 3 / 4;
      card.l1_bytes_per_second = 128 * clocks;
    }
  }
  card.name = facts.name;
  card.multiprocessors = facts.multiprocessors;
  card.l2_bytes = facts.l2_bytes;
  return card;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif
