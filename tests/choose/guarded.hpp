#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle_test {

/// How times spread about their expectation, which each kind leaves as it is: by up to 10 %, or more.
enum class noise { none, slight, two_modes, long_modes, outliers, heavy };

constexpr int guarded_stride = heddle::detail::guarded_key::stride;

/// A key of a guard in a simulation: what launches of its candidates take in truth, and what happened.
struct simulated_key {
  std::vector<double> seconds;  // expected, of a launch of each candidate
  std::vector<double> drift;    // by which each grows per call, as a share
  int step_at = -1;             // the call before which one of them changes; -1: never
  bool of_the_running = true;   // it is the one that runs then, else the next
  double step = 1;              // the factor

  heddle::detail::guarded_key machine{1};
  int calls = 0, stepped = -1;
  std::map<int, long long> last_calls = {};   // of each candidate
  std::deque<int> recent = {};                // which ran in the last 32 calls
  double sum = 0, of_first = 0, allowed = 0;  // expected seconds: of all calls, of number 0 in their place, and beyond
  double late = 0, best_late = 0;             // of the second half of all calls, and of the best candidates in them
};

/// A history: calls of a few keys in turn, whose times become known up to so many calls later.
struct simulated_history {
  std::vector<simulated_key> keys;
  noise kind = noise::none;
  double width = 0;  // of the noise
  int in_flight = 16;
  int syncs = 0;    // all times are known at every so many calls; 0: never
  double gaps = 0;  // share of calls that come after a pause, and take longer by half
  std::mt19937_64 random{1};
  int crowded = 0;  // launches of a candidate beside its first after a while, before the time of that is known
  double worst = -std::numeric_limits<double>::infinity();  // the most by which a key was above the bound, in launches

  double uniform(double from, double to) { return std::uniform_real_distribution<>(from, to)(random); }

  /// Returns by what the next time differs from its expectation.
  double factor() {
    switch (kind) {
      case noise::none:
        return 1;
      case noise::slight:
        return (std::max)(0.5, 1 + std::normal_distribution<>(0, width)(random));
      case noise::two_modes:
        return uniform(0, 1) < 0.3 ? 1 + 1.4 * width : 1 - 0.6 * width;
      case noise::long_modes:
        if (uniform(0, 1) < 0.02) is_high_ = !is_high_;
        return (1 + (is_high_ ? width : -width)) * (1 + std::normal_distribution<>(0, 0.01)(random));
      case noise::outliers:
        return uniform(0, 1) < 0.03 ? 1 + width * 0.97 / 0.03 : 1 - width;
      case noise::heavy:
        return std::exp(std::normal_distribution<>(0, width)(random) - width * width / 2);
    }
    return 1;
  }

  void run(int calls_of_each) {
    struct in_flight_time {
      simulated_key* key;
      heddle::detail::guarded_key::turn turn;
      double seconds;
      long long known_at;
      bool is_first;  // of its candidate for a while
    };
    std::deque<in_flight_time> pending;
    for (long long now = 0, all = static_cast<long long>(keys.size()) * calls_of_each; now < all; ++now) {
      simulated_key& key = keys[random() % keys.size()];
      while (!pending.empty() && (pending.front().known_at <= now || (syncs > 0 && now % syncs == 0))) {
        const in_flight_time& one = pending.front();
        one.key->machine.told(one.turn.which, one.seconds);
        pending.pop_front();
      }
      change(key);
      const bool was_decided = key.machine.is_settled();
      const auto turn = key.machine.next();
      long long& last_call = key.last_calls.try_emplace(turn.which, -guarded_stride).first->second;
      const bool is_idle = turn.which != 0 && !(was_decided && turn.which == key.machine.running());
      const bool is_first = is_idle && turn.is_timed && key.calls - last_call >= guarded_stride;
      last_call = key.calls;
      for (const in_flight_time& one : pending) {
        if (is_idle && one.is_first && one.key == &key && one.turn.which == turn.which) ++crowded;
      }
      const double expected = key.seconds[static_cast<std::size_t>(turn.which)];
      const double taken = expected * factor() * (uniform(0, 1) < gaps ? 1.5 : 1);
      if (turn.is_timed) {
        const long long delay = 1 + static_cast<long long>(random() % static_cast<unsigned>(in_flight));
        const long long after_last = pending.empty() ? 0 : pending.back().known_at;
        pending.push_back({&key, turn, taken, (std::max)(now + delay, after_last), is_first});
      }
      account(key, turn.which, expected, calls_of_each);
    }
  }

 private:
  void change(simulated_key& key) {
    for (std::size_t i = 0; i < key.seconds.size(); ++i) key.seconds[i] *= 1 + key.drift[i];
    if (key.calls != key.step_at) return;
    key.stepped = (key.machine.running() + (key.of_the_running ? 0 : 1)) % key.machine.candidates();
    double& stepped = key.seconds[static_cast<std::size_t>(key.stepped)];
    stepped *= key.step;
    double longest = 0;  // of those whose calls may be in flight
    for (const int each : key.recent) longest = (std::max)(longest, key.seconds[static_cast<std::size_t>(each)]);
    const bool ran = std::find(key.recent.begin(), key.recent.end(), key.stepped) != key.recent.end();
    key.allowed += ran ? 32 * longest : 2 * stepped;
    if (key.stepped == 0 && key.step < 1) {
      // What it was compared with is slower now, and runs until number 0 is tried again.
      const double running = key.seconds[static_cast<std::size_t>(key.machine.running())];
      const double over = (std::max)(0.0, stepped / key.step / running - 1);
      key.allowed += longest * (128 + 300 * static_cast<double>(key.seconds.size() - 1) * over);
    }
  }

  void account(simulated_key& key, int which, double expected, int calls_of_each) {
    if (key.calls == 0) {
      for (const double each : key.seconds) key.allowed += 2 * each;
    }
    const double first = key.seconds[0];
    key.sum += expected, key.of_first += first;
    worst = (std::max)(worst, (key.sum - 1.01 * key.of_first - key.allowed) / first);
    if (key.calls >= calls_of_each / 2) {
      key.late += expected, key.best_late += *std::min_element(key.seconds.begin(), key.seconds.end());
    }
    key.recent.push_back(which);
    if (key.recent.size() > 32) key.recent.pop_front();
    ++key.calls;
  }

  bool is_high_ = false;
};

/// Returns a history at random: candidates up to fifty times slower and faster, or close, and a step in every third
/// key.
inline simulated_history random_history(std::uint64_t seed) {
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
  for (std::uint64_t keys = 1 + random() % 3; keys > 0; --keys) {
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
