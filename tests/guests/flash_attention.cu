// FlashAttention-3's forward kernel by heddle's schedulers gives the bits that it gives by its own, in every kind of
// launch. tests/guests/check_flash builds it.

#include <cstdio>
#include <cstring>
#include <random>

#include "../../examples/common/stream.hpp"
#include "guests/flash.cuh"

namespace {

using namespace flash_guest;

int passed = 0, failed = 0;

void expect(bool holds, const std::string& what) {
  ++(holds ? passed : failed);
  if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

__global__ void count_differences(const unsigned short* some, const unsigned short* others, std::size_t count,
                                  unsigned* different) {
  const std::size_t stride = std::size_t{1} * gridDim.x * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (some[i] != others[i]) atomicAdd(different, 1u);
  }
}

template <class Value>
bool are_equal(const device_array<Value>& one, const device_array<Value>& other) {
  static const device_array<unsigned> different(1);
  different.set_bytes(0);
  count_differences<<<256, 256>>>(reinterpret_cast<const unsigned short*>(one.data()),
                                  reinterpret_cast<const unsigned short*>(other.data()), one.size() * sizeof(Value) / 2,
                                  different.data());
  check(cudaGetLastError());
  return different.first() == 0;
}

class contest {
 public:
  explicit contest(const problem& of) : all_(of), o_(all_.o().size()), logarithms_(all_.logarithms().size()) {
    name_ = of.kind + ", " + std::to_string(of.lengths.size()) + " sequences, " + std::to_string(of.tokens()) +
            " tokens, " + std::to_string(of.heads) + " and " + std::to_string(of.key_heads) + " heads";
    clear(0x3f);
    all_.by("own")(nullptr);
    o_.copy_from(all_.o());
    logarithms_.copy_from(all_.logarithms());
    check(cudaDeviceSynchronize());
  }

  void by_each() {
    for (const auto& [scheduler, launch] : launchers_of(all_.of().kind)) {
      const auto enqueue = all_.by(scheduler);
      for (int launch = 1; launch <= 3; ++launch) {
        clear(0x7f);
        enqueue(nullptr);
        is_right(scheduler + ", launch " + std::to_string(launch));
      }
    }
  }

  /// Launches in a row, and a graph of two launches that is replayed.
  void in_every_launch() {
    const auto enqueue = all_.by("heddle");
    const stream on;
    clear(0x7f);
    for (int i = 0; i < 20; ++i) enqueue(on);
    is_right("twenty launches in a row");
    const captured_graph graph(
        on, [&] { enqueue(on), enqueue(on); }, cudaStreamCaptureModeRelaxed);
    for (int replay = 0; replay < 3; ++replay) {
      clear(0x7f);
      graph.replay(on);
      is_right("graph, replay " + std::to_string(replay));
    }
  }

 private:
  void clear(int byte) const {
    all_.o().set_bytes(byte);
    all_.logarithms().set_bytes(byte);
    check(cudaDeviceSynchronize());
  }

  void is_right(const std::string& where) {
    const cudaError_t error = cudaDeviceSynchronize();
    check(error);
    expect(are_equal(all_.o(), o_) && are_equal(all_.logarithms(), logarithms_), name_ + ", " + where);
  }

  std::string name_;
  pass all_;
  device_array<element> o_;
  device_array<float> logarithms_;
};

/// Lengths of packed sequences, some of them 0.
std::vector<int> lengths(int count, int most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> some;
  for (int i = 0; i < count; ++i) some.push_back(i % 7 == 3 ? 0 : static_cast<int>(random() % most + 1));
  return some;
}

void serves(const problem& of) {
  if (launchers_of(of.kind).empty()) return;  // a build of some kinds only
  contest some(of);
  some.by_each();
  some.in_every_launch();
}

}  // namespace

int main() {
  if (!has_gpu("test_flash_attention", hopper_only)) return skipped;
  for (const std::string kind : {"causal", "local", "full", "full_pair"}) {
    for (const int length : {1, 127, 1000, 4096}) {
      if (kind == "full_pair" && (length - 1) / 128 % 2 == 0) continue;  // has no pairs
      serves({kind, std::vector<int>(3, length), 6, 6, 300});
      serves({kind, std::vector<int>(2, length), 16, 2, 300});
    }
    serves({kind, {16384}, 16, 16, 1000});
  }
  serves({"grouped_causal", {1000, 1000}, 16, 4});
  serves({"grouped_causal", {77, 77, 77}, 6, 2});
  for (const std::string kind : {"packed_causal", "packed_full", "packed_local", "packed_grouped"}) {
    const int keys = kind == "packed_grouped" ? 2 : 8;
    serves({kind, {1}, 8, keys, 200});
    serves({kind, {0, 300, 0}, 8, keys, 200});
    serves({kind, lengths(20, 2000, 1), 8, keys, 200});
    serves({kind, lengths(300, 300, 2), 8, keys, 200});
    serves({kind, std::vector<int>(2048, 34), 16, keys == 8 ? 16 : 4, 20});
  }
  std::printf("%d checks pass, %d fail\n", passed, failed);
  return failed > 0;
}
