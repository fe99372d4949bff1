#include "page/view.hpp"

namespace heddle_bench {
namespace {

// The table is easier to read as it is.
// clang-format off

using enum meaning;
using columns = std::vector<column>;

/// Columns of the table and of the chart, of the table alone, and of a chart of lines, dashed.
column drawn(const std::string& name, meaning means, const pick& of, const pick& over = {}) {
  return {name, means, of, over};
}
column listed(const std::string& name, meaning means, const pick& of, const pick& over = {}) {
  return {name, means, of, over, false};
}
column dashed(const std::string& name, const pick& of) { return {name, plain, of, {}, true, true}; }

view table(const std::string& heading, const std::string& rows, const std::string& where, const columns& all) {
  return {.heading = heading, .rows = rows, .where = where, .columns = all};
}
view with_bars(const std::string& heading, const std::string& unit, const std::string& rows, const std::string& where,
               const columns& all) {
  return {heading, unit, rows, where, all, draw_as::bars};
}
view with_dots(const std::string& heading, const std::string& unit, const std::string& rows, const std::string& where,
               const columns& all) {
  return {heading, unit, rows, where, all, draw_as::dots, "", "", 1};
}
/// A chart without a table, over a field of the rows. With a `plot` it is also a picture of the docs.
view lines(const std::string& plot, const std::string& heading, const std::string& unit, const std::string& where,
           const std::string& x, const std::string& x_name, double line, const columns& all) {
  return {heading, unit, "{" + x + "}", where, all, draw_as::lines, x, x_name, line, plot, false};
}

const std::string product = "{m} × {n} × {k}", less = "less is better", faster = "times as fast, more is better";

/// A field of the rows of one contender.
pick by(const std::string& contender, const std::string& field, const std::string& more = "") {
  return {field, "contender=" + contender + more};
}
pick of_form(const std::string& form, const std::string& field) { return {field, "form=" + form}; }

std::vector<view> expansions() {
  const auto of = [](const std::string& name, const char* field) { return pick{field, "name=" + name}; };
  // In the order of the colours. Those that are not heddle's are dashed.
  const auto contestants = [&](const char* field) {
    columns all;
    for (const std::string name : {"packed_prefix", "*upper_bound", "*loop", "scanned", "fixed<32>", "power_of_two",
                                   "*thrust", "append", "*run_length", "*device_launch", "*the store alone"}) {
      const bool is_other = name[0] == '*';
      all.push_back(is_other ? dashed(name.substr(1), of(name.substr(1), field)) : drawn(name, plain, of(name, field)));
    }
    return all;
  };
  const std::string title = "Work expansion", store = "microseconds, from counts to stored items; ",
                    mean = "items of a source in the mean", many = "row~2^22 x ;row~ uniform;list=";
  std::vector<view> all{
      lines("expand_items", title, store + "a source has 0 to 32", "list=store_us;row~ x 16 uniform", "items",
            "items of 1K to 16M sources", 0, contestants("value")),
      lines("expand_skewed", title, store + "a power law, the largest sources first",
            "list=store_us;row~ x 16 pareto sorted", "items", "items of 256K to 16M sources", 0, contestants("value")),
      lines("expand_mean", title, store + "4M sources", many + "store_us", "mean", mean, 0, contestants("value")),
      lines("expand_memory", title, "bytes of memory a source, beside the items themselves; 4M sources", many + "bytes",
            "mean", mean, 0, contestants("of_source"))};
  for (const auto& [list, what] : {std::pair{"list=store_us", ", every item stored"},
                                   {"list=gather_us", ", 8 bytes read per item"}, {"list=null_us", ", nothing stored"}}) {
    columns of_chart, of_table;
    for (const char* name : {"packed_prefix", "scanned", "run_length", "upper_bound", "thrust", "loop"}) {
      of_chart.push_back(drawn(name, plain, of(name, "value")));
    }
    for (const std::string name : {"packed_prefix", "scanned"}) {
      of_table.push_back(listed(name + what, gain, of("upper_bound|run_length|thrust|loop", "value"), of(name, "value")));
    }
    of_table.push_back(listed("{name}", time, {"value"}));
    of_table.push_back(listed("{name}, cold L2", time, {"cold"}));
    all.push_back(with_dots(std::string("2^22 sources, 16 items each in the mean") + what,
                            "µs for both passes, launches back to back, " + less, "{row}",
                            list + std::string(";row~2^22 x 16 "), of_chart));
    all.back().line = 0;
    all.back().tabled = false;
    all.push_back(table(std::string("Every row") + what + ", µs", "{row}", list, of_table));
  }
  all.push_back(table("Level by level, µs", "{row}, {levels} levels", "list=rows",
                      {listed("levels", time, {"levels_us"}), listed("launches in a graph", time, {"graph_us"}),
                       listed("a launch per level, read back", time, {"launches_us"})}));
  return all;
}

std::vector<view> reorderings() {
  std::vector<view> all;
  const pick as_they_are = {"us", "contestant=plain"}, always = {"us", "contestant=reorder"}, gate = {"us", "contestant=gate"};
  const auto add = [&](const std::string& sweep, const char* name, const char* x, const char* x_name) {
    const std::string where = "list=rows;together=0;sweep=" + sweep, over = ", over threads as they are";
    all.push_back(lines("reorder_" + sweep, "When reordering pays: " + sweep, "times as fast as without, more is better",
                        where, x, x_name, 1, {drawn(name, plain, as_they_are, always)}));
    all.push_back(table("The best block sizes: " + sweep, "{keys} keys, {turns} to {longest} turns, skew {skew}, {state} bytes",
                        where, {listed("plain, µs", time, as_they_are), listed("reordered, µs", time, always),
                                listed("with the gate, µs", time, gate),
                                listed(sweep + ", always" + over, gain, as_they_are, always),
                                listed(sweep + ", with the gate" + over, gain, as_they_are, gate)}));
  };
  add("switch", "{keys} branches", "instructions", "instructions of a branch");
  add("state", "{turns} turns", "state", "bytes of live state");
  add("data", "{keys} places", "turns", "loads of a round");
  all.push_back(with_bars("Ranks of 3 bits in blocks of 512", less, "{contestant}", "list=rows;sweep=ranks",
                          {drawn("µs", time, {"us"})}));
  all.push_back(table("", "ranks", "list=rows;sweep=ranks",
                      {listed("ranks over the best of CUB", gain, {"us", "contestant~cub::"},
                              {"us", "contestant=heddle::block_reorder"})}));
  all.push_back(table("Every row, µs", "{sweep}, {keys} keys, together {together}, {turns} to {longest} turns, skew {skew}, "
                      "{state} bytes, {threads} threads", "list=rows", {listed("{contestant}", time, {"us"})}));
  return all;
}

std::vector<view> passes() {
  const std::string where = "list=ms;within=sweep", steps = "step between taps, pixels",
                    over_raster = "times as fast as raster, more is better", advice = "The advised composition: à-trous, ";
  const pick raster = {"value", "name~row_major one_shot"}, advised = {"value", "advised=true"};
  const columns all = {drawn("{pass}", plain, raster, advised)};
  std::vector<view> shown{
      lines("convolution", "The denoiser by step, 16384x8192 of float4", over_raster, where + ";row~atrous, float4, 16384x8192",
            "step", steps, 1, {drawn("sm_affine", plain, raster, {"value", "name~sm_affine"}),
                               drawn("bands, one_shot", plain, raster, {"value", "name~thread_group_tiling;name~one_shot"})}),
      lines("", advice + "float4", over_raster, where + ";row~atrous, float4", "step", steps, 1, all),
      lines("", advice + "half4", over_raster, where + ";row~atrous, half4", "step", steps, 1, all),
      with_dots("The other passes: the advised composition", over_raster, "{row}", where + ";step=",
                {drawn("advised over raster", plain, raster, advised)}),
      table("Every pass: raster, the advised composition, and the best", "{row}", where,
            {listed("raster, ms", time, raster), listed("advised, ms", time, advised), listed("best, ms", time, {"value"}),
             listed("{kind}: advised over raster", gain, raster, advised),
             listed("what is advised", plain, {"name", "advised=true", "value"}),
             listed("what is best", plain, {"name", "", "value"})})};
  shown[3].tabled = false;
  return shown;
}

std::vector<view> groups() {
  const std::string shape = "{experts} × {n} × {k}, {rows} rows, Zipf({zipf})", of_all = " over one dense product";
  const auto torch = [](const std::string& b) {
    return drawn("b by " + b + ": over torch._grouped_mm", gain, {"torch_ms", "b=" + b}, {"heddle_ms", "b=" + b});
  };
  return {
      with_dots("Products of groups over one dense product of as many rows", faster, shape, "list=products",
                {listed("grouped, TFLOP/s", rate, by("grouped", "tflops")), listed("dense, TFLOP/s", rate, by("dense", "tflops")),
                 drawn("even groups" + of_all, gain, by("dense", "ms", ";zipf=0"), by("grouped", "ms", ";zipf=0")),
                 drawn("skewed groups" + of_all, gain, by("dense", "ms", ";zipf!0"), by("grouped", "ms", ";zipf!0"))}),
      with_dots("Products of groups in PyTorch", faster, "{experts} × {n} × {k}, {tokens} rows, Zipf({zipf})", "list=rows",
                {listed("heddle, b by {b}, TFLOP/s", rate, {"heddle_tflops"}),
                 listed("torch._grouped_mm, b by {b}, TFLOP/s", rate, {"torch_tflops"}), torch("column"), torch("row")}),
      table("", "by k: m {m}, n {n}, {groups} groups with {rows} rows", "list=products_by_k",
            {listed("grouped, ms", time, by("grouped", "ms")), listed("a loop of cuBLAS, ms", time, by("cublas", "ms")),
             listed("by k over a loop of cuBLAS", gain, by("cublas", "ms"), by("grouped", "ms"))}),
      table("", "a replay with 256 groups without rows", "list=context", {listed("µs", time, {"empty_replay_us"})}),
      table("Orders and schedules", shape, "list=ablation",
            {listed("best, ms", time, {"ms"}), listed("advised, ms", time, by("advised", "ms")),
             listed("the plan's, ms", time, by("the plan's", "ms")), listed("best plain, ms", time, by("plain", "ms")),
             listed("what advise picks over the best of all that was measured", gain, {"ms"}, by("advised", "ms")),
             listed("what is best", plain, {"plan", "", "ms"}),
             listed("what is advised", plain, {"plan", "contender=advised", "ms"})})};
}

std::vector<view> boxes() {
  const pick best = {"median_ms", "list=boxes"}, fixed = {"median_ms", "name=256x7"}, cub = {"median_ms", "list=cub"};
  const columns of_threads = {drawn("{threads} threads", plain, {"gigakeys_per_second"})};
  const std::string where = "list=boxes;min_blocks=0;threads=128|256|512;key=", values = "values per thread",
                    unit = "10⁹ keys per second, more is better";
  return {
      lines("launch_box", "A merge sort of uint32 by its launch box", unit, where + "uint32", "values", values, 0, of_threads),
      lines("", "A merge sort of uint64 by its launch box", unit, where + "uint64", "values", values, 0, of_threads),
      table("", "{key}", "list=boxes|cub",
            {listed("best, ms", time, best), listed("best box", plain, {"name", "list=boxes", "median_ms"}),
             listed("256x7, ms", time, fixed), listed("cub::DeviceMergeSort, ms", time, cub),
             listed("the best box over 256x7", gain, fixed, best), listed("the best box over CUB", gain, cub, best)}),
      table("Every box", "{key}, {name}", "list=boxes", {listed("ms", time, {"median_ms"})})};
}

/// Times of a product, and heddle's speed over that of libraries.
view products(const std::string& way, const std::string& what) {
  const auto speed = [&](const char* name, const char* says) {
    return listed(std::string(says) + ", TFLOP/s", rate, by(name, way + "_tflops"));
  };
  return with_dots("A matrix product in bf16" + what, "times as fast as the library, more is better", product, "list=products",
                   {speed("cublas", "cuBLAS"), speed("cublaslt", "cublasLt's best of 32"), speed("heddle", "heddle"),
                    speed("portable", "portable"),
                    drawn("heddle over cuBLAS" + what, gain, by("cublas", way + "_ms"), by("heddle", way + "_ms")),
                    drawn("heddle over cublasLt's best of 32" + what, gain, by("cublaslt", way + "_ms"),
                          by("heddle", way + "_ms")),
                    listed("heddle's plan", plain, {"kernel", "contender=heddle", way + "_ms"})});
}

std::vector<view> bursts() {
  view first = products("burst", ", bursts");
  first.x = "gflop", first.x_name = "operations, in 10⁹", first.plot = "gemm";
  return {first, products("sustained", ", sustained")};
}

std::vector<view> products_beside() {
  return {
      lines("gemm_beside", "A matrix product of 8192³ beside a kernel that holds multiprocessors",
            "time over the plan alone, " + less, "list=beside;situation=held;m=8192;n=8192;k=8192", "held",
            "multiprocessors held", 1,
            {drawn("cuBLAS", plain, by("cublas", "alone_ratio")), drawn("the plan", plain, by("heddle", "alone_ratio")),
             drawn("the plan, sharing", plain, by("sharing", "alone_ratio")), dashed("the law", by("heddle", "over_law_alone"))}),
      table("Every situation", product + ", {held} held, {situation}", "list=beside",
            {listed("resident workers", plain, {"resident"}), listed("the law, ms", plain, by("heddle", "law_ms")),
             listed("cuBLAS, ms", time, by("cublas", "burst_ms")), listed("the plan, ms", time, by("heddle", "burst_ms")),
             listed("the plan, sharing, ms", time, by("sharing", "burst_ms")),
             listed("the plan, over the law", plain, by("heddle", "law_ratio")),
             listed("the plan, sharing, over the law", plain, by("sharing", "law_ratio")),
             listed("the plan over cuBLAS", gain, by("cublas", "burst_ms", ";held!0"), by("heddle", "burst_ms", ";held!0")),
             listed("the plan that shares over cuBLAS", gain, by("cublas", "burst_ms", ";held!0"),
                    by("sharing", "burst_ms", ";held!0"))})};
}

std::vector<view> plans() {
  view losses = lines("choose", "What a plan loses, by the size of the product", "% behind the best kernel that is built in",
                      "list=products", "gflop", "operations, in 10⁹", 0,
                      {drawn("plan", plain, {"plan_behind"}), drawn("tuned", plain, {"tuned_behind"})});
  losses.as = draw_as::points;
  return {losses, table("Every product", product, "list=products",
                        {listed("best, µs", time, {"best_us"}), listed("plan, µs", time, {"plan_us"}),
                         listed("tuned, µs", time, {"tuned_us"}),
                         listed("the plan over the best of all", gain, {"best_us"}, {"plan_us"}),
                         listed("the tuned plan over the best of all", gain, {"best_us"}, {"tuned_us"}),
                         listed("the plan over the better library", gain, {"library_us"}, {"plan_us"}),
                         listed("the plan", plain, {"plan"}), listed("tuned", plain, {"tuned"}),
                         listed("tuned again", plain, {"tuned_again"}), listed("the best", plain, {"best"})})};
}

std::vector<benchmark> make_benchmarks() {
  const auto of_case = [](const std::string& name, const char* more = "") { return pick{"real_time", "case=" + name + more}; };
  const pick each = {"milliseconds", "mode=each|persistent"};
  return {
      {"order", "What an order costs", "Per tile, without a kernel around it. `index` is the loop without an order.", "",
       {with_bars("What an order costs", "per tile, less is better; index is the loop without an order", "{case}", "",
                  {drawn("throughput, ps", time, of_form("gpu", "ps_per_tile")),
                   drawn("latency, cycles", time, of_form("gpu_chain", "cycles_per_tile")),
                   listed("host, ns", time, of_form("host", "real_time")),
                   listed("registers", plain, of_form("gpu", "registers"))})}},
      {"schedule", "What a scheduler costs", "`by_hand` are loops without heddle. `full`: as many blocks as the GPU holds; "
       "`single`: one per multiprocessor; `roles`: one warp leads, another follows; `uneven`: one tile in 64 takes 30 times "
       "as long; `beside`: another kernel holds a sixth of the chip.", "the loop by hand, or a block per tile",
       {with_bars("What a scheduler costs", less, "{case}", "",
                  {drawn("full, ns per tile", time, of_form("full", "ns_per_tile")),
                   drawn("single, ns per tile", time, of_form("single", "ns_per_tile")),
                   drawn("roles, ns per tile", time, of_form("roles", "ns_per_tile")),
                   drawn("uneven, µs", time, of_form("uneven", "real_time")),
                   drawn("beside, µs", time, of_form("beside", "real_time"))}),
        table("", "{form}", "",
              {listed("strided over the loop by hand", gain, of_case("by_hand_strided"), of_case("strided")),
               listed("ticket over the loop by hand", gain, of_case("by_hand_atomic|by_hand_atomic_ahead"), of_case("ticket")),
               listed("one_shot over the loop by hand", gain, of_case("by_hand_one_shot"), of_case("one_shot")),
               listed("ticket over a block per tile", gain, of_case("one_shot", ";form=uneven|beside"),
                      of_case("ticket", ";form=uneven|beside"))})}},
      {"spaces", "What a space costs",
       "Empty tiles by `ticket`, by the items of an expansion, and by a block per tile. A preparation finds the tiles of groups "
       "whose sizes only the device knows; the first pass of an expansion does so too.", "",
       {with_bars("What a space costs", "ns per tile, less is better; row_major is a grid", "{case}", "form!prepare",
                  {drawn("as many blocks as the GPU holds", time, of_form("tiles", "ns_per_tile")),
                   drawn("one block per multiprocessor", time, of_form("single", "ns_per_tile")),
                   drawn("one block per tile", time, of_form("blocks", "ns_per_tile"))}),
        lines("", "What a preparation adds to a replay", "µs, " + less, "form=prepare", "case", "groups; tiles of costly_first", 0,
              {drawn("{way}", plain, {"added_us"})}),
        table("Every preparation", "{case} groups, {way}", "form=prepare",
              {listed("added, µs", plain, {"added_us"}), listed("replay without it, µs", time, {"alone_us"}),
               listed("replay with it, µs", time, {"with_us"})})}},
      {"gemm", "A matrix product",
       "Bursts with rests between them, contestants in turns; portable is the kernel for any GPU since Ampere.",
       "cuBLAS, and the best of 32 algorithms of cublasLt", bursts()},
      {"gemm_few", "Matrix products with little work",
       "Fewer tiles than multiprocessors, few rows or columns, or ragged edges; bursts with rests between them, contestants in "
       "turns. The floor is the time to read the larger operand from DRAM; one that L2 keeps is read faster.",
       "the better of cuBLAS and the best of 32 algorithms of cublasLt",
       {with_dots("Products with little work, over the better of both libraries", faster, product, "list=products",
                  {listed("cuBLAS, ms", time, by("cublas", "burst_ms")),
                   listed("cublasLt's best of 32, ms", time, by("cublaslt", "burst_ms")),
                   listed("heddle, ms", time, by("heddle", "burst_ms")),
                   drawn("heddle over the better of both", gain, by("cublas|cublaslt", "burst_ms"), by("heddle", "burst_ms")),
                   listed("the floor's share of heddle's time", plain, by("heddle", "floor_share")),
                   listed("heddle's plan", plain, {"kernel", "contender=heddle", "burst_ms"})})}},
      {"gemm_beside", "A matrix product beside another kernel",
       "The other kernel holds multiprocessors. The law is the time of the plan alone, times how many more waves the workers make "
       "that are resident; a product that keeps to it loses only what is held. The other kernel is there all the time, or "
       "`arrives` or `leaves` in the middle of the first of several products in a row.",
       "cuBLAS beside the same kernel", products_beside()},
      {"choose", "The product's plan at random shapes",
       "The plan as it is, and tuned afresh with at most four candidates timed, beside the best of all kernels, schedules and "
       "orders; bursts with rests between them, contestants in turns.",
       "the best of all kernels, schedules and orders, and the better of cuBLAS and cublasLt", plans()},
      {"gemm_study", "Orders and schedules of a matrix product",
       "What `advise` picks without a measurement, the best of all that was measured, and the best in raster order.",
       "raster order with its best kernel and schedule, and the best of all",
       {with_dots("What advise picks", faster, product + ", {kernel}", "list=sweeps|rows",
                  {listed("best, ms", time, {"best_ms"}), listed("advised, ms", time, {"advised_ms"}),
                   listed("row_major, ms", time, {"row_major_ms"}),
                   drawn("what advise picks over the best in raster order", gain, {"row_major_ms"}, {"advised_ms"}),
                   drawn("what advise picks over the best of all that was measured", gain, {"best_ms"}, {"advised_ms"}),
                   listed("what is advised", plain, {"advised", "", "advised_ms"}),
                   listed("what is best", plain, {"best", "", "best_ms"})})}},
      {"grouped", "Products of groups",
       "Preparation and products of groups of rows whose sizes only the device knows; bursts with rests between them, contestants "
       "in turns.", "torch._grouped_mm, one dense product of as many rows, and a loop of cuBLAS calls", groups()},
      {"convolution", "Full-screen passes", "Raster is row_major by one_shot, in the faster of both tiles.",
       "raster order, a block per tile", passes()},
      {"expand", "Work expansion",
       "heddle's strategies and the baselines: CUB's scan and a search (`upper_bound`), CUB's decoder of runs (`run_length`), "
       "Thrust's idiom, and a loop in the thread of each source (`loop`). The floor is the time to store the items alone.",
       "the best of CUB's scan and a search, CUB's decoder of runs, Thrust, and a loop in each thread", expansions()},
      {"lists", "A list or a loop",
       "Sources of twenty distributions and four sizes, and even ones, over three bodies: by a loop in each thread, as `advise_list` "
       "says from the counts and the loop's time, and by the best method.",
       "a loop in each thread",
       {with_dots("As advised, over the loop", faster, "{row}, {sources} sources, {body}", "list=rows|even",
                  {listed("loop, µs", time, {"loop_us"}), listed("as advised, µs", time, {"advised_us"}),
                   listed("the best method, µs", time, {"best_us"}),
                   drawn("as advised over the loop", gain, {"loop_us"}, {"advised_us"}),
                   listed("what is advised", plain, {"advised", "", "advised_us"})})}},
      {"reorder", "Reordering threads", "Keys are random and equally likely; the best of three block sizes counts on either side.",
       "threads as they are, in the best size of blocks", reorderings()},
      {"path_tracer", "A path tracer",
       "Every mode renders the same picture. `each` has a thread per path, and `persistent` threads that take paths in turns.",
       "the faster of a thread per path and persistent threads",
       {with_bars("The path tracer", less, "{mode}", "list=modes",
                  {drawn("{scene}, ms", time, {"milliseconds"}), listed("{scene}, 10⁶ rays per second", plain, {"mega_rays"})}),
        table("", "{scene}", "list=modes",
              {listed("block over threads as they are", gain, each, {"milliseconds", "mode=block"}),
               listed("queues over threads as they are", gain, each, {"milliseconds", "mode=queues"})})}},
      {"wild", "Kernels of every kind",
       "Small kernels as people write them, and over the policy that the pages of heddle recommend for their kind, without tuning.",
       "the kernel before heddle",
       {with_dots("Small kernels of every kind", faster, "{kind}", "list=kinds|even_and_skewed",
                  {listed("before, ms", time, {"before_ms"}), listed("by heddle, ms", time, {"after_ms"}),
                   drawn("by heddle over before", gain, {"before_ms"}, {"after_ms"}), listed("what", plain, {"what"}),
                   listed("by", plain, {"policy"})})}},
      {"cutlass", "In kernels of CUTLASS",
       "A kernel of CUTLASS in clusters, under its own scheduler and under heddle's, alone and while another kernel holds multiprocessors.",
       "CUTLASS's own scheduler, by its default and by a setting",
       {table("Beside a kernel that holds multiprocessors", product + ", {planes} planes, {held} held", "list=products",
              {listed("CUTLASS, AlongN, swizzle 8, ms", time, {"ms", "by=CUTLASS, AlongN, swizzle 8"}),
               listed("dealt, no recipe, ms", time, {"ms", "by=dealt, no recipe"}),
               listed("drawn, no recipe, ms", time, {"ms", "by=drawn, no recipe"})}),
        table("Groups", "{workload}", "list=groups",
              {listed("CUTLASS, AlongM, swizzle 1, ms", time, {"ms", "by=CUTLASS, AlongM, swizzle 1"}),
               listed("dealt, ms", time, {"ms", "by=dealt, as numbered"}),
               listed("drawn, ms", time, {"ms", "by=drawn, as numbered"})})}},
      {"flash_attention", "In FlashAttention-3", "Its forward kernel under its own scheduler and under heddle's, heads of 128, in turns.",
       "FlashAttention's own scheduler",
       {table("One kernel, two schedulers", "{kind}, {sequences}", "list=passes",
              {listed("its own, ms", time, {"ms", "by=own"}), listed("heddle's, ms", time, {"ms", "by=heddle"})}),
        with_dots("Heddle's own kernel", faster, "{kind}, {sequences}", "list=beside_own_kernel",
                  {listed("FlashAttention's kernel, ms", time, {"ms", "by=own"}),
                   listed("heddle's kernel, ms", time, {"ms", "by=own_kernel"}),
                   drawn("heddle's kernel over FlashAttention's", gain, {"ms", "by=own"}, {"ms", "by=own_kernel"})})}},
      {"attention", "Attention", "The forward pass as a PyTorch operator, in turns with PyTorch's own on the same tensors.",
       "cuDNN's attention, and varlen_attn over packed sequences",
       {with_dots("Sequences of the same lengths", faster, "{mask}, {length} tokens, heads of {width}", "list=passes",
                  {listed("heddle, ms", time, {"heddle_ms"}), listed("cuDNN, ms", time, {"cudnn_ms"}),
                   drawn("heddle over cuDNN", gain, {"cudnn_ms"}, {"heddle_ms"})}),
        with_dots("Orders, sections of heads and schedules by one kernel", faster, "{mask}, {sequences} × {length} tokens",
                  "list=sections",
                  {listed("head after head, ms", time, {"raster_ms"}), listed("as advised, ms", time, {"advised_ms"}),
                   listed("the best, ms", time, {"best_ms"}),
                   drawn("as advised over head after head", gain, {"raster_ms"}, {"advised_ms"}),
                   listed("which is the best", plain, {"best", "", "best_ms"})}),
        with_dots("Packed sequences", faster, "{packed}", "list=packed",
                  {listed("heddle, ms", time, {"heddle_ms"}), listed("varlen_attn, ms", time, {"varlen_attn_ms"}),
                   drawn("heddle over varlen_attn", gain, {"varlen_attn_ms"}, {"heddle_ms"})})}},
      {"triton", "Kernels in Triton", "Their tiles come in an order of heddle, by a table or by source; bursts in turns.",
       "groups of eight rows of tiles, and heads one after another",
       {with_dots("A product in Triton", faster, product, "list=products",
                  {listed("in groups, ms", time, {"groups_ms"}), listed("by table, ms", time, {"table_ms"}),
                   listed("by source, ms", time, {"source_ms"}),
                   drawn("by table over groups of eight rows", gain, {"groups_ms"}, {"table_ms"}),
                   drawn("by source over groups of eight rows", gain, {"groups_ms"}, {"source_ms"}),
                   listed("order", plain, {"order", "", "source_ms"})}),
        with_dots("Causal attention in Triton", faster, "{heads} heads of {length}", "list=passes",
                  {listed("in turn, ms", time, {"blocks_ms"}), listed("by table, ms", time, {"table_ms"}),
                   listed("by source, ms", time, {"source_ms"}),
                   drawn("by table over heads in turn", gain, {"blocks_ms"}, {"table_ms"}),
                   drawn("by source over heads in turn", gain, {"blocks_ms"}, {"source_ms"}),
                   listed("predicted over heads in turn", plain, {"predicted_over_blocks", "", "blocks_ms"})})}},
      {"launch_box", "Launch boxes", "A merge sort by its threads per block and its values per thread.",
       "cub::DeviceMergeSort, and the same sort with 256 threads and 7 values per thread for every key", boxes()},
      {"overlap", "Products of several GPUs", "Input comes from the others while they run, or sums go to them.", "",
       {with_dots("Products whose input arrives, or whose sums leave", "time over NCCL and the plan one after the other, " + less,
                  "{what}, " + product + ", {gpus} GPUs",
                  "list=over_nccl", {drawn("{name}", time, {"value"})}),
        with_dots("The same from PyTorch", "time over torch.mm alone, " + less, "{what}, " + product, "list=rows",
                  {drawn("heddle", time, {"heddle_over_alone"}), drawn("NCCL, one after the other", time, {"NCCL_over_alone"}),
                   drawn("PyTorch's fused operator", time, {"torch_over_alone"})})}}};
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
  return table("", "{name}", "",
               {in("MB", "uniform", "mb", "bytes"), in("uniform", "uniform"), in("16 each", "constant"),
                in("power law", "pareto"), in("power law, sorted", "pareto sorted"), in("one of 10 spawns", "90% zero"),
                in("one of 100 spawns", "99% zero"), in("one has nearly all", "one huge"),
                in("mostly 1, some 65536", "1 and 64K")});
}

}  // namespace heddle_bench
