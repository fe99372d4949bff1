// The choice, by a card whose kernels take times that are known.

#include "choose/simulated.hpp"
#include "refusal.hpp"

using namespace heddle_test;
using heddle::candidate;

namespace {

/// The share by which one number is off another.
double off(double one, double other) {
  return std::abs(one / other - 1);
}

/// A question at random: predicted times that rise, and true times that differ from them.
struct question {
  std::vector<candidate<int>> candidates;
  std::vector<double> truth;

  question(std::mt19937_64& random, double error, double step) {
    const int count = 2 + static_cast<int>(random() % 7);
    double predicted = std::exp(std::uniform_real_distribution<>(std::log(2e-5), std::log(5e-3))(random));
    for (int i = 0; i < count; ++i) {
      candidates.push_back({i, predicted});
      truth.push_back(predicted * std::exp(std::normal_distribution<>(0, error)(random)));
      predicted *= 1 + std::uniform_real_distribution<>(0, step)(random);
    }
  }

  double best_of(int most) const {
    const auto end = truth.begin() + (std::min)(static_cast<std::ptrdiff_t>(truth.size()), std::ptrdiff_t{most});
    return *std::min_element(truth.begin(), end);
  }
};

simulated_card noisy(const std::vector<double>& truth, double spread, std::uint64_t seed) {
  return {.seconds = truth,
          .spread = spread,
          .outliers = 0.02,
          .drift = 0.03,
          .wave = 0.01,
          .random = std::mt19937_64(seed)};
}

auto chosen_on(simulated_card& card, const std::vector<candidate<int>>& candidates,
               const heddle::choose_options& options = {}) {
  const auto launch = [&](const int& which) { return card.run(which); };
  const auto found = heddle::choose(candidates, launch, card, options);
  REQUIRE(found.error == 0);
  REQUIRE(candidates[found.index].value == found.value);
  return found;
}

/// A clock that gives odd times to one candidate, or to all below 0.
struct odd_clock {
  std::vector<double> odd;  // of a candidate, in turn
  int which, launched = -1, turn = 0, bursts = 0;
  template <class Launch>
  heddle::timed_burst<int> burst(int launches, const Launch& launch) {
    for (int i = 0; i < launches; ++i) (void)launch();
    ++bursts;
    const bool is_odd = launched == which || which < 0;
    return {is_odd ? odd[static_cast<std::size_t>(turn++) % odd.size()] : 1e-3 * launches, 0};
  }
  void rest(double seconds) { CHECK(seconds >= 0); }
};

/// A clock that counts whole ticks, over launches that all take the same time.
struct coarse_clock {
  double tick, seconds;  // of a launch, in truth
  double now = 0, longest = 0;
  int launched = -1;
  std::vector<int> most = {1, 1};  // launches in a burst so far, per candidate
  template <class Launch>
  heddle::timed_burst<int> burst(int launches, const Launch& launch) {
    for (int i = 0; i < launches; ++i) (void)launch();
    int& most_of_it = most[static_cast<std::size_t>(launched)];
    CHECK(launches <= 10 * most_of_it);
    most_of_it = (std::max)(most_of_it, launches);
    const double passed = launches * seconds, before = std::floor(now / tick);
    longest = (std::max)(longest, passed);
    now += passed;
    return {(std::floor(now / tick) - before) * tick, 0};
  }
  void rest(double) {}
};

}  // namespace

TEST_CASE("The choice is the fastest candidate or within the noise of it, on cards that drift and stutter",
          "[choose]") {
  std::mt19937_64 random(1);
  for (const double spread : {0.0, 0.005, 0.01, 0.03}) {
    double regret = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      const question asked(random, 0.05, 0.1);
      simulated_card card = noisy(asked.truth, spread, random());
      const auto found = chosen_on(card, asked.candidates);
      const double over = asked.truth[found.index] / asked.best_of(4) - 1;
      CAPTURE(spread, trial, over, found.noise);
      // Twice what it says is noise: the choice and the best were measured each with an error.
      CHECK(over <= 2 * found.noise + spread / 4);
      regret += over / 1000;
    }
    CAPTURE(spread, regret);
    CHECK(regret < (spread < 0.02 ? 0.0005 : 0.002));
  }
}

TEST_CASE("Two fresh choices agree in 97 of 100 questions and differ by less than 1.5 % in the others", "[choose]") {
  std::mt19937_64 random(2);
  for (const double spread : {0.005, 0.01}) {
    constexpr int questions = 3000;
    int agreed = 0;
    for (int i = 0; i < questions; ++i) {
      const question asked(random, 0.04, 0.04);
      simulated_card one = noisy(asked.truth, spread, random()), other = noisy(asked.truth, spread, random());
      const auto first = chosen_on(one, asked.candidates), second = chosen_on(other, asked.candidates);
      agreed += first.index == second.index ? 1 : 0;
      CHECK(std::abs(std::log(asked.truth[first.index] / asked.truth[second.index])) < 0.015);
    }
    CAPTURE(spread, agreed);
    CHECK(agreed >= questions * 97 / 100);
  }
}

TEST_CASE("No choice is measured slower than the default, which is timed in every round", "[choose]") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const question asked(random, 0.02, 0.02);
    simulated_card card = noisy(asked.truth, trial % 2 == 0 ? 0.01 : 0.1, random());
    const auto found = chosen_on(card, asked.candidates);
    CHECK(found.timed.front().index == 0);
    CHECK(found.seconds <= found.timed.front().seconds);
    std::size_t longest = 0;
    for (const auto& each : found.timed) {
      longest = (std::max)(longest, each.bursts.size());
      if (each.index == found.index) CHECK(each.seconds == found.seconds);
    }
    CHECK(found.timed.front().bursts.size() == longest);
    // In truth it is faster than the default, or slower by less than what it says is noise.
    CHECK(asked.truth[found.index] <= asked.truth[0] * (1 + found.noise));
  }
}

TEST_CASE("Times have the ratio that they have in truth, though the card slows down by half meanwhile", "[choose]") {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const question asked(random, 0.2, 0.2);
    simulated_card card{.seconds = asked.truth, .spread = 0.001, .drift = 0.5, .random = std::mt19937_64(random())};
    const auto found = chosen_on(card, asked.candidates);
    for (const auto& each : found.timed) {
      const double ratio = each.seconds / found.timed.front().seconds;
      CHECK(off(ratio, asked.truth[each.index] / asked.truth[0]) < 0.02);
    }
  }
}

TEST_CASE("Among equal candidates the first that is predicted best is chosen, always the same", "[choose]") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    simulated_card card = noisy({1e-3, 1.002e-3, 0.999e-3, 1.001e-3}, 0.01, seed);
    CHECK(chosen_on(card, {{0, 4e-4}, {1, 3e-4}, {2, 1e-4}, {3, 2e-4}}).value == 2);
  }
  simulated_card card{.seconds = {1, 1, 1}};
  CHECK(chosen_on(card, {{0, 0}, {1, 0}, {2, 0}}).value == 0);  // nothing is predicted
}

TEST_CASE("A candidate that is faster by more than a tie is found wherever it stands", "[choose]") {
  for (int at = 0; at < 4; ++at) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      std::vector<double> truth{1e-3, 1e-3, 1e-3, 1e-3};
      truth[static_cast<std::size_t>(at)] = 0.98e-3;
      simulated_card card = noisy(truth, 0.01, seed);
      CHECK(chosen_on(card, {{0, 1e-3}, {1, 1.1e-3}, {2, 1.2e-3}, {3, 1.3e-3}}).value == at);
    }
  }
}

TEST_CASE("Only the few that are predicted best are launched, and one alone is not launched at all", "[choose]") {
  for (const int most : {2, 3, 5, 9}) {
    simulated_card card{.seconds = std::vector<double>(7, 1e-3)};
    std::set<int> launched;
    std::vector<candidate<int>> candidates;
    for (int i = 0; i < 7; ++i) candidates.push_back({i, 7.0 - i});
    const auto found = heddle::choose(candidates,
                                      [&](const int& which) {
                                        launched.insert(which);
                                        return card.run(which);
                                      },
                                      card, {.most = most});
    CHECK(launched.size() == static_cast<std::size_t>((std::min)(most, 7)));
    CHECK(*launched.begin() == (std::max)(7 - most, 0));
    CHECK(found.timed.size() == launched.size());
    CHECK(found.value == 6);
  }
  simulated_card card{.seconds = {1e-3, 1e-3}};
  const auto one = chosen_on(card, {{0, 2e-3}, {1, 1e-3}}, {.most = 1});
  CHECK((one.value == 1 && one.seconds == 1e-3 && one.timed.empty() && card.launches == 0));
  CHECK((chosen_on(card, {{0, 2e-3}}).value == 0 && card.launches == 0));
}

TEST_CASE("A clear choice is made early, a close one takes more rounds, and a budget ends both", "[choose]") {
  simulated_card clear = noisy({1e-3, 2e-3, 3e-3}, 0.005, 1);
  CHECK(chosen_on(clear, {{0, 1}, {1, 2}, {2, 3}}).timed.front().bursts.size() <= 8);
  simulated_card close = noisy({1e-3, 0.995e-3}, 0.01, 1);
  CHECK(chosen_on(close, {{0, 1}, {1, 2}}).timed.front().bursts.size() > 30);
  // One that is far behind leaves early; the others go on.
  simulated_card left = noisy({1e-3, 0.995e-3, 2e-3}, 0.01, 1);
  const auto found = chosen_on(left, {{0, 1}, {1, 2}, {2, 3}});
  CHECK((found.timed[2].bursts.size() <= 8 && found.timed[1].bursts.size() > 30));

  simulated_card slow = noisy({1, 0.9}, 0.01, 1);
  const auto few = chosen_on(slow, {{0, 1}, {1, 2}}, {.budget = 3});
  CHECK(few.timed.front().bursts.size() == 2);
  CHECK(few.noise > 0.005);  // two rounds are little, and it says so
}

TEST_CASE("Bursts are as long as asked, and the rest after each is as long as stated", "[choose]") {
  simulated_card card = noisy({1e-4, 1.1e-4}, 0.005, 1);
  const auto found = chosen_on(card, {{0, 1}, {1, 2}}, {.rest = 3, .burst = 0.01});
  double timed = 0;
  for (const auto& each : found.timed) {
    for (const double seconds : each.bursts) timed += seconds * std::floor(0.01 / each.bursts.front());
  }
  CHECK(off(card.rested, 3 * timed) < 0.1);
  simulated_card brisk = noisy({1e-4, 1.1e-4}, 0.005, 1);
  (void)chosen_on(brisk, {{0, 1}, {1, 2}});
  CHECK(brisk.rested == 0);
}

TEST_CASE("Bursts grow by steps while their time is below what is asked, so none is long where a clock is coarse",
          "[choose]") {
  for (const double tick : {1e-7, 1e-5, 1e-3, 0.016, 0.1}) {
    for (const double seconds : {1e-7, 1e-5, 1e-4, 1e-3, 5e-3, 0.05}) {
      for (const double burst : {0.0, 0.002, 0.01}) {
        coarse_clock clock{tick, seconds};
        const auto launch = [&](const int& which) {
          clock.launched = which;
          return 0;
        };
        const std::vector<candidate<int>> two{{0, 1}, {1, 2}};
        (void)heddle::choose(two, launch, clock, {.burst = burst});
        CAPTURE(tick, seconds, burst, clock.longest);
        CHECK(clock.longest <= (std::max)(seconds, 10 * (burst + tick)));
        if (burst == 0) CHECK(clock.longest == seconds);
        if (tick <= seconds) CHECK(clock.longest >= (std::min)(burst - seconds - tick, 1000 * seconds) * 0.99);
      }
    }
  }
}

TEST_CASE("A candidate that fails is left out and reported, and the next takes its place", "[choose]") {
  const std::vector<candidate<int>> candidates{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  simulated_card card{.seconds = {1e-3, 4e-3, 3e-3, 2e-3}, .errors = {7, 0, 8, 0}};
  const auto found = chosen_on(card, candidates, {.most = 2});
  CHECK(found.value == 3);
  REQUIRE((found.timed.size() == 2 && found.failed.size() == 2));
  CHECK((found.timed[0].index == 1 && found.timed[1].index == 3));
  CHECK((found.failed[0].index == 0 && found.failed[0].error == 7));
  CHECK((found.failed[1].index == 2 && found.failed[1].error == 8));

  simulated_card broken{.seconds = {1, 1, 1, 1}, .errors = {7, 8, 9, 10}};
  const auto none = heddle::choose(
      candidates, [&](const int& which) { return broken.run(which); }, broken);
  CHECK((none.error == 7 && none.failed.size() == 4 && none.timed.empty() && none.value == 0));
}

TEST_CASE("A candidate that fails in a round gives its place to the next, and the error is that of the best",
          "[choose]") {
  const std::vector<candidate<int>> candidates{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  for (int failing = 1; failing <= 4; ++failing) {
    simulated_card card{.seconds = {1e-3, 2e-3, 4e-3, 3e-3}};
    std::vector<int> launches(4);
    const auto launch = [&](const int& which) {
      const int error = which < failing && ++launches[static_cast<std::size_t>(which)] > 4 - which ? 10 + which : 0;
      return error != 0 ? error : card.run(which);
    };
    const auto found = heddle::choose(candidates, launch, card, {.most = 2});
    CAPTURE(failing);
    CHECK(found.failed.size() == static_cast<std::size_t>(failing));
    CHECK(found.timed.size() == static_cast<std::size_t>((std::min)(2, 4 - failing)));
    CHECK(found.error == (failing == 4 ? 10 : 0));
  }
}

TEST_CASE("A candidate that fails after any number of launches leaves the others in their order", "[choose]") {
  const std::vector<candidate<int>> three{{0, 1}, {1, 2}, {2, 3}};
  for (int failing = 0; failing < 3; ++failing) {
    for (int after = 0; after < 60; ++after) {
      simulated_card card = noisy({1e-3, 0.9e-3, 0.899e-3}, 0.01, 5);
      int left = after;
      const auto launch = [&](const int& which) {
        const int error = which == failing && left-- <= 0 ? 5 : 0;
        return error != 0 ? error : card.run(which);
      };
      const auto found = heddle::choose(three, launch, card);
      CAPTURE(failing, after);
      CHECK(found.error == 0);
      if (found.failed.empty()) continue;
      CHECK((found.failed.size() == 1 && found.failed[0].index == static_cast<std::size_t>(failing)));
      CHECK((found.timed.size() == 2 && found.value != failing));
      for (const auto& each : found.timed) {
        CHECK(each.index != found.failed[0].index);
        CHECK(each.bursts.size() == found.timed[0].bursts.size());
        CHECK(off(each.seconds, card.seconds[each.index]) < 0.05);
      }
    }
  }
}

TEST_CASE("Times stay finite on a clock that stands still", "[choose]") {
  simulated_card card{.seconds = {0, 0}};
  const auto found = chosen_on(card, {{0, 1}, {1, 2}});
  CHECK((found.value == 0 && std::isfinite(found.seconds) && std::isfinite(found.noise)));
}

TEST_CASE("A candidate whose time is not finite is left out, and every time of the answer is finite", "[choose]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> odds{{nan}, {infinity}, {-infinity}, {1e-3, 1e-3, 1e-3, nan},
                                              {-1},  {1e308, 0}};
  const std::vector<candidate<int>> three{{0, 1}, {1, 2}, {2, 3}};
  for (const auto& odd : odds) {
    for (int which = -1; which < 3; ++which) {
      odd_clock clock{odd, which};
      const auto launch = [&](const int& value) {
        clock.launched = value;
        return 0;
      };
      const auto found = heddle::choose(three, launch, clock, {.rest = 1});
      CAPTURE(odd[0], odd.size(), which);
      const bool are_finite = std::all_of(odd.begin(), odd.end(), [](double one) { return std::isfinite(one); });
      CHECK((std::isfinite(found.seconds) && std::isfinite(found.noise) && clock.bursts < 1000));
      CHECK(found.failed.size() == (are_finite ? 0u : which < 0 ? 3u : 1u));
      CHECK(found.timed.size() + found.failed.size() == 3);
      for (const auto& each : found.failed) CHECK((which < 0 || each.index == static_cast<std::size_t>(which)));
      if (!are_finite && which >= 0) CHECK(found.value != which);
    }
  }
}

TEST_CASE("Each candidate is launched twice alone before it is timed, and rests count for the budget", "[choose]") {
  const std::vector<candidate<int>> three{{0, 1}, {1, 2}, {2, 3}};
  std::vector<int> launched;
  simulated_card brisk{.seconds = {4e-3, 5e-3, 6e-3}};
  const auto found = heddle::choose(
      three,
      [&](const int& which) {
        launched.push_back(which);
        return brisk.run(which);
      },
      brisk);
  REQUIRE(launched.size() > 6);
  CHECK(std::vector<int>(launched.begin(), launched.begin() + 6) == std::vector<int>{0, 0, 1, 1, 2, 2});
  std::size_t bursts = 0;
  for (const auto& each : found.timed) bursts += each.bursts.size();
  CHECK(launched.size() == 6 + bursts);
  // Two rounds of two bursts of 0.1 s are 0.4 s, and 3.6 s with their rests.
  simulated_card slow = noisy({0.1, 0.1}, 0.01, 1);
  CHECK(chosen_on(slow, {{0, 1}, {1, 2}}, {.rest = 8, .budget = 3}).timed[0].bursts.size() == 2);
}

TEST_CASE("What cannot be right is refused by name", "[choose]") {
  simulated_card card{.seconds = {1, 1}};
  const auto refused = [&](const std::vector<candidate<int>>& candidates, const heddle::choose_options& options = {}) {
    return refusal([&] {
      (void)heddle::choose(
          candidates, [&](const int& which) { return card.run(which); }, card, options);
    });
  };
  const std::vector<candidate<int>> two{{0, 1}, {1, 2}};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused({}) == "heddle::choose: candidates is 0; it must be at least 1");
  CHECK(refused({{0, -1}}) == "heddle::choose: the prediction of a candidate is not finite and at least 0");
  CHECK(refused({{0, nan}}) == "heddle::choose: the prediction of a candidate is not finite and at least 0");
  CHECK(refused(two, {.most = 0}) == "heddle::choose_options: most is 0; it must be at least 1");
  CHECK(refused(two, {.rest = -1}) == "heddle::choose_options: rest is not from 0 to 1000");
  CHECK(refused(two, {.burst = nan}) == "heddle::choose_options: burst is not from 0 to 1000 seconds");
  CHECK(refused(two, {.tie = 2}) == "heddle::choose_options: tie is not from 0 to 1");
  CHECK(refused(two, {.budget = -1}) == "heddle::choose_options: budget is not from 0 to 1000000 seconds");
  CHECK(card.launches == 0);
}
