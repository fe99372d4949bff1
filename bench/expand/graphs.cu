#include "graphs.cuh"

#include <memory>

#include <heddle/expand/indirect.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/scanned.hpp>

#include "../../examples/common/stream.hpp"

namespace heddle_bench {

namespace {

using namespace heddle;

using stored = use<consumer::store>;

constexpr unsigned of_thread = at_once(0);
constexpr unsigned of_block = of_pass_1 * of_thread;  // sources per block of the first pass

template <expander Work>
auto captured(const Work& work, const unsigned* n, unsigned size, stored with, bool indirect) {
  const launch_config grid = work.grid(consume<Work, stored>, of_pass_2);
  check(grid.error);
  return std::make_shared<captured_graph>([&](cudaStream_t on) {
    check(work.begin_async(on));
    produce<of_thread><<<(size + of_block - 1) / of_block, of_pass_1, 0, on>>>(work, n, size);
    check(cudaGetLastError());
    check(indirect ? launch_indirect(grid, on, consume<Work, stored>, work, with)
                   : launch(grid, on, consume<Work, stored>, work, with));
  });
}

}  // namespace

std::vector<contestant> graphs_of(const unsigned* n, unsigned size, unsigned items, stored with,
                                  void* state_of_packed_prefix, void* state_of_scanned) {
  const expansion room{(size + of_block - 1ull) / of_block * of_block, items};
  std::vector<contestant> all;
  const auto add = [&](const std::string& name, const auto& work) {
    for (const bool indirect : {false, true}) {
      const auto graph = captured(work, n, size, with, indirect);
      all.push_back({name + (indirect ? " indirect" : " fixed"), static_cast<double>(work.state_bytes(room)),
                     [graph] { graph->replay(); }, 20});
    }
  };
  add("packed_prefix", packed_prefix{room, state_of_packed_prefix});
  add("scanned", scanned{room, state_of_scanned});
  return all;
}

}  // namespace heddle_bench
