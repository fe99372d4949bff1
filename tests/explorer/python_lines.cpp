// Prints kernels in Python as the page shows them, each with the tiles that the library's order has: python.py runs
// them.

#include <cstdio>
#include <string>

#include "explorer/lines.hpp"
#include "explorer/order.hpp"

namespace {

using explorer::question;
using heddle::recipe;

/// Prints a state's lines in both languages, and its tiles: numbers of a table and of planes, rows and columns.
void print(const std::string& state) {
  for (const char* language : {"triton", "cute"}) {
    const question q(state + "language=" + language + "\n");
    std::printf("%s===\n", explorer::python_lines(q).c_str());
    explorer::with_problem(q, [&](const auto& problem) {
      if constexpr (!requires { problem.ends(); }) {
        explorer::with_tiles(explorer::order_of(q, problem), problem, [&](const auto& order) {
          for (int i = 0; i < order.size(); ++i) {
            const auto tile = order(i);
            const int number = heddle::detail::tiles_of(problem).number(tile);
            if constexpr (requires { problem.plane; }) {
              const auto [plane, row, col] = tile;
              std::printf("%d,%d,%d,%d ", number, plane, row, col);
            } else {
              std::printf("%d,0,%d,%d ", number, tile.row, tile.col);
            }
          }
        });
      }
    });
    std::puts("\n---");
  }
}

}  // namespace

int main() {
  int turn = 0;
  for (const int rows : {1, 2, 5}) {
    for (const int cols : {1, 3, 5}) {
      for (int order = 0; order <= recipe::hilbert; ++order) {
        for (int adapters = 0; adapters < 8; ++adapters) {
          for (const char axis : {'x', 'y'}) {
            const int width = 1 + turn++ % 6;
            const std::string state =
                "m=" + std::to_string(rows * 128) + "\nn=" + std::to_string(cols * 128 - 1) +
                "\nk=64\norder=" + recipe::order_names[order] + "\nwidth=" + std::to_string(width) + "\naxis=" + axis +
                "\nschedule=" + recipe::schedule_names[turn % 2] + (adapters & 1 ? "\ntransposed=1" : "") +
                (adapters & 2 ? "\nreversed=1" : "") + (adapters & 4 ? "\nfirst=1" : "") + "\n";
            print("problem=product\n" + state);
            if (turn % 3 == 0) {
              print("problem=batch\ncount=" + std::to_string(1 + turn % 5) +
                    "\ninterleave=" + std::to_string(1 + turn % 4) + "\n" + state);
            }
          }
        }
      }
    }
  }
}
