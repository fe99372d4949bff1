// Draws the pictures of the README and the docs.
//
//   pictures FOLDER

#include <cstdio>
#include <fstream>
#include <string>

#include <heddle/draw/svg.hpp>
#include <heddle/heddle.hpp>

#include "groups.hpp"
#include "timelines.hpp"

using namespace heddle;

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  bool written = true;
  const auto write_file = [&](const std::string& name, const std::string& picture) {
    std::ofstream file(folder + "/" + name + ".svg");
    file << picture;
    written = written && file.flush().good();
  };
  const auto write = [&](const std::string& name, const auto& order, draw::svg_options options) {
    options.title = name;
    write_file(name, draw::svg(order, options));
  };

  const extent screen{12, 24};
  const draw::svg_options waves{.wave = 32, .animated = true, .numbers = false, .tile_size = 16};
  write("waves_row_major", row_major{screen}, waves);
  write("waves_thread_group_tiling", thread_group_tiling{screen, 8, axis::x}, waves);

  const extent grid{8, 10};
  const draw::svg_options path{.numbers = false, .path = true, .tile_size = 20};
  write("row_major", row_major{grid}, path);
  write("thread_group_tiling", thread_group_tiling{grid, 4, axis::x}, path);
  write("cta_swizzle", cta_swizzle{grid, 4, axis::x}, path);
  write("hilbert", hilbert{grid}, path);
  write("morton", morton{grid}, path);
  write("dilated", dilated{grid, {2, 2}, 3}, path);

  // What a prediction counts: how often the stripes of A and B are fetched.
  const extent product{8, 16};
  const draw::svg_options fetches{.wave = 16, .first_touches = true, .numbers = false, .tile_size = 22};
  write("fetches_row_major", row_major{product}, fetches);
  write("fetches_cta_swizzle", cta_swizzle{product, 4, axis::x}, fetches);

  // Work that is not one rectangle.
  const row_major plane{{6, 3}};
  write("batched_plane_by_plane", batched{plane, 3}, {.wave = 9, .tile_size = 22});
  write("batched_in_turn", batched{plane, 3, 3}, {.wave = 9, .tile_size = 22});
  const triangle half{10};
  write("triangular", triangular{thread_group_tiling{half.folded(), 4, axis::x}, half}, {.wave = 8, .tile_size = 22});

  const demo::few_groups numbered(group_sequence::as_numbered), heaviest(group_sequence::heaviest_first);
  write("grouped", numbered.order(), {.wave = 8, .tile_size = 22});
  write("grouped_heaviest_first", heaviest.order(), {.wave = 8, .tile_size = 22});

  for (const auto draw_all : {demo::timelines_of_schedulers, demo::timelines_of_costs, demo::timelines_of_expansion}) {
    for (const demo::picture& each : draw_all()) {
      if (!each.file.empty()) write_file(each.file, each.svg);
    }
  }

  if (!written) std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
  return written ? 0 : 1;
}
