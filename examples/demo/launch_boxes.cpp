#include <heddle/launch/arch.hpp>
#include <heddle/launch/launch_box.hpp>

#include "table.hpp"

namespace {

/// The box of examples/03_launch_box.
struct sum_box {
  struct params {
    int threads, min_blocks, values;
  };
  HEDDLE_FN params operator()(heddle::arch target) const {
    return heddle::box_match<params>(target, {{80, {256, 0, 8}}, {90, {512, 0, 8}}, {{90, 'a'}, {512, 2, 16}}});
  }
};

std::string name_of(heddle::arch of) {
  return "sm_" + std::to_string(of.capability) + (of.suffix == '\0' ? "" : std::string(1, of.suffix));
}

}  // namespace

demo::part demo::launch_boxes() {
  part all{"Launch boxes",
           "A launch box maps the architecture that a kernel is compiled for to the parameters of its launch, on the "
           "device and on the host alike. This one has entries for sm_80, sm_90 and sm_90a; other architectures take "
           "the newest plain entry at or below their own.",
           {{"Launch boxes", "launch_box.md"}}};
  table boxes{"Launch boxes: what examples/03_launch_box is launched with",
              "A lookup: nothing here is predicted or measured.",
              {"compiled for", "threads", "least blocks per SM", "values per thread", "values per block"},
              {.heading = "Values that a block adds up", .decimals = 0}};
  for (const heddle::arch target : {heddle::arch{80}, heddle::arch{86}, heddle::arch{89}, heddle::arch{90},
                                    heddle::arch{90, 'a'}, heddle::arch{100}, heddle::arch{120, 'f'}}) {
    const auto [threads, min_blocks, values] = sum_box{}(target);
    boxes.rows.push_back({name_of(target), std::to_string(threads),
                          min_blocks == 0 ? "none" : std::to_string(min_blocks), std::to_string(values),
                          std::to_string(threads * values)});
    boxes.bars.rows.push_back({name_of(target), {1.0 * threads * values}});
  }
  all.tables.push_back(boxes);
  return all;
}
