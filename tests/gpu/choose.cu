// The choice on a GPU: kernels of known lengths, streams, errors, and answers that are remembered.

#include <heddle/choose.hpp>

#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Runs for so many cycles of a multiprocessor.
__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}

/// Enqueues a spin of so many cycles. 0 is a launch that the runtime refuses.
cudaError_t spin_for(long long cycles, cudaStream_t on) {
  spin<<<1, cycles == 0 ? 4096 : 32, 0, on>>>(cycles);
  return cudaGetLastError();
}

const std::vector<candidate<long long>> spins{{300'000, 1e-4, "300"},
                                              {200'000, 2e-4, "200"},
                                              {100'000, 3e-4, "100"},
                                              {250'000, 4e-4, "250"},
                                              {50'000, 5e-4, "50"}};

/// Whether there is no GPU whose times mean something: under a tool that checks every access they mean nothing.
bool no_clock() {
  if (no_gpu()) return true;
  if (!kernels_overlap()) skip("a tool slows kernels down");
  return !kernels_overlap();
}

}  // namespace

TEST_CASE("choose finds the shortest of the kernels that are predicted best, on any stream", "[gpu][choose][clock]") {
  if (no_clock()) return;
  const heddle_test::stream of_its_own;
  for (const cudaStream_t stream : {cudaStream_t{nullptr}, cudaStream_t{of_its_own}, cudaStreamPerThread}) {
    int launches = 0, elsewhere = 0;
    const auto launch = [&](long long cycles, cudaStream_t on) {
      ++launches;
      elsewhere += on == stream ? 0 : 1;
      return spin_for(cycles, on);
    };
    const auto found = heddle::choose(spins, launch, stream);
    check(found.error);
    CHECK((found.value == 100'000 && found.index == 2 && elsewhere == 0));
    CHECK(found.seconds > 30e-6);  // 100 000 cycles at 3.3 GHz, which no card reaches
    CHECK(found.timed.size() == 4);
    for (const auto& each : found.timed) {
      CHECK(each.seconds / found.seconds > 0.8 * static_cast<double>(spins[each.index].value) / 100'000);
      CHECK(each.seconds / found.seconds < 1.2 * static_cast<double>(spins[each.index].value) / 100'000);
    }
    CHECK(cudaStreamQuery(stream) == cudaSuccess);  // it waited for all of it
    std::printf("%d launches, noise %.2f %%\n", launches, 100 * found.noise);
  }
  CHECK(heddle::choose(spins, spin_for, of_its_own, {.most = 5}).value == 50'000);
}

TEST_CASE("choose leaves out a launch that is refused, and returns the error if all are", "[gpu][choose]") {
  if (no_clock()) return;
  const heddle_test::stream stream;
  std::vector<candidate<long long>> candidates = spins;
  candidates[0].value = candidates[2].value = 0;
  const cudaError_t refusal = spin_for(0, stream);
  REQUIRE(refusal != cudaSuccess);
  const auto found = heddle::choose(candidates, spin_for, stream, {.most = 2});
  check(found.error);
  CHECK(found.value == 200'000);
  REQUIRE(found.failed.size() == 2);
  CHECK((found.failed[0].index == 0 && found.failed[0].error == refusal));
  CHECK((found.failed[1].index == 2 && found.timed.size() == 2));
  CHECK(cudaGetLastError() == cudaSuccess);

  const auto none = heddle::choose(std::vector<candidate<long long>>{{0, 1}, {0, 2}}, spin_for, stream);
  CHECK((none.error == refusal && none.failed.size() == 2));
  CHECK(cudaGetLastError() == cudaSuccess);
}

GPU_TEST("choose launches nothing on a stream that is being captured, and says so", "[choose]") {
  const heddle_test::stream stream;
  int launches = 0;
  const captured_graph graph(stream, [&] {
    const auto launch = [&](long long cycles, cudaStream_t on) {
      ++launches;
      return spin_for(cycles, on);
    };
    const auto found = heddle::choose(spins, launch, stream);
    CHECK((found.error == cudaErrorStreamCaptureUnsupported && launches == 0));
  });
  CHECK(graph.nodes() == 0);
}

TEST_CASE("A clock of events says how long a burst took", "[gpu][choose]") {
  if (no_clock()) return;
  const heddle_test::stream on;
  event_clock clock(on);
  check(clock.error());
  const auto [seconds, error] = clock.burst(10, [&] { return spin_for(100'000, on); });
  check(error);
  const auto longer = clock.burst(20, [&] { return spin_for(100'000, on); });
  check(longer.error);
  CHECK(longer.seconds / seconds > 1.7);
  CHECK(longer.seconds / seconds < 2.3);
}

TEST_CASE("A clock of graphs times launches that are shorter than their enqueueing", "[gpu][choose]") {
  if (no_clock()) return;
  const heddle_test::stream stream;
  for (const cudaStream_t on : {cudaStream_t{nullptr}, cudaStream_t{stream}}) {
    event_clock clock(on, true);
    check(clock.error());
    CHECK(clock.stream() != on);
    int launches = 0;
    const auto launch = [&](long long cycles) {
      ++launches;
      return spin_for(cycles, clock.stream());
    };
    const auto short_ones = clock.burst(200, [&] { return launch(1); });
    check(short_ones.error);
    CHECK(launches == 200);
    CHECK((short_ones.seconds > 0 && short_ones.seconds < 200 * 4e-6));
    const auto one = clock.burst(1, [&] { return launch(1'000'000); });
    check(one.error);
    CHECK((one.seconds > 300e-6 && cudaStreamQuery(on) == cudaSuccess));

    const cudaError_t refusal = clock.burst(3, [&] { return launch(0); }).error;
    CHECK(refusal != cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    check(clock.burst(3, [&] { return launch(1); }).error);  // nothing of the refused burst is left

    const auto found = heddle::choose(spins, launch, clock);
    check(found.error);
    CHECK(found.value == 100'000);
  }
}

TEST_CASE("A wisdom answers for this machine without a launch", "[gpu][choose]") {
  if (no_clock()) return;
  const heddle_test::stream stream;
  const auto [machine, error] = current_machine();
  check(error);
  std::printf("%s; driver %s; toolkit %s\n", machine.card.c_str(), machine.driver.c_str(), machine.toolkit.c_str());
  CHECK((!machine.card.empty() && !machine.driver.empty() && !machine.toolkit.empty()));
  CHECK(current_machine().value.card == machine.card);

  const std::string path = (std::filesystem::temp_directory_path() / "heddle_gpu_choose.json").string();
  std::filesystem::remove(path);
  const wisdom_key key{machine, "1", {"spin", 4}};
  wisdom known(path);
  CHECK(known.choose(key, spins, spin_for, stream).value == 100'000);
  CHECK(known.message() == "");
  wisdom again(path);
  int launches = 0;
  const auto found = again.choose(
      key, spins,
      [&](long long, cudaStream_t) {
        ++launches;
        return cudaErrorUnknown;
      },
      stream);
  CHECK((found.value == 100'000 && found.remembered && launches == 0 && found.error == cudaSuccess));
  for (const char* suffix : {"", ".lock"}) std::filesystem::remove(path + suffix);
}

TEST_CASE("Two fresh choices among kernels of nearly one length agree on this card", "[gpu][choose]") {
  if (no_clock()) return;
  const heddle_test::stream stream;
  // Lengths from 0 to 5 % apart, by a fixed rule: 20 questions, each asked twice.
  int agreed = 0;
  double furthest = 0;
  for (unsigned question = 0; question < 20; ++question) {
    std::vector<candidate<long long>> candidates;
    for (unsigned i = 0; i < 4; ++i) {
      const long long cycles = 100'000 + (question * 2477 + i * 1733 + question * i * 911) % 5000;
      candidates.push_back({cycles, 1e-4 * (1 + i)});
    }
    const auto one = heddle::choose(candidates, spin_for, stream), other = heddle::choose(candidates, spin_for, stream);
    check(one.error);
    check(other.error);
    agreed += one.index == other.index ? 1 : 0;
    const double apart = static_cast<double>(one.value) / static_cast<double>(other.value);
    furthest = std::max(furthest, std::max(apart, 1 / apart) - 1);
  }
  std::printf("%d of 20 agree, the others are at most %.2f %% apart\n", agreed, 100 * furthest);
  CHECK(agreed >= 18);
  CHECK(furthest <= 0.015);
}

GPU_TEST("A launch that throws under a clock leaves its stream as it was on the GPU", "[choose]") {
  for (const bool in_graphs : {false, true}) {
    CAPTURE(in_graphs);
    event_clock clock(nullptr, in_graphs);
    check(clock.error());
    int left = 2;
    const auto throws_then = [&] {
      if (--left == 0) throw std::runtime_error("a launch");
      return spin_for(1000, clock.stream());
    };
    CHECK_THROWS_WITH(clock.burst(4, throws_then), "a launch");
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    check(cudaStreamIsCapturing(clock.stream(), &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    left = -1;
    const auto burst = clock.burst(4, throws_then);
    check(burst.error);
    CHECK(burst.seconds > 0);
  }
}
