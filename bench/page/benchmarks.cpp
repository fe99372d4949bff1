#include "page/benchmarks.hpp"

namespace heddle_bench {
namespace {

// The table is easier to read as it is. clang-format off

using enum meaning;

column drawn(const std::string& name, meaning means, const pick& of, const pick& over = {}, bool dashed = false) {
  return {name, means, of, over, true, dashed};
}
column listed(const std::string& name, meaning means, const pick& of, const pick& over = {}) {
  return {name, means, of, over, false};
}

const std::string product = "{m} × {n} × {k}", less = "less is better", faster = "times as fast, more is better";

/// The contestants of an expansion, in the order of the colours. Those that are not heddle's are dashed.
std::vector<column> contestants(const std::string& field) {
  std::vector<column> all;
  for (const std::string name : {"packed_prefix", "*upper_bound", "from_n", "*loop", "scanned", "fixed<32>",
                                 "power_of_two", "*thrust", "append", "*run_length", "*device_launch",
                                 "*the store alone"}) {
    const bool dashed = name[0] == '*';
    all.push_back(drawn(name.substr(dashed), plain, {field, "name=" + name.substr(dashed)}, {}, dashed));
  }
  return all;
}

view expansion(const std::string& plot, const std::string& what, const std::string& where, const std::string& x,
               const std::string& x_name, const std::string& field) {
  return {.heading = "Work expansion: " + what, .unit = what, .rows = "{row}", .where = where,
          .columns = contestants(field), .as = draw_as::lines, .x = x, .x_name = x_name, .plot = "expand_" + plot,
          .width = 720, .tabled = false};
}

/// What each use of the items costs: a chart for 2^22 sources, and all rows.
void add_consumer(std::vector<view>& views, const std::string& list, const std::string& what) {
  view chart{.heading = "2^22 sources, 16 items each in the mean: " + what,
             .unit = "µs for both passes, launches back to back, " + less, .rows = "{row}",
             .where = "list=" + list + ";row~2^22 x 16 ", .as = draw_as::dots, .tabled = false};
  view table{.heading = "Every row, " + what + ", µs", .rows = "{row}", .where = "list=" + list};
  for (const char* name : {"packed_prefix", "scanned", "run_length", "upper_bound", "thrust", "loop"}) {
    chart.columns.push_back(drawn(name, plain, {"value", std::string("name=") + name}));
  }
  for (const char* name : {"packed_prefix", "scanned"}) {
    table.columns.push_back(listed(std::string(name) + ", " + what, gain,
                                   {"value", "name=upper_bound|run_length|thrust|loop"},
                                   {"value", std::string("name=") + name}));
  }
  table.columns.push_back(listed("{name}", time, {"value"}));
  table.columns.push_back(listed("{name}, cold L2", time, {"cold"}));
  views.push_back(chart);
  views.push_back(table);
}

std::vector<view> expansions() {
  const std::string store = "microseconds, from counts to stored items; ";
  std::vector<view> all{
      expansion("items", store + "a source has 0 to 32", "list=store_us;row~ x 16 uniform", "items",
                "items of 1K to 16M sources", "value"),
      expansion("skewed", store + "a power law, the largest sources first", "list=store_us;row~ x 16 pareto sorted", "items",
                "items of 256K to 16M sources", "value"),
      expansion("mean", store + "4M sources", "list=store_us;row~2^22 x ;row~ uniform", "mean",
                "items of a source in the mean", "value"),
      expansion("memory", "bytes of memory a source, beside the items themselves; 4M sources",
                "list=bytes;row~2^22 x ;row~ uniform", "mean", "items of a source in the mean", "of_source")};
  add_consumer(all, "store_us", "every item stored");
  add_consumer(all, "gather_us", "8 bytes read per item");
  add_consumer(all, "null_us", "nothing stored");
  return all;
}

/// When reordering pays: a chart of one sweep, and its rows.
void add_sweep(std::vector<view>& views, const std::string& sweep, const std::string& lines, const std::string& x,
               double scale, const std::string& x_name) {
  const pick as_they_are{"us", "contestant=plain"}, always{"us", "contestant=reorder"}, gate{"us", "contestant=gate"};
  const std::string where = "list=rows;together=0;sweep=" + sweep;
  views.push_back({.heading = "When reordering pays: " + sweep, .unit = "times as fast as without, more is better",
                   .rows = "{" + x + "}", .where = where, .columns = {drawn(lines, plain, as_they_are, always)},
                   .as = draw_as::lines, .x = x, .x_name = x_name, .scale_of_x = scale, .line = 1,
                   .plot = "reorder_" + sweep, .tabled = false});
  views.push_back({.heading = "The best block sizes: " + sweep,
                   .rows = "{keys} keys, {turns} to {longest} turns, skew {skew}, {state} bytes", .where = where,
                   .columns = {listed("plain, µs", time, as_they_are), listed("reordered, µs", time, always),
                               listed("with the gate, µs", time, gate),
                               listed(sweep + ", always, over threads as they are", gain, as_they_are, always),
                               listed(sweep + ", with the gate, over threads as they are", gain, as_they_are, gate)}});
}

std::vector<view> reorderings() {
  std::vector<view> all;
  constexpr double instructions_of_turn = 14;
  add_sweep(all, "switch", "{keys} branches", "turns", instructions_of_turn, "instructions of a branch");
  add_sweep(all, "state", "{turns} turns", "state", 1, "bytes of live state");
  add_sweep(all, "data", "{keys} places", "turns", 1, "loads of a round");
  all.push_back({.heading = "Ranks of 3 bits in blocks of 512", .unit = less, .rows = "{contestant}",
                 .where = "list=rows;sweep=ranks", .columns = {drawn("µs", time, {"us"})}, .as = draw_as::bars});
  all.push_back({.rows = "ranks", .where = "list=rows;sweep=ranks",
                 .columns = {listed("ranks over the best of CUB", gain, {"us", "contestant~cub::"},
                                    {"us", "contestant=heddle::block_reorder"})},
                 .tabled = false});
  all.push_back({.heading = "Every row, µs",
                 .rows = "{sweep}, {keys} keys, together {together}, {turns} to {longest} turns, skew {skew}, {state} "
                         "bytes, {threads} threads",
                 .where = "list=rows", .columns = {listed("{contestant}", time, {"us"})}});
  return all;
}

/// How many times as fast the advised composition of passes is as raster, by the step between taps.
view denoised(const std::string& pixel) {
  return {.heading = "The advised composition: à-trous, " + pixel, .unit = "times as fast as raster, more is better",
          .rows = "{step}", .where = "list=ms;within=sweep;row~atrous, " + pixel,
          .columns = {drawn("{pass}", plain, {"value", "name~row_major one_shot"}, {"value", "advised=true"})},
          .as = draw_as::lines, .x = "step", .x_name = "step between taps, pixels", .line = 1, .tabled = false};
}

std::vector<view> passes() {
  const std::string where = "list=ms;within=sweep";
  const pick raster{"value", "name~row_major one_shot"}, advised{"value", "advised=true"};
  return {
      {.heading = "The denoiser by step, 16384x8192 of float4", .unit = "times as fast as raster", .rows = "{step}",
       .where = where + ";row~atrous, float4, 16384x8192",
       .columns = {drawn("sm_affine", plain, raster, {"value", "name~sm_affine"}),
                   drawn("bands, one_shot", plain, raster, {"value", "name~thread_group_tiling;name~one_shot"})},
       .as = draw_as::lines, .x = "step", .x_name = "pixels from tap to tap", .line = 1, .plot = "convolution",
       .tabled = false},
      denoised("float4"),
      denoised("half4"),
      {.heading = "The other passes: the advised composition", .unit = faster, .rows = "{row}", .where = where + ";step=",
       .columns = {drawn("advised over raster", plain, raster, advised)}, .as = draw_as::dots, .line = 1,
       .tabled = false},
      {.heading = "Every pass: raster, the advised composition, and the best", .rows = "{row}", .where = where,
       .columns = {listed("raster, ms", time, raster), listed("advised, ms", time, advised),
                   listed("best, ms", time, {"value"}), listed("{kind}: advised over raster", gain, raster, advised),
                   listed("what is advised", plain, {"name", "advised=true", "value"}),
                   listed("what is best", plain, {"name", "", "value"})}}};
}

/// Where an order of groups is shown: shapes by experts, n, k, rows and the exponent of Zipf's law.
std::vector<view> groups() {
  const std::string shape = "{experts} × {n} × {k}, ", zipf = " rows, Zipf({zipf})";
  const auto by = [](const char* name, const char* more = "") {
    return pick{"ms", std::string("contender=") + name + more};
  };
  const auto torch = [](const std::string& b) {
    return drawn("b by " + b + ": over torch._grouped_mm", gain, {"torch_ms", "b=" + b}, {"heddle_ms", "b=" + b});
  };
  return {
      {.heading = "Products of groups over one dense product of as many rows", .unit = faster,
       .rows = shape + "{rows}" + zipf, .where = "list=products",
       .columns = {listed("grouped, TFLOP/s", rate, {"tflops", "contender=grouped"}),
                   listed("dense, TFLOP/s", rate, {"tflops", "contender=dense"}),
                   drawn("even groups over one dense product", gain, by("dense", ";zipf=0"), by("grouped", ";zipf=0")),
                   drawn("skewed groups over one dense product", gain, by("dense", ";zipf!0"), by("grouped", ";zipf!0"))},
       .as = draw_as::dots, .line = 1},
      {.heading = "Products of groups in PyTorch", .unit = faster, .rows = shape + "{tokens}" + zipf, .where = "list=rows",
       .columns = {listed("heddle, b by {b}, TFLOP/s", rate, {"heddle_tflops"}),
                   listed("torch._grouped_mm, b by {b}, TFLOP/s", rate, {"torch_tflops"}), torch("column"), torch("row")},
       .as = draw_as::dots, .line = 1},
      {.rows = "by k: m {m}, n {n}, {groups} groups with {rows} rows", .where = "list=products_by_k",
       .columns = {listed("grouped, ms", time, by("grouped")), listed("a loop of cuBLAS, ms", time, by("cublas")),
                   listed("by k over a loop of cuBLAS", gain, by("cublas"), by("grouped"))}},
      {.rows = "a replay with 256 groups without rows", .where = "list=context",
       .columns = {listed("µs", time, {"empty_replay_us"})}},
      {.heading = "Orders and schedules", .rows = shape + "{rows}" + zipf, .where = "list=ablation",
       .columns = {listed("best, ms", time, {"ms"}), listed("advised, ms", time, by("advised")),
                   listed("the plan's, ms", time, by("the plan's")), listed("best plain, ms", time, by("plain")),
                   listed("what advise picks over the best of all that was measured", gain, {"ms"}, by("advised")),
                   listed("what is best", plain, {"plan", "", "ms"}),
                   listed("what is advised", plain, {"plan", "contender=advised", "ms"})}}};
}

std::vector<view> boxes() {
  std::vector<view> all;
  for (const std::string key : {"uint32", "uint64"}) {
    all.push_back({.heading = "A merge sort of " + key + " by its launch box", .unit = "10⁹ keys per second, more is better",
                   .rows = "{values}", .where = "list=boxes;min_blocks=0;threads=128|256|512;key=" + key,
                   .columns = {drawn("{threads} threads", plain, {"gigakeys_per_second"})}, .as = draw_as::lines,
                   .x = "values", .x_name = "values per thread", .plot = key == "uint32" ? "launch_box" : "",
                   .tabled = false});
  }
  const pick best{"median_ms", "list=boxes"}, fixed{"median_ms", "name=256x7"}, cub{"median_ms", "list=cub"};
  all.push_back({.rows = "{key}", .where = "list=boxes|cub",
                 .columns = {listed("best, ms", time, best), listed("best box", plain, {"name", "list=boxes", "median_ms"}),
                             listed("256x7, ms", time, fixed), listed("cub::DeviceMergeSort, ms", time, cub),
                             listed("the best box over 256x7", gain, fixed, best),
                             listed("the best box over CUB", gain, cub, best)}});
  all.push_back({.heading = "Every box", .rows = "{key}, {name}", .where = "list=boxes",
                 .columns = {listed("ms", time, {"median_ms"})}});
  return all;
}

/// Times of a product, and heddle's speed over that of libraries.
view of_products(const std::string& way) {
  const auto by = [&](const char* name) { return pick{way + "_ms", std::string("contender=") + name}; };
  const auto speed = [&](const char* name, const char* says) {
    return listed(std::string(says) + ", TFLOP/s", rate, {way + "_tflops", std::string("contender=") + name});
  };
  const std::string what = way == "burst" ? ", bursts" : ", sustained";
  return {.heading = "A matrix product in bf16" + what, .unit = "times as fast as the library, more is better",
          .rows = product, .where = "list=products",
          .columns = {speed("cublas", "cuBLAS"), speed("cublaslt", "cublasLt's best of 32"), speed("heddle", "heddle"),
                      speed("portable", "portable"),
                      drawn("heddle over cuBLAS" + what, gain, by("cublas"), by("heddle")),
                      drawn("heddle over cublasLt's best of 32" + what, gain, by("cublaslt"), by("heddle")),
                      listed("heddle's plan", plain, {"kernel", "contender=heddle", way + "_ms"})},
          .as = draw_as::dots, .x = "gflop", .x_name = "operations, in 10⁹", .line = 1,
          .plot = way == "burst" ? "gemm" : ""};
}

std::vector<view> products_beside() {
  const auto by = [](const char* field, const char* name, const char* more = "") {
    return pick{field, std::string("contender=") + name + more};
  };
  return {
      {.heading = "A matrix product of 8192³ beside a kernel that holds multiprocessors",
       .unit = "time over the plan alone, " + less, .rows = "{held}",
       .where = "list=beside;situation=held;m=8192;n=8192;k=8192",
       .columns = {drawn("cuBLAS", plain, by("alone_ratio", "cublas")), drawn("the plan", plain, by("alone_ratio", "heddle")),
                   drawn("the plan, sharing", plain, by("alone_ratio", "sharing")),
                   drawn("the law", plain, by("over_law_alone", "heddle"), {}, true)},
       .as = draw_as::lines, .x = "held", .x_name = "multiprocessors held", .line = 1, .plot = "gemm_beside",
       .tabled = false},
      {.rows = product + ", {held} held, {situation}", .where = "list=beside",
       .columns = {listed("resident workers", plain, {"resident"}), listed("the law, ms", plain, by("law_ms", "heddle")),
                   listed("cuBLAS, ms", time, by("burst_ms", "cublas")), listed("the plan, ms", time, by("burst_ms", "heddle")),
                   listed("the plan, sharing, ms", time, by("burst_ms", "sharing")),
                   listed("the plan, over the law", plain, by("law_ratio", "heddle")),
                   listed("the plan, sharing, over the law", plain, by("law_ratio", "sharing")),
                   listed("the plan over cuBLAS", gain, by("burst_ms", "cublas", ";held!0"), by("burst_ms", "heddle", ";held!0")),
                   listed("the plan that shares over cuBLAS", gain, by("burst_ms", "cublas", ";held!0"),
                          by("burst_ms", "sharing", ";held!0"))}}};
}

std::vector<benchmark> make_benchmarks() {
  const auto timed = [](const std::string& name, const std::string& case_of_form) {
    return pick{name, "form=" + case_of_form};
  };
  const auto of_case = [](const std::string& name, const char* forms = "") { return pick{"real_time", "case=" + name + forms}; };
  const auto library = pick{"burst_ms", "contender=cublas|cublaslt"}, heddle = pick{"burst_ms", "contender=heddle"};
  const auto ms_of = [](const char* name) { return pick{"burst_ms", std::string("contender=") + name}; };
  return {
      {"order", "What an order costs", "Per tile, without a kernel around it. `index` is the loop without an order.", "",
       {{.heading = "What an order costs", .unit = "per tile, less is better; index is the loop without an order",
         .rows = "{case}",
         .columns = {drawn("throughput, ps", time, timed("ps_per_tile", "gpu")),
                     drawn("latency, cycles", time, timed("cycles_per_tile", "gpu_chain")),
                     listed("host, ns", time, timed("real_time", "host")),
                     listed("registers", plain, timed("registers", "gpu"))},
         .as = draw_as::bars}}},

      {"schedule", "What a scheduler costs", "`by_hand` are loops without heddle. `full`: as many blocks as the GPU holds; "
       "`single`: one per multiprocessor; `roles`: one warp leads, another follows; `uneven`: one tile in 64 takes 30 times "
       "as long; `beside`: another kernel holds a sixth of the chip.",
       "the loop by hand, or a block per tile",
       {{.heading = "What a scheduler costs", .unit = less, .rows = "{case}",
         .columns = {drawn("full, ns per tile", time, timed("ns_per_tile", "full")),
                     drawn("single, ns per tile", time, timed("ns_per_tile", "single")),
                     drawn("roles, ns per tile", time, timed("ns_per_tile", "roles")),
                     drawn("uneven, µs", time, timed("real_time", "uneven")),
                     drawn("beside, µs", time, timed("real_time", "beside"))},
         .as = draw_as::bars},
        {.rows = "{form}",
         .columns = {listed("strided over the loop by hand", gain, of_case("by_hand_strided"), of_case("strided")),
                     listed("ticket over the loop by hand", gain, of_case("by_hand_atomic|by_hand_atomic_ahead"),
                            of_case("ticket")),
                     listed("one_shot over the loop by hand", gain, of_case("by_hand_one_shot"), of_case("one_shot")),
                     listed("ticket over a block per tile", gain, of_case("one_shot", ";form=uneven|beside"),
                            of_case("ticket", ";form=uneven|beside"))}}}},

      {"spaces", "What a space costs",
       "Empty tiles by `ticket`, by the items of an expansion, and by a block per tile. A preparation finds the tiles of groups "
       "whose sizes only the device knows; the first pass of an expansion does so too.", "",
       {{.heading = "What a space costs", .unit = "ns per tile, less is better; row_major is a grid", .rows = "{case}",
         .where = "form!prepare",
         .columns = {drawn("as many blocks as the GPU holds", time, timed("ns_per_tile", "tiles")),
                     drawn("one block per multiprocessor", time, timed("ns_per_tile", "single")),
                     drawn("one block per tile", time, timed("ns_per_tile", "blocks"))},
         .as = draw_as::bars},
        {.heading = "What a preparation adds to a replay", .unit = "µs, " + less, .rows = "{case}", .where = "form=prepare",
         .columns = {drawn("{way}", plain, {"added_us"})}, .as = draw_as::lines, .x = "case", .x_name = "groups",
         .tabled = false},
        {.heading = "Every preparation", .rows = "{case} groups, {way}", .where = "form=prepare",
         .columns = {listed("added, µs", plain, {"added_us"}), listed("replay without it, µs", time, {"alone_us"}),
                     listed("replay with it, µs", time, {"with_us"})}}}},

      {"gemm", "A matrix product",
       "Bursts with rests between them, contestants in turns; portable is the kernel for any GPU since Ampere.",
       "cuBLAS, and the best of 32 algorithms of cublasLt", {of_products("burst"), of_products("sustained")}},

      {"gemm_few", "Matrix products with little work",
       "Fewer tiles than multiprocessors, few rows or columns, or ragged edges; bursts with rests between them, contestants in "
       "turns. The floor is the time to read the larger operand from DRAM; one that L2 keeps is read faster.",
       "the better of cuBLAS and the best of 32 algorithms of cublasLt",
       {{.heading = "Products with little work, over the better of both libraries", .unit = faster, .rows = product,
         .where = "list=products",
         .columns = {listed("cuBLAS, ms", time, ms_of("cublas")), listed("cublasLt's best of 32, ms", time, ms_of("cublaslt")),
                     listed("heddle, ms", time, heddle), drawn("heddle over the better of both", gain, library, heddle),
                     listed("the floor's share of heddle's time", plain, {"floor_share", "contender=heddle"}),
                     listed("heddle's plan", plain, {"kernel", "contender=heddle", "burst_ms"})},
         .as = draw_as::dots, .line = 1}}},

      {"gemm_beside", "A matrix product beside another kernel",
       "The other kernel holds multiprocessors. The law is the time of the plan alone, times how many more waves the workers make "
       "that are resident; a product that keeps to it loses only what is held. The other kernel is there all the time, or "
       "`arrives` or `leaves` in the middle of the first of several products in a row.",
       "cuBLAS beside the same kernel", products_beside()},

      {"choose", "The product's plan at random shapes",
       "The plan as it is, and tuned afresh with at most four candidates timed, beside the best of all kernels, schedules and "
       "orders; bursts with rests between them, contestants in turns.",
       "the best of all kernels, schedules and orders, and the better of cuBLAS and cublasLt",
       {{.heading = "What a plan loses, by the size of the product", .unit = "% behind the best kernel that is built in",
         .rows = product, .where = "list=products",
         .columns = {drawn("plan", plain, {"plan_behind"}), drawn("tuned", plain, {"tuned_behind"})},
         .as = draw_as::points, .x = "gflop", .x_name = "operations, in 10⁹", .plot = "choose", .tabled = false},
        {.heading = "Every product", .rows = product, .where = "list=products",
         .columns = {listed("best, µs", time, {"best_us"}), listed("plan, µs", time, {"plan_us"}),
                     listed("tuned, µs", time, {"tuned_us"}),
                     listed("the plan over the best of all", gain, {"best_us"}, {"plan_us"}),
                     listed("the tuned plan over the best of all", gain, {"best_us"}, {"tuned_us"}),
                     listed("the plan over the better library", gain, {"library_us"}, {"plan_us"}),
                     listed("the plan", plain, {"plan"}), listed("tuned", plain, {"tuned"}),
                     listed("tuned again", plain, {"tuned_again"}), listed("the best", plain, {"best"})}}}},

      {"gemm_study", "Orders and schedules of a matrix product",
       "What `advise` picks without a measurement, the best of all that was measured, and the best in raster order.",
       "raster order with its best kernel and schedule, and the best of all",
       {{.heading = "What advise picks", .unit = faster, .rows = product + ", {kernel}", .where = "list=sweeps|rows",
         .columns = {listed("best, ms", time, {"best_ms"}), listed("advised, ms", time, {"advised_ms"}),
                     listed("row_major, ms", time, {"row_major_ms"}),
                     drawn("what advise picks over the best in raster order", gain, {"row_major_ms"}, {"advised_ms"}),
                     drawn("what advise picks over the best of all that was measured", gain, {"best_ms"}, {"advised_ms"}),
                     listed("what is advised", plain, {"advised", "", "advised_ms"}),
                     listed("what is best", plain, {"best", "", "best_ms"})},
         .as = draw_as::dots, .line = 1}}},

      {"grouped", "Products of groups",
       "Preparation and products of groups of rows whose sizes only the device knows; bursts with rests between them, contestants "
       "in turns.",
       "torch._grouped_mm, one dense product of as many rows, and a loop of cuBLAS calls", groups()},

      {"convolution", "Full-screen passes", "Raster is row_major by one_shot, in the faster of both tiles.",
       "raster order, a block per tile", passes()},

      {"expand", "Work expansion",
       "heddle's strategies and the baselines: CUB's scan and a search (`upper_bound`), CUB's decoder of runs (`run_length`), "
       "Thrust's idiom, and a loop in the thread of each source (`loop`). The floor is the time to store the items alone.",
       "the best of CUB's scan and a search, CUB's decoder of runs, Thrust, and a loop in each thread", expansions()},

      {"reorder", "Reordering threads", "Keys are random and equally likely; the best of three block sizes counts on either side.",
       "threads as they are, in the best size of blocks", reorderings()},

      {"path_tracer", "A path tracer",
       "Every mode renders the same picture. `each` has a thread per path, and `persistent` threads that take paths in turns.",
       "the faster of a thread per path and persistent threads",
       {{.heading = "The path tracer", .unit = less, .rows = "{mode}", .where = "list=modes",
         .columns = {drawn("{scene}, ms", time, {"milliseconds"}), listed("{scene}, 10⁶ rays per second", plain, {"mega_rays"})},
         .as = draw_as::bars},
        {.rows = "{scene}", .where = "list=modes",
         .columns = {listed("block over threads as they are", gain, {"milliseconds", "mode=each|persistent"},
                            {"milliseconds", "mode=block"}),
                     listed("queues over threads as they are", gain, {"milliseconds", "mode=each|persistent"},
                            {"milliseconds", "mode=queues"})}}}},

      {"launch_box", "Launch boxes", "A merge sort by its threads per block and its values per thread.",
       "cub::DeviceMergeSort, and the same sort with 256 threads and 7 values per thread for every key", boxes()},

      {"overlap", "A product of several GPUs", "Its input comes from the others while it runs.", "",
       {{.heading = "A product whose input arrives", .unit = "time over NCCL and then the plan, " + less,
         .rows = product + ", {gpus} GPUs", .where = "list=over_nccl", .columns = {drawn("{name}", time, {"value"})},
         .as = draw_as::dots, .line = 1}}}};
}

}  // namespace

const std::vector<benchmark>& benchmarks() {
  static const std::vector<benchmark> all = make_benchmarks();
  return all;
}

view table_of_expansion() {
  const auto in = [](const char* title, const char* kind, const char* field = "value", const char* list = "store_us") {
    return listed(title, plain, {field, std::string("row=2^22 x 16 ") + kind + ";list=" + list});
  };
  return {.rows = "{name}",
          .columns = {in("MB", "uniform", "mb", "bytes"), in("uniform", "uniform"), in("16 each", "constant"),
                      in("power law", "pareto"), in("power law, sorted", "pareto sorted"),
                      in("one of 10 spawns", "90% zero"), in("one of 100 spawns", "99% zero"),
                      in("one has nearly all", "one huge"), in("mostly 1, some 65536", "1 and 64K")}};
}

}  // namespace heddle_bench
