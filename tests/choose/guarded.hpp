#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle_test {

/// How times spread about their expectation, which every kind leaves as it is.
enum class noise { none, slight, two_modes, long_modes, outliers, heavy };

/// A key of a guard in a simulation: what launches of it take in truth, and when that changes.
struct simulated_key {
  std::vector<double> seconds;  // expected, of a launch of each candidate
  std::deque<int> recent = {};  // which ran in the last sixteen calls
  std::vector<double> drift;    // by which each grows per call, as a share
  int step_at = -1;             // the call before which one of them changes; -1: never
  bool of_the_running = true;   // it is the one that runs then, else another
  double step = 1;              // the factor

  // What happened.
  heddle::detail::guarded_key machine{1};
  int calls = 0;
  int stepped = -1;  // the candidate that changed
  bool ran = false;  // it ran then
  double sum = 0, of_first = 0, allowed = 0;
  double late = 0, best_late = 0;  // sums over the last half
  int found_at = -1;               // the call of which the changed one runs, or no longer runs
};

/// A history: calls of a few keys, whose times become known up to so many calls later.
struct simulated_history {
  std::vector<simulated_key> keys;
  noise kind = noise::none;
  double width = 0;
  int in_flight = 16;
  int syncs = 0;     // all times are known at every so many calls; 0: never
  double gaps = 0;   // share of calls that come after a pause, and take longer by half
  std::mt19937_64 random{1};
  std::function<void(simulated_key&, int, bool, double)> trace = {};
  double worst = -1e300;  // the most by which a sum was above the bound, in launches of number 0

  double uniform(double from, double to) { return std::uniform_real_distribution<>(from, to)(random); }

  double factor() {
    switch (kind) {
      case noise::none: return 1;
      case noise::slight: return std::max(0.5, 1 + std::normal_distribution<>(0, width)(random));
      case noise::two_modes: return uniform(0, 1) < 0.3 ? 1 + 0.7 * 2 * width : 1 - 0.3 * 2 * width;
      case noise::long_modes:
        if (uniform(0, 1) < 0.02) is_high_ = !is_high_;
        return (1 + (is_high_ ? width : -width)) * (1 + std::normal_distribution<>(0, 0.01)(random));
      case noise::outliers: return uniform(0, 1) < 0.03 ? 1 + width * 0.97 / 0.03 : 1 - width;
      case noise::heavy: return std::exp(std::normal_distribution<>(0, width)(random) - width * width / 2);
    }
    return 1;
  }

  void run(int calls_of_each) {
    struct known_later {
      simulated_key* key;
      heddle::detail::guarded_key::turn turn;
      double seconds;
      long long at;
    };
    std::deque<known_later> pending;
    long long now = 0;
    struct open_run {
      simulated_key* key = nullptr;
      double seconds = 0;
    } open;
    const simulated_key* last = nullptr;
    for (const long long all = static_cast<long long>(keys.size()) * calls_of_each; now < all; ++now) {
      simulated_key& key = keys[random() % keys.size()];
      while (!pending.empty() && (pending.front().at <= now || (syncs > 0 && now % syncs == 0))) {
        const auto& one = pending.front();
        one.key->machine.told(one.turn.which, one.turn.calls, one.seconds);
        pending.pop_front();
      }
      if (open.key != nullptr && open.key != &key) open.key->machine.cut(), open.key = nullptr;
      if (key.calls == key.step_at) {
        key.stepped = key.machine.running();
        if (!key.of_the_running) key.stepped = (key.stepped + 1) % key.machine.candidates();
        key.ran = std::find(key.recent.begin(), key.recent.end(), key.stepped) != key.recent.end();
        key.seconds[static_cast<std::size_t>(key.stepped)] *= key.step;
      }
      for (std::size_t i = 0; i < key.seconds.size(); ++i) key.seconds[i] *= 1 + key.drift[i];
      const auto turn = key.machine.next(last == &key);
      last = &key;
      const double expected = key.seconds[static_cast<std::size_t>(turn.which)];
      double taken = expected * factor();
      if (uniform(0, 1) < gaps) taken *= 1.5;
      if (turn.begins) open = {&key, 0};
      if (open.key != nullptr) open.seconds += taken;
      if (turn.ends) {
        const long long delay = 1 + static_cast<long long>(random() % static_cast<unsigned>(in_flight));
        const long long at = pending.empty() ? now + delay : std::max(pending.back().at, now + delay);
        pending.push_back({&key, turn, open.seconds, std::min(at, now + in_flight)});
        open.key = nullptr;
      }
      if (trace) trace(key, turn.which, turn.begins, taken);
      account(key, turn.which, expected, calls_of_each);
    }
  }

 private:
  void account(simulated_key& key, int which, double expected, int calls_of_each) {
    const double first = key.seconds[0];
    key.sum += expected, key.of_first += first;
    const double best = *std::min_element(key.seconds.begin(), key.seconds.end());
    if (key.calls >= calls_of_each / 2) key.late += expected, key.best_late += best;
    if (key.calls == 0) {
      for (const double each : key.seconds) key.allowed += 2 * each;
    }
    if (key.calls == key.step_at) {
      const double stepped = key.seconds[static_cast<std::size_t>(key.stepped)];
      double longest = 0;  // of those whose calls may be in flight
      for (const int each : key.recent) longest = std::max(longest, key.seconds[static_cast<std::size_t>(each)]);
      key.allowed += key.ran ? 32 * longest : 2 * stepped;
      if (key.stepped == 0 && key.step < 1) {
        // It is idle and found later, or runs in turn with others that are slower now.
        const double over = std::max(0.0, first / key.step / key.seconds[static_cast<std::size_t>(key.machine.running())] - 1);
        key.allowed += longest * (128 + 300 * static_cast<double>(key.seconds.size() - 1) * over);
      }
    }
    worst = std::max(worst, (key.sum - 1.01 * key.of_first - key.allowed) / first);
    key.recent.push_back(which);
    if (key.recent.size() > 16) key.recent.pop_front();
    ++key.calls;
  }

  bool is_high_ = false;
};

/// Returns a history at random: candidates up to fifty times slower and faster, or all close.
inline simulated_history random_history(std::uint64_t seed, int most_keys = 3) {
  simulated_history made;
  made.random.seed(seed);
  auto& random = made.random;
  made.kind = static_cast<noise>(random() % 6);
  made.width = made.kind == noise::outliers ? made.uniform(0.01, 0.1)
               : made.kind == noise::heavy  ? made.uniform(0.1, 0.4)
                                            : made.uniform(0, 0.1);
  made.in_flight = 1 + static_cast<int>(random() % 16);
  made.syncs = random() % 3 == 0 ? 16 : 0;
  made.gaps = random() % 4 == 0 ? 0.02 : 0;
  const int keys = 1 + static_cast<int>(random() % static_cast<unsigned>(most_keys));
  for (int k = 0; k < keys; ++k) {
    simulated_key key;
    const int candidates = 2 + static_cast<int>(random() % 4);
    const double first = std::exp(made.uniform(std::log(3e-6), std::log(1e-2)));
    const double far = random() % 3 == 0 ? 0.15 : random() % 2 == 0 ? 1 : std::log(50);
    for (int i = 0; i < candidates; ++i) {
      key.seconds.push_back(i == 0 ? first : first * std::exp(made.uniform(-far, far)));
      key.drift.push_back(random() % 4 == 0 ? made.uniform(-2e-5, 2e-5) : 0);
    }
    if (random() % 3 == 0) {
      key.step_at = 1 + static_cast<int>(random() % 900);
      key.of_the_running = random() % 2 == 0;
      key.step = std::exp(made.uniform(-std::log(50), std::log(50)));
    }
    key.machine = heddle::detail::guarded_key(candidates);
    made.keys.push_back(key);
  }
  return made;
}

}  // namespace heddle_test
