#include "timelines.hpp"

demo::part demo::schedulers() {
  return {"Schedulers",
          "A scheduler maps a block to its tiles, over any order. Time runs to the right, a lane is a block, and the "
          "numbers are tiles; the dashed line is the end of all work. All but stream_k have the same forty tiles, "
          "some of which take longer than others. The schedulers' own code decides here, on the host.",
          {{"Schedulers", "schedule.md"}, {"A scheduler of your own", "your_own.md"}},
          timelines_of_schedulers(),
          {},
          ""};
}
