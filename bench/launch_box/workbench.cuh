#pragma once

#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cuda/std/functional>

#include "common/bench.hpp"
#include "keys.cuh"
#include "sweep.hpp"

// Verifies and times the sorts of one key type, in alternation with cub::DeviceMergeSort.

namespace sort_bench {

using heddle_bench::check;
using heddle_bench::device_array;
using heddle_bench::event_timer;

struct options {
  int keys = 1 << 24;
  int repetitions = 7;
  std::uint64_t seed = 0;
  std::string json;
};

/// cub::DeviceMergeSort in place, with its temporary storage.
template <class Key>
class cub_sort {
 public:
  explicit cub_sort(int most) : storage_(bytes(most)) {}

  cudaError_t operator()(Key* keys, int count) {
    std::size_t size = storage_.size();
    return cub::DeviceMergeSort::SortKeys(storage_.data(), size, keys, count, cuda::std::less<Key>{});
  }

 private:
  static std::size_t bytes(int most) {
    std::size_t size = 0;
    check(cub::DeviceMergeSort::SortKeys(nullptr, size, static_cast<Key*>(nullptr), most, cuda::std::less<Key>{}));
    return size;
  }

  device_array<unsigned char> storage_;
};

inline void show_progress(const char* what, std::size_t done, std::size_t all) {
  std::fprintf(stderr, "\r%s %zu/%zu …%s", what, done, all, done == all ? "\n" : "");
}

struct measurement {
  std::string name;
  int threads, values, min_blocks;  // 0 for cub, which has no box
  std::vector<double> milliseconds;

  double median() const {
    std::vector<double> sorted = milliseconds;
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};

struct study {
  const char* key;
  std::vector<measurement> boxes;
  measurement cub;

  const measurement& fixed() const {
    return *std::ranges::find_if(boxes,
                                 [](const auto& m) { return m.threads == 256 && m.values == 7 && m.min_blocks == 0; });
  }
};

template <class Key>
class workbench {
 public:
  workbench(const options& chosen, const std::vector<configuration<Key>>& configurations)
      : options_(chosen), configurations_(configurations), cub_(chosen.keys) {}

  /// Whether every configuration sorts as cub does: all keys, and small arrays that end at, before and after the edge
  /// of a tile. The whole array is compared, which also finds a write past the last key.
  bool verify(const char* what) {
    bool right = true;
    for (std::size_t i = 0; i < configurations_.size(); ++i) {
      show_progress(what, i, configurations_.size());
      const auto& one = configurations_[i];
      const long long tile = one.threads * one.values;
      std::set<int> counts{options_.keys};
      for (long long count : {0LL, 1LL, 2LL, tile - 1, tile, tile + 1, 2 * tile + 1, 3 * tile, 5 * tile - 1,
                              7 * tile + 3, 64 * tile + 1}) {
        if (count <= options_.keys) counts.insert(static_cast<int>(count));
      }
      for (int count : counts) right &= sorts_as_cub(one, count);
    }
    show_progress(what, configurations_.size(), configurations_.size());
    return right;
  }

  /// Measures every configuration once per repetition, so that clocks and temperature are the same for all.
  study measure(const char* what, const char* key) {
    study result{key, {}, {"cub::DeviceMergeSort", 0, 0, 0, {}}};
    for (const auto& one : configurations_) {
      result.boxes.push_back({one.name, one.threads, one.values, one.min_blocks, {}});
    }
    fill<<<fill_blocks, fill_threads>>>(unsorted_.data(), unsorted_.size(), options_.seed, content::random);
    check(cudaGetLastError());
    for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
      for (std::size_t i = 0; i < configurations_.size(); ++i) {
        keys_.copy_from(unsorted_);
        result.boxes[i].milliseconds.push_back(
            time_.milliseconds([&] { check(sort(configurations_[i], options_.keys)); }));
      }
      keys_.copy_from(unsorted_);
      result.cub.milliseconds.push_back(time_.milliseconds([&] { check(cub_(keys_.data(), options_.keys)); }));
      show_progress(what, repetition + 1, options_.repetitions);
    }
    return result;
  }

 private:
  /// Keys past the last one that is sorted: none of them may change.
  static constexpr std::size_t margin = 1 << 14;

  cudaError_t sort(const configuration<Key>& one, int count) {
    return one.sort(keys_.data(), scratch_.data(), partitions_.data(), count, nullptr);
  }

  bool sorts_as_cub(const configuration<Key>& one, int count) {
    bool right = true;
    for (content kind : {content::random, content::few_distinct, content::descending}) {
      const unsigned long long wrong = mismatches(one, count, kind);
      if (wrong == 0) continue;
      std::fprintf(stderr, "\nwrong: %s, %d %s keys of %zu bits: %llu are not where cub puts them\n", one.name.c_str(),
                   count, name_of(kind), 8 * sizeof(Key), wrong);
      right = false;
    }
    return right;
  }

  unsigned long long mismatches(const configuration<Key>& one, int count, content kind) {
    // Small sorts restore and compare a small part.
    const std::size_t length = count + margin;
    fill<<<fill_blocks, fill_threads>>>(unsorted_.data(), length, options_.seed, kind);
    for (Key* copy : {keys_.data(), expected_.data()}) {
      check(cudaMemcpyAsync(copy, unsorted_.data(), length * sizeof(Key), cudaMemcpyDeviceToDevice));
    }
    check(sort(one, count));
    check(cub_(expected_.data(), count));
    mismatches_.set_bytes(0);
    compare<<<fill_blocks, fill_threads>>>(static_cast<const Key*>(keys_.data()),
                                           static_cast<const Key*>(expected_.data()), length, mismatches_.data());
    check(cudaGetLastError());
    return mismatches_.first();
  }

  /// One int per tile, for the smallest tile.
  std::size_t partitions_needed() const {
    long long smallest = options_.keys;
    for (const auto& one : configurations_) smallest = std::min<long long>(smallest, one.threads * one.values);
    return options_.keys / smallest + 1;
  }

  const options& options_;
  const std::vector<configuration<Key>>& configurations_;
  cub_sort<Key> cub_;
  device_array<Key> unsorted_{options_.keys + margin};
  device_array<Key> keys_{options_.keys + margin};
  device_array<Key> scratch_{options_.keys + margin};
  device_array<Key> expected_{options_.keys + margin};
  device_array<int> partitions_{partitions_needed()};
  device_array<unsigned long long> mismatches_{1};
  event_timer time_;
};

}  // namespace sort_bench
