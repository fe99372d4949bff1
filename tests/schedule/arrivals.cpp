// Runs arrival_gate on the host, by the code that kernels use: several GPUs that send each other pieces, each a block
// whose first warp is the stream of kernels and whose second warp is the stream of copies.

#include "simt.hpp"

#include <heddle/schedule/arrival_gate.hpp>

#include "test.hpp"
#include "zeroed.hpp"

using namespace heddle;
using heddle_test::drawn;

namespace {

constexpr long long for_ever = 1ll << 50;  // ns

/// The words of a state, as a sender or a debugger finds them.
struct words {
  unsigned turn, late, first_late, unused, flags[arrival_gate::most_flags];
};
static_assert(sizeof(words) == arrival_gate::state_bytes());

/// One GPU of several. Each makes `own` pieces of the input and sends them to all others.
struct device {
  words state{};
  std::vector<unsigned> rows;  // the input: what each row holds

  device(int rows_of_input, unsigned turns_before) : rows(static_cast<std::size_t>(rows_of_input)) {
    state.turn = turns_before;
    std::fill(std::begin(state.flags), std::end(state.flags), turns_before);
  }
};

struct team {
  int gpus, own, rows_of_piece, rows_of_tile;
  std::vector<device> all;
  unsigned before;  // turns before the first one here

  team(int gpus_, int own_, int rows_of_piece_, int rows_of_tile_, unsigned before_)
      : gpus(gpus_), own(own_), rows_of_piece(rows_of_piece_), rows_of_tile(rows_of_tile_), before(before_) {
    for (int i = 0; i < gpus; ++i) all.emplace_back(gpus * own * rows_of_piece, before);
  }

  arrival_gate gate_of(int gpu, long long limit = for_ever) {
    const arrival_gate::input input{gpus * own * rows_of_piece, rows_of_piece};
    return arrival_gate(input, gpus - 1, limit, &all[static_cast<std::size_t>(gpu)].state)
        .for_tiles(rows_of_tile)
        .with_here(gpu * own, own);
  }

  /// Returns the number that GPU `reader` has among the readers of `sender`.
  static int reader_of(int sender, int reader) { return reader < sender ? reader : reader - 1; }

  void fill(int gpu, int piece, unsigned turn) {
    std::vector<unsigned>& rows = all[static_cast<std::size_t>(gpu)].rows;
    for (int row = piece * rows_of_piece; row < (piece + 1) * rows_of_piece; ++row) {
      rows[static_cast<std::size_t>(row)] = turn * 100 + static_cast<unsigned>(piece);
      if (simt::random() % 4 == 0) simt::wait();
    }
  }

  /// Sends the pieces of a GPU to all others, in any order.
  void send(int gpu, unsigned turn) {
    std::vector<std::pair<int, int>> what;
    for (int to = 0; to < gpus; ++to) {
      for (int piece = gpu * own; to != gpu && piece < (gpu + 1) * own; ++piece) what.emplace_back(to, piece);
    }
    std::shuffle(what.begin(), what.end(), simt::random);
    for (const auto& [to, piece] : what) {
      for (unsigned late = drawn(0, 20); late > 0; --late) simt::wait();
      fill(to, piece, turn);
      gate_of(to).deliver(piece, turn);
    }
  }

  /// Reads the tiles of a launch. Counts the rows that hold what another turn delivered.
  int wrong_rows(int gpu, unsigned turn) {
    const std::vector<unsigned>& rows = all[static_cast<std::size_t>(gpu)].rows;
    const int tiles = (static_cast<int>(rows.size()) + rows_of_tile - 1) / rows_of_tile;
    const int first = static_cast<int>(drawn(0, static_cast<unsigned>(tiles - 1)));
    arrival_gate gate = gate_of(gpu);
    int wrong = 0;
    for (int i = 0; i < tiles; ++i) {
      const int tile = (first + i) % tiles;
      gate.wait({tile, 0});
      const int end = std::min((tile + 1) * rows_of_tile, static_cast<int>(rows.size()));
      for (int row = tile * rows_of_tile; row < end; ++row) {
        const unsigned piece = static_cast<unsigned>(row / rows_of_piece);
        wrong += rows[static_cast<std::size_t>(row)] != turn * 100 + piece;
        if (simt::random() % 8 == 0) simt::wait();
      }
    }
    return wrong;
  }

  /// Runs turns on all GPUs at once: they send beside the launch that waits, or store before the turn is raised.
  /// Returns the number of wrong rows.
  int run(int turns) {
    int wrong = 0;
    const auto blocks = static_cast<unsigned>(gpus);
    simt::launch_together({.blocks = blocks, .threads = 64, .limit = 40'000'000}, [&] {
      const int gpu = static_cast<int>(blockIdx.x);
      for (int i = 1; i <= turns; ++i) {
        const unsigned turn = before + static_cast<unsigned>(i);
        const bool stores = (gpu + i) % 2 == 0;
        if (threadIdx.x < 32) {
          arrival_gate its = gate_of(gpu);
          if (!stores) {
            its.begin_turn();
          } else if (its.wait_for_readers() != turn) {
            throw std::logic_error("the number of a turn is not the next one");
          }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
          for (int piece = gpu * own; piece < (gpu + 1) * own; ++piece) fill(gpu, piece, turn);
        }
        if (threadIdx.x == 0 && stores) send(gpu, turn), gate_of(gpu).raise(turn);
        __syncthreads();
        if (threadIdx.x == 32 && !stores) send(gpu, turn);
        if (threadIdx.x < 32) wrong += wrong_rows(gpu, turn);
        __syncthreads();
        if (threadIdx.x != 0) continue;
        for (int sender = 0; sender < gpus; ++sender) {
          if (sender != gpu) gate_of(gpu).end_turn(gate_of(sender), reader_of(sender, gpu));
        }
      }
    });
    return wrong;
  }
};

/// Runs a kernel of one warp on one GPU, and returns the nanoseconds that its first thread took.
template <class Kernel>
unsigned long long one_warp(Kernel kernel) {
  unsigned long long nanoseconds = 0;
  simt::launch(1, 32, [&] {
    const unsigned long long begin = heddle::detail::ptx::globaltimer();
    kernel();
    if (threadIdx.x == 0) nanoseconds = heddle::detail::ptx::globaltimer() - begin;
  });
  return nanoseconds;
}

}  // namespace

TEST_CASE("Tiles at a gate read what this turn delivered, on two to five GPUs, also where turns wrap", "[schedule]") {
  // After 2^31 and 2^32 turns the numbers of turns change their sign, and begin again.
  for (const unsigned before : {0u, 0x7ffffffdu, 0xfffffffdu}) {
    for (int gpus = 2; gpus <= 5; ++gpus) {
      for (unsigned seed = 1; seed <= 3; ++seed) {
        simt::random.seed(seed);
        const int own = static_cast<int>(drawn(1, 3)), rows_of_piece = static_cast<int>(drawn(1, 5));
        const int rows_of_tile = static_cast<int>(drawn(1, 7));
        CAPTURE(before, gpus, seed, own, rows_of_piece, rows_of_tile);
        team all(gpus, own, rows_of_piece, rows_of_tile, before);
        CHECK(all.run(6) == 0);
        for (const device& each : all.all) {
          CHECK(each.state.turn == before + 6);
          CHECK(each.state.late == 0);
          CHECK(each.state.first_late == 0);
        }
      }
    }
  }
}

TEST_CASE("A turn begins when the last of up to 63 readers has read the one before", "[schedule]") {
  for (const int readers : {1, 31, 32, 33, 63}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      simt::random.seed(seed);
      CAPTURE(readers, seed);
      words sender{};
      std::vector<words> each(static_cast<std::size_t>(readers));
      const arrival_gate gate({1, 1}, readers, for_ever, &sender);
      std::vector<int> order(static_cast<std::size_t>(readers));
      for (int i = 0; i < readers; ++i) order[static_cast<std::size_t>(i)] = i;
      simt::launch_together({.blocks = 2, .threads = 32}, [&] {
        for (unsigned turn = 1; turn <= 3; ++turn) {
          if (blockIdx.x == 0) {
            arrival_gate(gate).begin_turn();
            __syncwarp();
            continue;
          }
          if (threadIdx.x != 0) continue;
          simt::wait_until([&] { return sender.turn == turn; });
          std::shuffle(order.begin(), order.end(), simt::random);
          const int last = turn == 1 ? readers - 1 : turn == 2 ? 0 : order.back();
          std::iter_swap(std::find(order.begin(), order.end(), last), order.end() - 1);
          for (const int reader : order) {
            for (unsigned late = reader == last ? 300 : drawn(0, 5); late > 0; --late) simt::wait();
            if (sender.turn != turn) throw std::logic_error("a turn has begun before all have read the last one");
            words& its = each[static_cast<std::size_t>(reader)];
            its.turn = turn;
            arrival_gate({1, 1}, 0, for_ever, &its).end_turn(gate, reader);
          }
        }
      });
      CHECK(sender.turn == 3);
      CHECK(sender.late == 0);
    }
  }
}

TEST_CASE("A piece that never comes ends each thread's wait once, at the limit, and is named", "[schedule]") {
  for (int missing = 0; missing < 4; ++missing) {
    simt::random.seed(static_cast<unsigned>(missing) + 1);
    CAPTURE(missing);
    words state{};
    one_warp([&] { arrival_gate({8, 2}, 0, 1, &state).begin_turn(); });
    REQUIRE(state.turn == 1);
    for (int piece = 0; piece < 4; ++piece) state.flags[piece] = piece != missing;
    constexpr long long limit = 50'000;
    const auto took = one_warp([&] {
      arrival_gate gate = arrival_gate({8, 2}, 0, limit, &state).for_tiles(4);
      for (const int tile : {0, 1, 0, 1}) gate.wait({tile, 0});
    });
    CHECK(took >= limit);
    CHECK(state.late == 32);
    CHECK(state.first_late == static_cast<unsigned>(missing) + 1);
  }
}

TEST_CASE("The first piece that is late stays named, and a reader is named behind the pieces", "[schedule]") {
  simt::random.seed(1);
  words state{};
  state.turn = 1;
  one_warp([&] {
    if (threadIdx.x != 0) return;
    arrival_gate gate({4, 1}, 2, 1000, &state);
    for (const int tile : {2, 0, 3}) gate.wait({tile, 0});
  });
  CHECK(state.late == 3);
  CHECK(state.first_late == 2 + 1);
  words of_sender{};
  of_sender.turn = 1;
  of_sender.flags[4] = 1;  // the first reader has read, the second has not
  one_warp([&] { arrival_gate({4, 1}, 2, 1000, &of_sender).begin_turn(); });
  CHECK(of_sender.late == 1);
  CHECK(of_sender.first_late == 4 + 1 + 1);
  CHECK(of_sender.turn == 2);
}

TEST_CASE("A piece of a later turn is late at once, and named", "[schedule]") {
  for (const unsigned turn : {1u, 0x7fffffffu, 0xffffffffu}) {
    CAPTURE(turn);
    words state{};
    state.turn = state.flags[0] = turn;
    state.flags[1] = turn + 1;
    const auto took = one_warp([&] {
      arrival_gate gate({2, 1}, 0, for_ever, &state);
      for (const int tile : {0, 1}) gate.wait({tile, 0});
    });
    CHECK(took < 1'000'000);
    CHECK(state.late == 32);
    CHECK(state.first_late == 1 + 1);
  }
}

TEST_CASE("A thread waits for no longer than the limit in all, and the next launch has the limit again", "[schedule]") {
  constexpr unsigned long long limit = 1'000'000, slack = limit / 4;
  simt::random.seed(1);
  words state{};
  state.turn = 1;
  const arrival_gate gate({20, 1}, 0, limit, &state);
  for (int launch = 1; launch <= 3; ++launch) {
    CAPTURE(launch);
    const auto took = one_warp([&] {
      if (threadIdx.x != 0) return;
      arrival_gate its = gate;
      for (int tile = 0; tile < 20; ++tile) its.wait({tile, 0});
    });
    CHECK(took >= limit);
    CHECK(took < limit + slack);
    CHECK(state.late == 20u * static_cast<unsigned>(launch));
  }
}

TEST_CASE("The limit of a thread begins with its first wait", "[schedule]") {
  constexpr unsigned long long limit = 1'000'000;
  simt::random.seed(1);
  words state{};
  state.turn = state.flags[0] = 1;
  simt::launch_together({.blocks = 1, .threads = 1}, [&] {
    arrival_gate gate({2, 1}, 0, limit, &state);
    gate.wait({0, 0});  // the piece is here
    const auto now = [] { return heddle::detail::ptx::globaltimer(); };
    for (const auto begin = now(); now() - begin < 3 * limit;) {
    }
    const auto begin = now();
    gate.wait({1, 0});
    if (now() - begin < limit) throw std::logic_error("a wait ended before the limit");
  });
  CHECK(state.late == 1);
}
