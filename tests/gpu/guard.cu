// The guard on a GPU: kernels of known lengths, events, capture, streams, threads, failures, and the end of it.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <heddle/choose.hpp>

#include "schedule.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Runs for so many nanoseconds.
__global__ void wait_for(long long nanoseconds) {
  const auto now = [] {
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  for (const long long begin = now(); now() - begin < nanoseconds;) continue;
}

/// Enqueues a kernel of so many nanoseconds. 0 is a launch that the runtime refuses.
cudaError_t wait_on(cudaStream_t on, long long nanoseconds) {
  wait_for<<<1, nanoseconds == 0 ? 4096 : 32, 0, on>>>(nanoseconds);
  return cudaGetLastError();
}

/// Calls a guard, and waits for the stream at every sixteenth call.
std::vector<int> run(guard& of, cudaStream_t on, std::uint64_t key, const std::vector<long long>& takes, int calls) {
  std::vector<int> launches(takes.size());
  for (int i = 0; i < calls; ++i) {
    check(of(on, key, [&](int which) {
      ++launches[static_cast<std::size_t>(which)];
      return wait_on(on, takes[static_cast<std::size_t>(which)]);
    }));
    if (i % 16 == 15) check(cudaStreamSynchronize(on));
  }
  return launches;
}

bool has_no_clock() {
  if (no_gpu()) return true;
  if (!kernels_overlap()) skip("a tool slows kernels down");
  return !kernels_overlap();
}

double microseconds_of(int calls, const auto& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls;
}

cudaError_t as_it_was(cudaStream_t stream, int size) {
  return wait_on(stream, 1000 * size);
}
cudaError_t another(cudaStream_t stream, int size) {
  return wait_on(stream, size < 100 ? 3000 * size : 300 * size);
}

}  // namespace

TEST_CASE("A guard takes what is faster for each key, and waits for nothing", "[gpu][choose][clock]") {
  if (has_no_clock()) return;
  const heddle_test::stream stream;
  heddle::guard guard{2};
  for (int call = 0; call < 1000; ++call) {
    for (const std::uint64_t size : {50, 200}) {
      check(guard(stream, /*key*/ size, [&](int which) {
        return which == 0 ? as_it_was(stream, static_cast<int>(size)) : another(stream, static_cast<int>(size));
      }));
    }
    if (call % 16 == 15) check(cudaStreamSynchronize(stream));
  }
  CHECK((guard.decision(50) == 0 && guard.decision(200) == 1));
  CHECK(!guard.decision(300));
  check(cudaStreamSynchronize(stream));
}

TEST_CASE("A guard's bound holds on this card, for lengths up and down", "[gpu][choose][clock]") {
  if (has_no_clock()) return;
  const heddle_test::stream stream;
  for (const long long first : {10'000, 100'000, 500'000}) {
    for (const double other : {0.3, 0.9, 1.1, 4.0}) {
      guard of{3};
      const std::vector<long long> takes{first, static_cast<long long>(other * static_cast<double>(first)), 20 * first};
      double sum = 0, late = 0;
      for (int part = 0; part < 2; ++part) {
        const std::vector<int> launches = run(of, stream, 1, takes, 500);
        late = 0;
        for (std::size_t i = 0; i < takes.size(); ++i) late += static_cast<double>(takes[i]) * launches[i];
        sum += late;
      }
      CAPTURE(first, other, sum, late);
      const double one = static_cast<double>(first);
      CHECK(sum <= 1.01 * 1000 * one + 2 * (1 + other + 20) * one);
      CHECK(late <= 1.02 * 500 * one * (std::min)(1.0, other) + 0.1 * one);
    }
  }
}

TEST_CASE("Without events a key is undecided, and number 0 runs: calls that never pass", "[gpu][choose]") {
  if (no_gpu()) return;
  const heddle_test::stream stream;
  check(wait_on(stream, 200'000'000));
  guard of{3};
  std::vector<int> launches(3);
  const double each = microseconds_of(200, [&] {
    check(of(stream, 1, [&](int which) { return ++launches[static_cast<std::size_t>(which)], cudaSuccess; }));
  });
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);  // nothing waited
  CHECK(launches == std::vector<int>{198, 1, 1});
  CHECK(each < 1000);
  check(cudaStreamSynchronize(stream));
}

TEST_CASE("Under capture a guard launches what is decided, else number 0, and times nothing", "[gpu][choose][clock]") {
  if (has_no_clock()) return;
  const heddle_test::stream stream, other;
  guard of{2};
  (void)run(of, stream, 1, {200'000, 50'000}, 300);
  REQUIRE(of.decision(1) == 1);
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    std::vector<int> launched;
    check(cudaStreamBeginCapture(stream, mode));
    for (const std::uint64_t key : {1, 2}) {
      check(of(stream, key, [&](int which) { return launched.push_back(which), wait_on(stream, 1000); }));
    }
    // Calls in another stream are timed meanwhile, and read events.
    for (int i = 0; i < 40; ++i) check(of(other, 3, [&](int) { return wait_on(other, 1000); }));
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    check(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 2);  // no events
    CHECK(launched == std::vector<int>{1, 0});
    check(cudaGraphDestroy(graph));
  }
  check(cudaDeviceSynchronize());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("A candidate that fails is dropped and its error returned once, and those of number 0 are passed on",
          "[gpu][choose]") {
  if (no_gpu()) return;
  const heddle_test::stream stream;
  const cudaError_t refusal = wait_on(stream, 0);
  REQUIRE(refusal != cudaSuccess);
  guard of{3};
  std::vector<cudaError_t> errors;
  std::vector<int> launches(3);
  for (int i = 0; i < 200; ++i) {
    const cudaError_t error = of(stream, i % 3, [&](int which) {
      ++launches[static_cast<std::size_t>(which)];
      return wait_on(stream, which == 1 ? 0 : 2000);
    });
    if (error != cudaSuccess) errors.push_back(error);
    if (i % 16 == 15) check(cudaStreamSynchronize(stream));
  }
  CHECK(errors == std::vector<cudaError_t>{refusal});
  CHECK(launches[1] == 1);
  for (int i = 0; i < 20; ++i) CHECK(of(stream, 9, [&](int) { return wait_on(stream, 0); }) == refusal);

  // An error that number 0 left unread is not the next one's: number 0 runs until it is read.
  wait_for<<<1, 4096, 0, stream>>>(0);
  for (int i = 0; i < 20; ++i)
    CHECK(of(stream, 8, [&](int which) { return which == 0 ? cudaSuccess : cudaErrorUnknown; }) == cudaSuccess);
  CHECK(cudaGetLastError() == refusal);
  check(cudaStreamSynchronize(stream));
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("Two streams and four threads share a guard", "[gpu][choose]") {
  if (no_gpu()) return;
  guard of{2};
  std::atomic<int> launched{0}, errors{0};
  {
    const heddle_test::stream streams[2];
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        const cudaStream_t on = streams[thread % 2];
        for (int i = 0; i < 500; ++i) {
          const cudaError_t error = of(on, thread % 3, [&](int which) {
            ++launched;
            return wait_on(on, which == 0 ? 20'000 : 5'000);
          });
          errors += error != cudaSuccess ? 1 : 0;
          if (i % 16 == 15) errors += cudaStreamSynchronize(on) != cudaSuccess ? 1 : 0;
        }
      });
    }
    for (std::thread& each : threads) each.join();
    check(cudaDeviceSynchronize());
  }
  CHECK((launched == 2000 && errors == 0));
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("A guard may go while events are pending, and a stream before it", "[gpu][choose]") {
  if (no_gpu()) return;
  const heddle_test::stream stream;
  {
    guard of{2};
    for (int i = 0; i < 30; ++i) check(of(stream, 1, [&](int) { return wait_on(stream, 1'000'000); }));
  }
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  check(cudaStreamSynchronize(stream));
  guard of{2};
  for (int round = 0; round < 3; ++round) {
    const heddle_test::stream brief;
    for (int i = 0; i < 30; ++i) check(of(brief, 1, [&](int) { return wait_on(brief, 1000); }));
  }
  check(cudaDeviceSynchronize());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("A wisdom keeps what a guard decided", "[gpu][choose][clock]") {
  if (has_no_clock()) return;
  const heddle_test::stream stream;
  const auto [machine, error] = current_machine();
  check(error);
  const std::string path = (std::filesystem::temp_directory_path() / "heddle_gpu_guard.json").string();
  std::filesystem::remove(path);
  const wisdom_key question{machine, "1", {"wait"}};
  wisdom known(path);
  {
    guard of{2, known, question};
    (void)run(of, stream, 1, {200'000, 50'000}, 200);
    (void)run(of, stream, 2, {50'000, 200'000}, 200);
    of.remember();
  }
  CHECK((known.size() == 2 && known.message() == ""));
  wisdom again(path);
  guard of{2, again, question};
  CHECK(run(of, stream, 1, {200'000, 50'000}, 50) == std::vector<int>{0, 50});
  CHECK(run(of, stream, 2, {50'000, 200'000}, 50) == std::vector<int>{50, 0});
  for (const char* suffix : {"", ".lock"}) std::filesystem::remove(path + suffix);
}

TEST_CASE("A guard costs the host 3 us undecided and 0.3 us decided, or what CUDA takes", "[gpu][choose][clock]") {
  if (has_no_clock()) return;
  const heddle_test::stream stream;
  const auto nothing = [](int) { return cudaSuccess; };
  cudaEvent_t events[24];
  for (cudaEvent_t& each : events) check(cudaEventCreate(&each));
  std::vector<double> undecided, of_timing, decided, medians, of_error, of_clock;
  for (int round = 0; round < 50; ++round) {
    guard of{3};
    check(of(stream, 1, nothing));
    undecided.push_back(microseconds_of(12, [&] { check(of(stream, 1, nothing)); }));
    check(cudaStreamSynchronize(stream));
    // What a timing takes by itself: two events, the time between them, and in one call of eight a look.
    int i = 0;
    of_timing.push_back(microseconds_of(24, [&] { check(cudaEventRecord(events[i++], stream)); }) * 2);
    check(cudaStreamSynchronize(stream));
    of_timing.back() += microseconds_of(12, [&] {
      float milliseconds = 0;
      i -= 2;
      if (i % 16 == 0) check(cudaEventQuery(events[i]));
      check(cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]));
    });
  }
  for (const cudaEvent_t each : events) check(cudaEventDestroy(each));
  guard of{2};
  (void)run(of, stream, 1, {200'000, 50'000}, 200);
  REQUIRE(of.decision(1) == 1);
  const auto at = [](std::vector<double>& of, double share) {
    std::sort(of.begin(), of.end());
    return of[static_cast<std::size_t>(share * static_cast<double>(of.size()))];
  };
  check(wait_on(stream, 20'000'000));  // what is timed is not known meanwhile, and the key stays decided
  for (int round = 0; round < 10; ++round) {
    std::vector<double> of_round;
    for (int call = 0; call < 12; ++call) {
      of_round.push_back(microseconds_of(1, [&] { check(of(stream, 1, nothing)); }));
      of_error.push_back(microseconds_of(1, [] { (void)cudaPeekAtLastError(); }));
      of_clock.push_back(microseconds_of(1, [] {}));
    }
    decided.insert(decided.end(), of_round.begin(), of_round.end());
    medians.push_back(at(of_round, 0.5));
  }
  CHECK(of.decision(1) == 1);
  check(cudaStreamSynchronize(stream));
  const double clock = at(of_clock, 0.5), error = at(of_error, 0.5) - clock, timing = at(of_timing, 0.5);
  const double first = at(undecided, 0.5),
               later = at(medians, 0) - clock;     // of the quietest round: others compute, too
  const double timed = at(decided, 0.97) - clock;  // one call in twelve
  std::printf("%.2f us undecided, %.2f by CUDA; %.2f us decided, %.2f by CUDA, %.2f of a call that is timed\n", first,
              timing, later, error, timed);
  CHECK(first <= (std::max)(3.0, timing));  // not every call is timed
  CHECK(later <= (std::max)(0.3, error + 0.2));
  CHECK(timed <= (std::max)(8.0, 3 * timing));
}
