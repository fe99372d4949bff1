// A list, or a loop: twenty distributions of counts, of several sizes, over three bodies, by each method. Says what
// advise_list says of each row, and what following it gains or loses.

#include <heddle/device/current_device.hpp>
#include <heddle/predict/advise_list.hpp>

#include "methods.cuh"

using namespace lists;

namespace {

struct options {
  int rounds = 5;
  bool even = false;
  std::string only, json;
};

__global__ void fill(unsigned* n, draw of) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < of.sources) n[i] = of(i);
}
__global__ void fill_even(unsigned* n, unsigned size, unsigned value) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) n[i] = value;
}
struct counts_of {
  const unsigned* n;
  __device__ unsigned operator()(unsigned source) const { return n[source]; }
};
/// Adds up what a method leaves, in any order.
template <class Value>
__global__ void add_up(const Value* of, unsigned long long count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if constexpr (sizeof(Value) == 8) {
      mine += (of[i].source + 1ull) * (of[i].rank * 2654435761ull + 40503ull);
    } else {
      mine += of[i] * (mix(static_cast<unsigned>(i)) + 1ull);
    }
  }
  atomicAdd(sum, mine);
}

class bench {
 public:
  explicit bench(const options& chosen)
      : rounds_(chosen.rounds),
        even_(chosen.even),
        only_("," + chosen.only + ","),
        json_(chosen.json, context_json().add("rounds", chosen.rounds)) {
    table_.set_bytes(0);
    bins_.set_bytes(0);
    dealt_state_.set_bytes(0);
  }

  /// Prints what following the advice gains or loses.
  void sum_up() const {
    const auto mean = [](const std::vector<double>& of) {
      double sum = 0;
      for (const double each : of) sum += std::log(each);
      return of.empty() ? 1 : std::exp(sum / static_cast<double>(of.size()));
    };
    for (const auto& [name, ratios] : {std::pair{"the best method", &over_best_},
                                       {"loops of 30 us and more", &over_long_},
                                       {"shorter loops", &over_short_}}) {
      if (ratios->empty()) continue;
      std::printf("As advised over %s: %.3f in the geometric mean of %zu rows, %.3f at worst\n", name, mean(*ratios),
                  ratios->size(), *std::min_element(ratios->begin(), ratios->end()));
    }
  }

  void begin(const char* name) { json_.begin_list(name); }
  void end() { json_.end(); }
  void finish() { json_.finish(); }

  template <class Fill>
  void measure(const std::string& name, unsigned size, const Fill& fill_counts) {
    fill_counts(n_.data());
    check(cudaGetLastError());
    std::size_t bytes = scratch_.size();
    check(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, n_.data(), begin_.data(), size));
    const list_probe probe{counts_.data()};
    const unsigned* const n = n_.data();
    const auto look = [&] { check(probe.enqueue(nullptr, size, counts_of{n})); };
    look();
    const list_counts counts = counts_.first();
    std::vector<double> of_probe;
    for (int round = 0; round < rounds_; ++round) of_probe.push_back(1000 * timer_.milliseconds_of_each(4, look));
    const arrays of{n_.data(), begin_.data(), size, out_.data(), table_.data(), bins_.data()};
    for (const body what : {body::store, body::gather, body::add}) {
      auto* const make = what == body::store ? stores : what == body::gather ? gathers : additions;
      std::vector<method> all = make(of, counts, state_.data(), dealt_state_.data());
      if (even_)
        std::erase_if(all, [](const method& each) {
          return each.name == "fixed" || each.name == "warp_per_source" || each.name == "append" ||
                 each.name == "scanned";
        });
      if (only_.size() > 2) {
        std::erase_if(all, [&](const method& each) { return only_.find("," + each.name + ",") == std::string::npos; });
      }
      check_results(name, what, all, counts);
      for (method& each : all) {
        each.at_once = std::clamp(static_cast<int>(0.4 / timer_.milliseconds(each.run)), 1, 16);
      }
      for (int round = 0; round < rounds_; ++round) {
        for (method& each : all) {
          if (round > 0 && each.times[0] > 10'000) continue;
          each.times.push_back(1000 * timer_.milliseconds_of_each(each.at_once, each.run));
        }
      }
      list_counts asked = counts;
      asked.is_scanned = what == body::store;
      const double of_loop = median(all[0].times);
      const predict::list_advice advice = predict::advise_list(asked, card_, of_loop * 1e-6);
      double taken = 0, best = of_loop;
      for (const method& each : all) {
        if (each.name == predict::name_of(advice.method)) taken = median(each.times);
        best = std::min(best, median(each.times));
      }
      if (taken > 0) {
        over_best_.push_back(best / taken);
        (of_loop >= 30 ? over_long_ : over_short_).push_back(of_loop / taken);
      }
      json_object row, times;
      for (const method& each : all) times.add(each.name, median(each.times), 2);
      row.add("row", name)
          .add("body", names_of_bodies[static_cast<int>(what)])
          .add("sources", counts.sources)
          .add("spawning", counts.spawning)
          .add("items", counts.items)
          .add("turns", counts.turns)
          .add("longest", counts.longest)
          .add("probe_us", median(of_probe), 2)
          .add("us", times)
          .add("loop_us", of_loop, 2)
          .add("advised_us", taken, 2)
          .add("best_us", best, 2)
          .add("advised", predict::name_of(advice.method))
          .add("predicted_us", advice.seconds * 1e6, 2);
      json_.add(row);
      std::printf("%-28s %9u %-7s", name.c_str(), size, names_of_bodies[static_cast<int>(what)]);
      for (const method& each : all) std::printf(" %s %.1f", each.name.c_str(), median(each.times));
      std::printf(" advised %s\n", predict::name_of(advice.method));
    }
  }

 private:
  /// Ends the program if a method leaves something else than the loop.
  void check_results(const std::string& name, body what, const std::vector<method>& all, const list_counts& counts) {
    unsigned long long expected = 0;
    for (const method& each : all) {
      sum_.set_bytes(0);
      if (what == body::store) check(cudaMemset(out_.data(), 0, sizeof(item) * counts.items));
      if (what == body::add) bins_.set_bytes(0);
      each.run();
      check(cudaGetLastError());
      if (what == body::store) add_up<<<1024, 256>>>(out_.data(), counts.items, sum_.data());
      if (what == body::add) add_up<<<1024, 256>>>(bins_.data(), of_bins, sum_.data());
      const unsigned long long found = sum_.first();
      if (&each == &all[0]) expected = found;
      if (found == expected) continue;
      std::fprintf(stderr, "bench_lists: %s, %u sources: %s leaves something else\n", name.c_str(),
                   static_cast<unsigned>(counts.sources), each.name.c_str());
      std::exit(1);
    }
  }

  static constexpr unsigned most_sources = 1u << 24;
  static constexpr unsigned long long most_items = 300ull << 20;
  static predict::device card() {
    const auto found = current_device();
    check(found.error);
    return found.value;
  }

  int rounds_;
  bool even_;
  std::string only_;
  predict::device card_ = card();
  std::vector<double> over_best_, over_long_, over_short_;
  json_file json_;
  event_timer timer_;
  device_array<unsigned> n_{most_sources}, begin_{most_sources}, bins_{of_bins};
  device_array<item> out_{most_items}, table_{of_table};
  device_array<char> state_{8ull * most_items}, dealt_state_{warp_dealt::state_bytes(most_items / 65)},
      scratch_{16u << 20};
  device_array<list_counts> counts_{1};
  device_array<unsigned long long> sum_{1};
};

}  // namespace

int main(int count, char** arguments) {
  options chosen;
  parse_options(count, arguments,
                "Twenty distributions of counts, four sizes, three bodies: by each method, and as advise_list says.\n",
                {{"--rounds", "R", "turns of each method; the median counts", number(chosen.rounds, 1, 1000)},
                 {"--even", "", "sources of 0 to 16 items each instead", flag(chosen.even)},
                 {"--only", "NAMES", "methods with these names, separated by commas", text(chosen.only)},
                 {"--json", "FILE", "write figures there", file(chosen.json)}});
  if (!has_gpu(program_invocation_short_name)) return skipped;
  bench all(chosen);
  all.begin(chosen.even ? "even" : "rows");
  if (chosen.even) {
    for (unsigned log = 14; log <= 20; ++log) {
      for (unsigned each = 0; each <= 16; ++each) {
        all.measure(std::to_string(each) + " each", 1u << log,
                    [&](unsigned* n) { fill_even<<<blocks_for(1u << log, 256), 256>>>(n, 1u << log, each); });
      }
    }
  } else {
    for (const unsigned log : {14u, 18u, 21u, 24u}) {
      for (unsigned kind = 0; kind < draw::kinds; ++kind) {
        const draw of{kind, 1u << log};
        all.measure(draw::name(kind), of.sources,
                    [&](unsigned* n) { fill<<<blocks_for(of.sources, 256), 256>>>(n, of); });
      }
    }
  }
  all.end();
  all.finish();
  all.sum_up();
}
