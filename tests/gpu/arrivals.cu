// A gate on the GPU: every tile reads what this turn delivered, in any order of the pieces and however late they come;
// turns one after the other, replays of a graph, a piece that never comes, and a reader that never reads.

#include <heddle/schedule/arrival_gate.hpp>
#include <heddle/schedule/strided.hpp>

#include "schedule.hpp"

using namespace heddle_test;

namespace {

constexpr int rows = 1000, row_words = 64, words = rows * row_words, rows_of_tile = 7;

__global__ void begin_turn(arrival_gate gate) {
  gate.begin_turn();
}

__global__ void end_turn(arrival_gate gate, arrival_gate sender, int reader) {
  gate.end_turn(sender, reader);
}

template <class Scheduler>
__global__ void copy_rows(Scheduler scheduler, arrival_gate gate, const unsigned* in, unsigned* out) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto tile : scheduler.tiles(smem)) {
    gate.wait(tile);  // in all threads that read the input
    const int begin = tile.row * rows_of_tile * row_words, end = min(begin + rows_of_tile * row_words, words);
    for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(blockDim.x)) {
      out[i] = __ldcg(in + i);
    }
  }
}

/// A GPU that sends to itself: what a turn delivers differs from what the turn before delivered.
struct sender_and_reader {
  const arrival_gate::input of{rows, 130};
  device_array<unsigned> source{from_one()}, input{words, 0}, output{words, 0};
  device_array<char> memory{arrival_gate::state_bytes(), 0};
  arrival_gate gate;
  const stream work, copies;
  cudaEvent_t begun = nullptr, sent = nullptr;

  explicit sender_and_reader(long long limit)
      : gate(arrival_gate(of, 1, limit, memory.data()).for_tiles(rows_of_tile)) {
    for (cudaEvent_t* event : {&begun, &sent}) check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  ~sender_and_reader() {
    check(cudaDeviceSynchronize());
    for (cudaEvent_t event : {begun, sent}) check(cudaEventDestroy(event));
  }

  static std::vector<unsigned> from_one() {
    std::vector<unsigned> values(words);
    std::iota(values.begin(), values.end(), 1u);
    return values;
  }

  /// Enqueues a turn that delivers pieces in an order, each after a delay. `is_read` says whether the sender is told.
  void enqueue(const std::vector<int>& pieces, long long delay, bool is_read = true) {
    begin_turn<<<1, 32, 0, work>>>(gate);
    check(cudaEventRecord(begun, work));
    check(cudaStreamWaitEvent(copies, begun));
    for (const int piece : pieces) {
      if (delay > 0) pass<<<1, 1, 0, copies>>>(delay);
      const int begin = piece * of.rows_of_piece * row_words;
      const auto bytes = static_cast<std::size_t>((std::min)(of.rows_of_piece * row_words, words - begin)) * 4;
      check(cudaMemcpyAsync(input.data() + begin, source.data() + begin, bytes, cudaMemcpyDeviceToDevice, copies));
      check(cudaMemcpyAsync(gate.arrived(piece), gate.turn(), 4, cudaMemcpyDeviceToDevice, copies));
    }
    check(cudaEventRecord(sent, copies));
    const strided scheduler{row_major{{(rows + rows_of_tile - 1) / rows_of_tile, 1}}};
    copy_rows<<<24, 128, 0, work>>>(scheduler, gate, input.data(), output.data());
    check(cudaStreamWaitEvent(work, sent));
    if (is_read) end_turn<<<1, 1, 0, work>>>(gate, gate, 0);
    check(cudaGetLastError());
  }

  std::vector<int> all_pieces() const {
    std::vector<int> all(static_cast<std::size_t>(gate.pieces()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  arrival_gate::report report() const {
    const auto [report, error] = gate.read(work);
    check(error);
    return report;
  }
};

/// Counts the words of the output that are not the source's, then changes the source and spoils the input.
__global__ void compare_and_change(unsigned* source, unsigned* input, const unsigned* output, unsigned* wrong) {
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) {
    if (output[i] != source[i]) atomicAdd(wrong, 1u);
    source[i] += 12345;
    input[i] = 0xdeadbeef;
  }
}

}  // namespace

GPU_TEST("Tiles at a gate read what this turn delivered, in any order of its pieces, in 300 turns", "[arrivals]") {
  sender_and_reader both(2'000'000'000);
  device_array<unsigned> wrong(1, 0);
  std::mt19937 random(7);
  std::vector<int> pieces = both.all_pieces();
  for (int turn = 0; turn < 300; ++turn) {
    std::shuffle(pieces.begin(), pieces.end(), random);
    both.enqueue(pieces, turn % 3 == 0 ? 0 : static_cast<long long>(random() % 20000));
    compare_and_change<<<1, 1024, 0, both.work>>>(both.source.data(), both.input.data(), both.output.data(),
                                                  wrong.data());
  }
  CHECK(both.report().late == 0);
  CHECK(wrong.read().front() == 0);
  CHECK(both.report().piece == -1);
  CHECK(both.report().reader == -1);
}

GPU_TEST("A graph of a turn can be replayed", "[arrivals]") {
  sender_and_reader both(2'000'000'000);
  device_array<unsigned> wrong(1, 0);
  const captured_graph graph(both.work, [&] {
    both.enqueue(both.all_pieces(), 3000);
    compare_and_change<<<1, 1024, 0, both.work>>>(both.source.data(), both.input.data(), both.output.data(),
                                                  wrong.data());
  });
  for (int turn = 0; turn < 50; ++turn) graph.replay(both.work);
  CHECK(both.report().late == 0);
  CHECK(wrong.read().front() == 0);
}

GPU_TEST("A piece that never comes ends the wait at the limit, and is named", "[arrivals]") {
  sender_and_reader both(20'000'000);
  std::vector<int> pieces = both.all_pieces();
  pieces.erase(pieces.begin() + 3);
  both.enqueue(pieces, 0);
  const auto report = both.report();
  CHECK(report.late > 0);
  CHECK(report.piece == 3);
  CHECK(report.reader == -1);
  const std::vector<unsigned> output = both.output.read();
  for (const int row : {0, 3 * 130 - 8, 4 * 130 + 7, rows - 1}) {
    CAPTURE(row);
    CHECK(output[static_cast<std::size_t>(row) * row_words] == static_cast<unsigned>(row * row_words + 1));
  }
}

GPU_TEST("A reader that never reads ends the wait of the next turn at the limit, and is named", "[arrivals]") {
  sender_and_reader both(20'000'000);
  both.enqueue(both.all_pieces(), 0, false);
  CHECK(both.report().late == 0);
  both.enqueue(both.all_pieces(), 0, false);
  const auto report = both.report();
  CHECK(report.late == 1);
  CHECK(report.piece == -1);
  CHECK(report.reader == 0);
}
