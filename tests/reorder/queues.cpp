// The law of queues on the host, in the code of the kernels: every value pushed is taken once, under its key, in every
// turn.

#include "simt.hpp"

#include <heddle/one_at_a_time.hpp>
#include <heddle/reorder/grid_queues.hpp>

#include "filled.hpp"
#include "test.hpp"

using namespace heddle;

namespace {

/// The machine of the queues: blocks run one after another.
struct host : one_at_a_time {
  unsigned number_of_launch;

  unsigned worker() const { return blockIdx.x; }
  unsigned workers() const { return gridDim.x; }
  unsigned launch() const { return number_of_launch; }

  template <class Word>
  Word add(Word* word, Word value) const {
    return atomicAdd(word, value);
  }
  template <class Word>
  Word bit_or(Word* word, Word value) const {
    return atomicOr(word, value);
  }
};

/// Memory as a caller has it: all but the totals is filled with garbage, and a guard follows it.
template <int Keys>
class state {
  using queues = grid_queues<Keys>;

 public:
  explicit state(unsigned long long capacity)
      : bytes_(queues::state_bytes(capacity)), words_((bytes_ + 31) / 32 + 8), of_(capacity, words_.data()) {
    std::memset(static_cast<void*>(words_.data()), 0xa5, sizeof(sector) * words_.size());
    std::memset(static_cast<void*>(words_.data()), 0, queues::bytes_to_clear());
  }

  const queues& of() const { return of_; }
  auto size() const { return of_.size(*static_cast<const typename queues::totals*>(of_.state())); }
  auto required() const { return of_.required(*static_cast<const typename queues::totals*>(of_.state())); }

  bool guard_is_whole() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words_.data());
    return std::all_of(bytes + bytes_, bytes + sizeof(sector) * words_.size(), [](auto byte) { return byte == 0xa5; });
  }

 private:
  struct alignas(32) sector {
    unsigned char bytes[32];
  };
  std::size_t bytes_;
  std::vector<sector> words_;
  queues of_;
};

template <class Queues>
void push_all(const Queues& to, const std::vector<unsigned>& keys, unsigned threads) {
  const auto count = static_cast<unsigned>(keys.size());
  simt::launch((count + threads - 1) / threads, threads, [&] {
    const unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
    if (value < count) to.push_some(keys[value], value);
  });
}

unsigned launches = 0;

/// How often each value was taken. `wrong` counts values under another key, and rows of several keys.
struct taken {
  std::vector<int> times;
  int wrong = 0;
};

template <granularity Granularity, class Queues>
taken take_all(const Queues& from, const std::vector<unsigned>& keys, unsigned blocks, unsigned threads,
               unsigned most_rows = ~0u) {
  taken found{std::vector<int>(keys.size()), 0};
  ++launches;
  simt::launch(blocks, threads, [&] {
    __shared__ typename Queues::storage smem;
    heddle_test::fill(smem, heddle_test::fillings[launches % 3]);
    unsigned rows = 0;
    for (const auto [key, value, active] : from.template rows<Granularity>(smem, host{{}, launches})) {
      if (__shfl_sync(~0u, key, 0) != key) ++found.wrong;
      if (active && (value >= keys.size() || keys[value] != key)) ++found.wrong;
      if (active && value < keys.size()) ++found.times[value];
      if constexpr (Granularity == granularity::block) __syncthreads();
      if (++rows == most_rows) break;
    }
  });
  return found;
}

std::vector<unsigned> drawn(unsigned count, unsigned keys) {
  std::vector<unsigned> all(count);
  for (unsigned& key : all) key = simt::random() % 3 == 0 ? 0 : static_cast<unsigned>(simt::random() % keys);
  return all;
}

template <int Keys, granularity Granularity>
void obeys_the_law() {
  const unsigned counts[] = {0, 1, 33, 700};
  state<Keys> both(700);
  for (const unsigned count : counts) {
    for (const auto& [blocks, threads] : {std::pair{1u, 32u}, {5u, 96u}}) {
      CAPTURE(Keys, count, blocks, threads, static_cast<int>(Granularity));
      const std::vector<unsigned> keys = drawn(count, Keys);
      push_all(both.of(), keys, threads);
      CHECK(both.size() == count);
      const taken found = take_all<Granularity>(both.of(), keys, blocks, threads);
      CHECK(both.size() == 0);
      CHECK(found.wrong == 0);
      CHECK(std::all_of(found.times.begin(), found.times.end(), [](int times) { return times == 1; }));
    }
  }
  CHECK(both.guard_is_whole());
}

}  // namespace

TEST_CASE("Queues give every element once under its key to warps and to blocks on the host", "[reorder]") {
  obeys_the_law<1, granularity::warp>();
  obeys_the_law<12, granularity::warp>();
  obeys_the_law<32, granularity::warp>();
  obeys_the_law<256, granularity::warp>();
  obeys_the_law<12, granularity::block>();
  obeys_the_law<88, granularity::block>();
}

TEST_CASE("Queues drop values past capacity and report the capacity required on the host", "[reorder]") {
  for (const unsigned long long capacity : {0ull, 1ull, 33ull, 400ull}) {
    CAPTURE(capacity);
    state<5> of(capacity);
    unsigned long long most = 0;
    for (const unsigned count : {300u, 1000u, 500u}) {
      const std::vector<unsigned> keys = drawn(count, 5);
      std::map<unsigned, unsigned long long> each, there;
      for (const unsigned key : keys) most = std::max(most, ++each[key]);
      push_all(of.of(), keys, 128);
      CHECK(of.required() == most);
      const taken found = take_all<granularity::warp>(of.of(), keys, 4, 64);
      for (unsigned value = 0; value < count; ++value) there[keys[value]] += static_cast<unsigned>(found.times[value]);
      CHECK(found.wrong == 0);
      for (const auto& [key, times] : each) CHECK(there[key] == std::min(times, capacity));
      CHECK(of.required() == most);
    }
    CHECK(of.guard_is_whole());
  }
}

TEST_CASE("Queues are ready for the next turn when blocks leave early on the host", "[reorder]") {
  state<7> of(2000);
  for (int turn = 0; turn < 4; ++turn) {
    const std::vector<unsigned> keys = drawn(2000, 7);
    push_all(of.of(), keys, 96);
    const bool early = turn % 2 == 0;
    const taken found = take_all<granularity::warp>(of.of(), keys, 3, 64, early ? 2 : ~0u);
    const auto times = std::count(found.times.begin(), found.times.end(), 1);
    CHECK(found.wrong == 0);
    CHECK((early ? times <= 3 * 2 * 2 * 32 : times == 2000));
  }
}
