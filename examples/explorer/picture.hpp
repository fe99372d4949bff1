#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "order.hpp"

namespace explorer {

/// The tiles of a launch in the order in which they run, wave by wave, in places of a sheet.
struct picture {
  int width = 0, height = 0;         // of the sheet, in tiles
  std::vector<int> place;            // of each tile: column + row * width
  std::vector<std::uint8_t> colour;  // what each tile is the first of its wave to need: 0 most, 3 nothing
  std::vector<int> wave_begin;       // of each wave and of the end, in tiles
  std::vector<int> first, second;    // what each wave fetches: rows and columns, or other things
  bool has_colours = true;           // false if there are too many things to look at
};

/// Notes what a wave needs, and answers whether it is new to the wave.
class noted {
 public:
  explicit noted(long long things) : last_(static_cast<std::size_t>(things), -1) {}
  bool is_new(long long thing, int wave) {
    int& last = last_[static_cast<std::size_t>(thing)];
    const bool found = last != wave;
    last = wave;
    return found;
  }

 private:
  std::vector<int> last_;
};

/// Colours a tile by the share of what it needs that is new: all, half or more, some, nothing.
inline std::uint8_t colour_of_share(long long fresh, long long all) {
  return fresh == all ? 0 : 2 * fresh >= all ? 1 : fresh > 0 ? 2 : 3;
}

/// What tiles of a product need: a row of A and a column of B, by their numbers.
struct stripes {
  long long rows, cols;
  std::vector<long long> row, col;  // by the number of a tile
};

inline stripes stripes_of(const predict::batched_problem& p) {
  const auto space = p.space();
  const extent grid = space.plane();
  stripes s{p.different_a() * grid.rows, p.different_b() * grid.cols, {}, {}};
  for (int n = 0; n < space.size(); ++n) {
    const auto [plane, row, col] = space.tile(n);
    s.row.push_back(1LL * (plane / p.planes_per_a) * grid.rows + row);
    s.col.push_back(1LL * (plane / p.planes_per_b) * grid.cols + col);
  }
  return s;
}
inline stripes stripes_of(const predict::gemm_problem& p) {
  return stripes_of(predict::batched_problem{.plane = p, .count = 1});
}
inline stripes stripes_of(const predict::grouped_problem& p) {
  const auto space = p.space();
  stripes s{
      space.size() / std::max(1, space.cols()), 1LL * space.cols() * static_cast<long long>(p.rows.size()), {}, {}};
  for (int n = 0; n < space.size(); ++n) {
    const auto [group, row, col] = space.tile(n);
    s.row.push_back(n / space.cols());
    s.col.push_back(1LL * group * space.cols() + col);
  }
  return s;
}

/// Colours tiles by the stripes that they are the first of their wave to need, as `draw::svg` does.
template <class Problem, class Numbers>
void colour(picture& p, const Problem& problem, const Numbers& number_at) {
  const stripes s = stripes_of(problem);
  noted rows(s.rows), cols(s.cols);
  for (int wave = 0; wave + 1 < static_cast<int>(p.wave_begin.size()); ++wave) {
    int first = 0, second = 0;
    for (int i = p.wave_begin[static_cast<std::size_t>(wave)]; i < p.wave_begin[static_cast<std::size_t>(wave) + 1];
         ++i) {
      const auto n = static_cast<std::size_t>(number_at(i));
      const bool row = rows.is_new(s.row[n], wave), col = cols.is_new(s.col[n], wave);
      first += row, second += col;
      p.colour.push_back(row && col ? 0 : row ? 1 : col ? 2 : 3);
    }
    p.first.push_back(first), p.second.push_back(second);
  }
}

/// Returns the tiles along one direction in which the taps of each tile lie.
inline std::vector<std::vector<int>> tapped(int pixels, int tile, int tiles, int radius, int step) {
  std::vector<std::vector<int>> all(static_cast<std::size_t>(tiles));
  for (int t = 0; t < tiles; ++t) {
    std::vector<int>& of_tile = all[static_cast<std::size_t>(t)];
    for (long long tap = -radius; tap <= radius; ++tap) {
      const auto inside = [&](long long at) { return static_cast<int>(std::clamp(at, 0LL, pixels - 1LL) / tile); };
      const long long begin = 1LL * t * tile + tap * step;
      for (int at = inside(begin); at <= inside(begin + tile - 1); ++at) {
        if (of_tile.empty() || of_tile.back() < at) of_tile.push_back(at);
      }
    }
  }
  return all;
}

/// Colours the tiles of a pass by how many of the tiles that their taps are in no tile of the wave read before.
template <class Numbers>
void colour(picture& p, const predict::stencil_problem& problem, const Numbers& number_at) {
  const extent grid = problem.grid();
  const auto too_many = [](double taps) { return taps > 1 << 25; };
  const double along_rows = std::min(1.0 * grid.rows, 2.0 * (2 * problem.rows_radius + 1)),
               along_cols = std::min(1.0 * grid.cols, 2.0 * (2 * problem.cols_radius + 1));
  p.has_colours = !too_many(along_rows * along_cols * grid.size()) &&
                  !too_many((2.0 * problem.rows_radius + 1) * grid.rows + (2.0 * problem.cols_radius + 1) * grid.cols);
  noted tiles(p.has_colours ? grid.size() : 0);
  std::vector<std::vector<int>> rows, cols;
  if (p.has_colours) {
    rows = tapped(problem.rows, problem.tile_rows, grid.rows, problem.rows_radius, problem.step);
    cols = tapped(problem.cols, problem.tile_cols, grid.cols, problem.cols_radius, problem.step);
  }
  for (int wave = 0; wave + 1 < static_cast<int>(p.wave_begin.size()); ++wave) {
    int fetched = 0;
    for (int i = p.wave_begin[static_cast<std::size_t>(wave)]; i < p.wave_begin[static_cast<std::size_t>(wave) + 1];
         ++i) {
      if (!p.has_colours) {
        p.colour.push_back(0);
        continue;
      }
      const coord tile = grid.tile(number_at(i));
      const auto& of_row = rows[static_cast<std::size_t>(tile.row)];
      const auto& of_col = cols[static_cast<std::size_t>(tile.col)];
      int fresh = 0;
      for (const int row : of_row) {
        for (const int col : of_col) fresh += tiles.is_new(grid.number({row, col}), wave);
      }
      fetched += fresh;
      p.colour.push_back(colour_of_share(fresh, static_cast<long long>(of_row.size() * of_col.size())));
    }
    p.first.push_back(fetched), p.second.push_back(0);
  }
}

/// Colours the tiles of a causal pass by how many of the steps of keys that they need no tile of the wave read before.
template <class Numbers>
void colour(picture& p, const predict::causal_problem& problem, const Numbers& number_at) {
  const extent grid = problem.grid();
  const int steps = problem.steps(), sharing = problem.heads / std::max(1, problem.key_heads);
  // Tiles of one head begin with the same keys: how many steps of them a wave has read says it all.
  std::vector<int> wave_of(static_cast<std::size_t>(problem.key_heads), -1),
      read(static_cast<std::size_t>(problem.key_heads));
  for (int wave = 0; wave + 1 < static_cast<int>(p.wave_begin.size()); ++wave) {
    int fetched = 0, heads = 0;
    for (int i = p.wave_begin[static_cast<std::size_t>(wave)]; i < p.wave_begin[static_cast<std::size_t>(wave) + 1];
         ++i) {
      const coord tile = grid.tile(number_at(i));
      const auto head = static_cast<std::size_t>(tile.col / std::max(1, sharing));
      if (wave_of[head] != wave) wave_of[head] = wave, read[head] = 0, ++heads;
      const int seen = problem.keys_seen(tile.row);
      const int needed = std::min(steps, seen / problem.tile_keys + (seen % problem.tile_keys > 0));
      const int fresh = std::max(0, needed - read[head]);
      fetched += fresh;
      read[head] = std::max(read[head], needed);
      p.colour.push_back(needed == 0 ? std::uint8_t{3} : colour_of_share(fresh, needed));
    }
    p.first.push_back(fetched), p.second.push_back(heads);
  }
}

/// Colours tiles of pairs by the things that they are the first of their wave to need, as a row or as a column.
template <class Numbers>
void colour(picture& p, const predict::pairs_problem& problem, const Numbers& number_at) {
  const triangle space = problem.space();
  noted things(std::max(space.rows(), space.cols()));
  for (int wave = 0; wave + 1 < static_cast<int>(p.wave_begin.size()); ++wave) {
    int rows = 0, cols = 0;
    for (int i = p.wave_begin[static_cast<std::size_t>(wave)]; i < p.wave_begin[static_cast<std::size_t>(wave) + 1];
         ++i) {
      const coord tile = space.tile(number_at(i));
      const bool row = things.is_new(tile.row, wave), col = things.is_new(tile.col, wave);
      rows += row, cols += col;
      p.colour.push_back(row && (col || tile.row == tile.col) ? 0 : row ? 1 : col ? 2 : 3);
    }
    p.first.push_back(rows), p.second.push_back(cols);
  }
}

/// Places tiles on a sheet: a grid as it is.
template <class Problem>
void place(picture& p, const Problem& problem, const std::vector<int>& numbers) {
  const extent grid = problem.grid();
  p.width = grid.cols, p.height = grid.rows;
  p.place = numbers;
}

/// Planes of a batch side by side, in about a square.
inline void place(picture& p, const predict::batched_problem& problem, const std::vector<int>& numbers) {
  const auto space = problem.space();
  const extent plane = space.plane();
  const int across = std::max(
      1,
      static_cast<int>(std::lround(std::ceil(std::sqrt(1.0 * space.count() * (plane.rows + 1) / (plane.cols + 1))))));
  const int used = std::min(across, std::max(1, space.count()));
  p.width = used * (plane.cols + 1) - 1;
  p.height = ((space.count() + used - 1) / used) * (plane.rows + 1) - 1;
  for (const int n : numbers) {
    const auto [batch, row, col] = space.tile(n);
    p.place.push_back((batch / used * (plane.rows + 1) + row) * p.width + batch % used * (plane.cols + 1) + col);
  }
}

inline void place(picture& p, const predict::pairs_problem& problem, const std::vector<int>& numbers) {
  const triangle space = problem.space();
  p.width = space.cols(), p.height = space.rows();
  for (const int n : numbers) p.place.push_back(space.tile(n).row * p.width + space.tile(n).col);
}

/// Groups below each other, in columns that make about a square.
inline void place(picture& p, const predict::grouped_problem& problem, const std::vector<int>& numbers) {
  const auto space = problem.space();
  const int groups = static_cast<int>(problem.rows.size());
  int highest = 0;
  for (int g = 0; g < groups; ++g) highest = std::max(highest, space.first(g + 1) - space.first(g));
  const double all = 1.0 * (space.first(groups) + groups) * (space.cols() + 1);
  const int most = std::max(highest, static_cast<int>(std::ceil(std::sqrt(all))));
  std::vector<int> left, top;
  int x = 0, y = 0;
  for (int g = 0; g < groups; ++g) {
    const int rows = space.first(g + 1) - space.first(g);
    if (y > 0 && y + rows > most) x += space.cols() + 1, y = 0;
    left.push_back(x), top.push_back(y);
    if (rows > 0) p.height = std::max(p.height, y + rows), y += rows + 1;
  }
  p.width = x + space.cols();
  for (const int n : numbers) {
    const auto [group, row, col] = space.tile(n);
    const auto g = static_cast<std::size_t>(group);
    p.place.push_back((top[g] + row) * p.width + left[g] + col);
  }
}

/// Returns the number of a tile in its problem's space.
inline int number_of(const predict::batched_problem& p, batch_coord tile) {
  return p.space().number(tile);
}
inline int number_of(const predict::pairs_problem& p, coord tile) {
  return p.space().number(tile);
}
template <class Problem, class Tile>
int number_of(const Problem& p, const Tile& tile) {
  return p.grid().number(tile);
}

/// Returns the picture of an order under a schedule. A wave is what runs at one time if all tiles take the same.
template <class Problem, class Order>
picture picture_of(const Problem& problem, const Order& order, int workers, const recipe& by, int together) {
  picture p;
  const auto report = predict::makespan(
      order, [](const auto&) { return 1.0; }, {workers, together}, by);
  const auto waves = static_cast<std::size_t>(report.end);
  p.wave_begin.assign(waves + 1, 0);
  for (const auto& each : report.stretches) ++p.wave_begin[static_cast<std::size_t>(each.begin) + 1];
  for (std::size_t wave = 0; wave < waves; ++wave) p.wave_begin[wave + 1] += p.wave_begin[wave];
  std::vector<int> next(p.wave_begin.begin(), p.wave_begin.end()), numbers(report.stretches.size());
  const auto number = [&](const auto& tile) {
    if constexpr (requires { problem.ends(); }) {
      return tile;
    } else {
      return number_of(problem, tile);
    }
  };
  if constexpr (requires { problem.ends(); }) {
    const auto space = problem.space();
    for (const auto& each : report.stretches) {
      numbers[static_cast<std::size_t>(next[static_cast<std::size_t>(each.begin)]++)] = space.number(order(each.index));
    }
  } else {
    for (const auto& each : report.stretches) {
      numbers[static_cast<std::size_t>(next[static_cast<std::size_t>(each.begin)]++)] = number(order(each.index));
    }
  }
  colour(p, problem, [&](int i) { return numbers[static_cast<std::size_t>(i)]; });
  place(p, problem, numbers);
  return p;
}

}  // namespace explorer
