// Advice under the worst input that it takes, against full replays and for any description of a card.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <heddle/order.hpp>
#include <heddle/predict.hpp>

#include "../test.hpp"
#include "by_table.hpp"
#include "naive.hpp"
#include "order/groups_on_host.hpp"
#include "refusal.hpp"
#include "stencil.hpp"

namespace {

using namespace heddle;
using namespace heddle::predict;
using namespace heddle_test;

/// Checks bytes against a full replay of an order by the problem's exact replay.
template <class Order, class Problem>
void check_bytes(long long bytes, const Order& order, const Problem& problem, const device& chip, int blocks) {
  const wave_traffic total = traffic(order, problem, chip, blocks).total;
  const auto moved = static_cast<double>(total.dram_bytes + total.written_bytes);
  CAPTURE(bytes, moved);
  CHECK(std::abs(static_cast<double>(bytes) - moved) <= 0.04 * moved);
}

void check_batch(const batched_problem& p, const device& chip, int blocks) {
  const advice a = advise(p, chip, blocks);
  CAPTURE(p.plane.m, p.plane.n, p.plane.k, p.count, p.planes_per_a, p.planes_per_b, chip.multiprocessors, chip.l2_bytes,
          blocks, to_string(a), a.replayed);
  by_table(a, p.plane.grid(), [&](const auto& order) {
    check_bytes(a.predicted_bytes, batched{order, p.count, a.interleave}, p, chip, blocks);
  });
  check_bytes(a.plain_bytes, batched{row_major{p.plane.grid()}, p.count}, p, chip, blocks);
}

/// A number of any size up to `most`, and one of the ends now and then.
int any_size(dice& roll, int least, int most) {
  const int end = roll(0, 9);
  if (end < 2) return end == 0 ? least : most;
  return roll.of_any_size(least, most);
}

/// A card of which each member is anything that its check allows.
device any_card(dice& roll) {
  device chip{.name = "any", .multiprocessors = 1, .l2_bytes = 0};
  const bool is_sane = roll(0, 1) == 0;  // but for some members
  if (is_sane) chip = h200();
  detail::for_each_member(chip, [&](const char*, auto& member, detail::limits allowed) {
    if constexpr (requires { member + 1; }) {
      if (is_sane && roll(0, 3) > 0) return;
      using number = std::remove_reference_t<decltype(member)>;
      const double least = allowed.is_rate ? 1 : allowed.least;
      const double most = std::min(allowed.most, static_cast<double>(std::numeric_limits<number>::max()));
      const double size = std::pow(most / std::max(least, 1e-300), roll(0, 1000) / 1000.0) * std::max(least, 1e-300);
      const double values[] = {allowed.least, least, most, size, size, size};
      const double value = values[roll(0, 5)];
      member = value >= static_cast<double>(std::numeric_limits<number>::max()) ? std::numeric_limits<number>::max()
                                                                                : static_cast<number>(value);
    }
  });
  chip.check();
  return chip;
}

/// Checks that an answer is of numbers.
void check_numbers(const advice& a) {
  CAPTURE(a.reason);
  for (const double number : {a.replayed, a.idle_share, a.plain_idle_share, a.predicted_seconds, a.plain_seconds}) {
    CHECK((std::isfinite(number) && number >= 0));
  }
  CHECK((a.predicted_seconds > 0) == (a.plain_seconds > 0));
  CHECK((a.predicted_bytes >= 0 && a.plain_bytes >= 0));
  CHECK(a.reason.find("nan") == std::string::npos);
  CHECK(a.reason.find("inf ") == std::string::npos);
}

}  // namespace

TEST_CASE("The bytes of a batch's advice are within 4 % of a full replay, however planes share", "[predict]") {
  const auto batch = [](const gemm_problem& plane, int count, int planes_per_a, int planes_per_b) {
    return batched_problem{.plane = plane, .count = count, .planes_per_a = planes_per_a, .planes_per_b = planes_per_b};
  };
  // Planes of which the first ones are no measure of all.
  device small = h200();
  small.multiprocessors = 52, small.l2_bytes = 1'547'488, small.l2_copies = 1;
  check_batch(batch({.m = 6046, .n = 4299, .k = 347, .tile_m = 64, .tile_n = 128}, 48, 15, 1), small, 2);
  check_batch(batch({.m = 3167, .n = 2314, .k = 7767, .tile_m = 64, .tile_n = 64}, 97, 6, 56), h200(), 1);

  dice roll;
  for (int i = 0; i < 12; ++i) {
    batched_problem p = batch({.m = any_size(roll, 16, 8192),
                               .n = any_size(roll, 16, 8192),
                               .k = any_size(roll, 64, 8192),
                               .tile_m = 64 * roll(1, 2),
                               .tile_n = 64 << roll(0, 2)},
                              any_size(roll, 1, 20'000), roll(0, 2) > 0 ? 1 : any_size(roll, 1, 300),
                              roll(0, 1) > 0 ? 1 : any_size(roll, 1, 20'000));
    while (1LL * p.plane.grid().size() * p.count > 60'000) p.count = std::max(1, p.count / 2);
    device chip = h200();
    if (roll(0, 2) == 0) chip.multiprocessors = roll(8, 200), chip.l2_bytes = any_size(roll, 1 << 20, 100 << 20);
    check_batch(p, chip, roll(1, 2));
  }
}

TEST_CASE("The advice for many groups knows of the one that is heavy, whichever it is", "[predict]") {
  constexpr int groups = (1 << 18) + 1;
  std::vector<double> seconds;
  for (const int heavy : {0, 12'345, groups - 1}) {
    grouped_problem p{.rows = std::vector<int>(groups), .n = 128, .k = 1024, .step_rows = 16};
    for (int group = 0; group < groups; ++group) p.rows[static_cast<unsigned>(group)] = 1 + group % 7;
    p.rows[static_cast<unsigned>(heavy)] = 128 * groups;
    const advice a = advise(p, h200());
    CAPTURE(heavy, to_string(a), a.replayed, a.predicted_seconds);
    const groups_on_host on_host{p.shape(), p.ends(), a.width, a.axis, a.sequence};
    check_bytes(a.predicted_bytes, on_host.order(), p, h200(), 1);
    seconds.push_back(a.predicted_seconds);
  }
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  CHECK(*most < 1.02 * *least);

  dice roll;
  for (int i = 0; i < 12; ++i) {
    grouped_problem p{.rows = std::vector<int>(static_cast<unsigned>(any_size(roll, 1, 100'000))),
                      .n = any_size(roll, 16, 8192),
                      .k = any_size(roll, 64, 4096),
                      .step_rows = 16};
    const int usual = any_size(roll, 1, 1000);
    for (int& of_group : p.rows) of_group = roll(0, usual);
    for (int heavy = roll(0, 3); heavy > 0; --heavy) {
      p.rows[static_cast<unsigned>(roll(0, static_cast<int>(p.rows.size()) - 1))] = any_size(roll, 100, 10'000'000);
    }
    while (p.space().size() > 100'000)
      for (int& of_group : p.rows) of_group /= 2;
    const advice a = advise(p, h200());
    CAPTURE(i, p.rows.size(), p.n, p.k, usual, to_string(a), a.replayed);
    const groups_on_host on_host{p.shape(), p.ends(), a.width, a.axis, a.sequence};
    check_bytes(a.predicted_bytes, on_host.order(), p, h200(), 1);
  }
}

TEST_CASE("Whatever description passes its check, an advice is of numbers", "[predict]") {
  dice roll;
  for (int i = 0; i < 500; ++i) {
    const device chip = any_card(roll);
    const int blocks = any_size(roll, 1, 64);
    CAPTURE(i, detail::text_of(chip), blocks);
    const auto size = [&] { return any_size(roll, 1, 3000); };
    const double rate = roll(0, 1) == 0 ? 0 : std::pow(10, roll(0, 17));
    const gemm_problem product{.m = size(), .n = size(), .k = size(), .operations_per_second = rate};
    check_numbers(advise(product, chip, blocks));
    check_numbers(advise(stencil_problem(stencil{.image = {size(), size()},
                                                 .bytes = 16,
                                                 .radius = {roll(0, 3), roll(0, 3)},
                                                 .step = roll(1, 40),
                                                 .instructions = roll(0, 999)}),
                         chip, blocks));
    check_numbers(
        advise(batched_problem{.plane = product, .count = roll(0, 50), .planes_per_b = roll(1, 50)}, chip, blocks));
    check_numbers(advise(grouped_problem{.rows = {size(), 0, size(), size()},
                                         .n = size(),
                                         .k = size(),
                                         .step_rows = 16,
                                         .operations_per_second = rate},
                         chip, blocks));
    check_numbers(
        advise(causal_problem{.queries = size(), .keys = size(), .heads = roll(0, 40), .key_heads = 1}, chip, blocks));
  }
}

TEST_CASE("A makespan and a replay of more workers than tiles are those of as many as there are tiles", "[predict]") {
  constexpr int endless_workers = std::numeric_limits<int>::max();
  const extent grid{3, 4};
  const auto cost = [](coord tile) { return 1.0 + tile.row; };
  for (const recipe by :
       {recipe{.schedule = recipe::one_shot}, recipe{.schedule = recipe::strided}, recipe{.schedule = recipe::chunked},
        recipe{.schedule = recipe::ticket}, recipe{.schedule = recipe::sm_affine, .run = 5},
        recipe{.schedule = recipe::work_stealing}, recipe{.schedule = recipe::cluster_launch}}) {
    for (const int together : {1, 3, endless_workers}) {
      CAPTURE(to_string(by), together);
      const makespan_report few = makespan(row_major{grid}, cost, {100, together}, by);
      const makespan_report many = makespan(row_major{grid}, cost, {endless_workers, together}, by);
      CHECK(many.workers == endless_workers);
      CHECK(many.end == few.end);
      CHECK(std::abs(many.idle_share() - (1 - many.work / many.end / endless_workers)) < 1e-12);
      for (unsigned i = 0; i < few.stretches.size(); ++i) {
        CHECK(many.stretches[i].worker == few.stretches[i].worker);
        CHECK(many.stretches[i].begin == few.stretches[i].begin);
      }
    }
    const gemm_problem product{.m = 384, .n = 512, .k = 64};
    const auto moved = [&](int blocks) {
      return traffic(row_major{product.grid()}, product, blocks, 1 << 20, by).waves;
    };
    CHECK(moved(endless_workers) == moved(12));
    const recipe endless_run{.schedule = by.schedule, .run = std::numeric_limits<int>::max()};
    const auto turns = traffic(row_major{product.grid()}, product, 3, 1 << 20, endless_run).waves.size();
    CHECK(turns == (by.schedule == recipe::sm_affine ? 12 : 4));  // one run has all tiles
  }
}

TEST_CASE("An advice refuses more multiprocessors or blocks than a replay has room for", "[predict]") {
  device large = h200();
  large.multiprocessors = 1 << 14;
  const gemm_problem product{.m = 8192, .n = 8192, .k = 8192};
  const grouped_problem groups{.rows = {100, 20'000'000}, .n = 8192, .k = 64, .step_rows = 16};
  CHECK(advise(product, large, 64).predicted_bytes > 0);
  CHECK(advise(groups, large, 64).predicted_seconds > 0);
  large.multiprocessors = 1'300'000'000;
  const std::string many = "heddle::predict::device: multiprocessors is 1300000000; it must be at most 16384";
  CHECK(refusal([&] { (void)advise(product, large); }) == many);
  CHECK(refusal([&] { (void)advise(groups, large); }) == many);
  CHECK(refusal([&] { (void)traffic(row_major{product.grid()}, product, large); }) == many);
  CHECK(refusal([&] { (void)advise(product, h200(), 65); }) ==
        "heddle::predict::advise: blocks_per_multiprocessor is 65; it must be at most 64");
  CHECK(refusal([&] { (void)traffic(row_major{product.grid()}, product, h200(), 65); }) ==
        "heddle::predict::traffic: blocks_per_multiprocessor is 65; it must be at most 64");
  const stencil_problem pass{.rows = 64, .cols = 64, .bytes_per_pixel = 4};
  CHECK(refusal([&] { (void)l1_traffic(row_major{pass.grid()}, pass, h200(), 65); }) ==
        "heddle::predict::l1_traffic: blocks_per_multiprocessor is 65; it must be at most 64");
}
