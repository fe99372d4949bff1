#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <optional>
#include <set>
#include <type_traits>

#include "order.hpp"

namespace bound {
namespace {

using namespace predict;
using releases = nb::call_guard<nb::gil_scoped_release>;
using any_problem =
    std::variant<gemm_problem, stencil_problem, batched_problem, causal_problem, grouped_problem, pairs_problem>;
using any_device = std::variant<device, std::string>;

/// Calls `f(name, member)` for each number of a device.
template <class Device, class F>
void for_each_number(Device& chip, const F& f) {
  heddle::detail::for_each_member(chip, [&](const char* name, auto& member, const auto&) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(member)>>) f(name, member);
  });
}

device device_of(const any_device& given) {
  if (const auto* chip = std::get_if<device>(&given)) return *chip;
  return device_named(std::get<std::string>(given));
}

recipe schedule_of(const std::string& name, long long run) {
  recipe by = from_string(name);
  if (to_string(by.schedule) != name)
    throw invalid_argument("heddle::recipe: schedule", (": \"" + name + "\" is none").c_str());
  by.run = int_of("run", run);
  return by;
}

/// A launch of a problem: what advice names, and the order that it means.
struct launch : recipe {
  bound::order tiles;
};
struct answer : advice {
  launch made;
  std::vector<launch> measured;  // of to_measure
};

launch launch_of(const recipe& by, const any_problem& any) {
  order tiles = std::visit(
      [&](const auto& problem) -> order {
        using problem_type = std::decay_t<decltype(problem)>;
        if constexpr (std::is_same_v<problem_type, grouped_problem>) {
          return make_grouped(problem.rows, problem.tile_m, problem.space().cols(), by.width, by.axis, by.sequence);
        } else if constexpr (std::is_same_v<problem_type, batched_problem>) {
          return make_batched(order_of(by, problem.plane.grid()), problem.count, by.interleave);
        } else if constexpr (std::is_same_v<problem_type, pairs_problem>) {
          const triangle space = problem.space();
          return make_triangular(order_of(by, space.folded()), space, {});
        } else {
          return order_of(by, problem.grid());
        }
      },
      any);
  return {by, std::move(tiles)};
}

answer advise_on(const any_problem& any, const any_device& on, std::optional<long long> given,
                 double measured_seconds) {
  const device chip = device_of(on);
  std::optional<int> blocks;
  if (given) blocks = int_of("blocks_per_multiprocessor", *given);
  const advice found = [&] {
    const nb::gil_scoped_release others_run;
    return std::visit(
        [&](const auto& problem) {
          if constexpr (requires { problem.usual_blocks; }) {
            return advise(problem, chip, blocks.value_or(problem.usual_blocks), measured_seconds);
          } else {
            if (!blocks)
              throw invalid_argument("heddle::predict::advise",
                                     ": blocks_per_multiprocessor of this problem is not given");
            return advise(problem, chip, *blocks, measured_seconds);
          }
        },
        any);
  }();
  answer all{found, launch_of(found, any), {}};
  for (const recipe& by : found.to_measure) all.measured.push_back(launch_of(by, any));
  return all;
}

std::string bytes_text(long long bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GB", 1e-9 * static_cast<double>(bytes));
  return text;
}
std::string text_of_answer(const answer& a) {
  return to_string(static_cast<const recipe&>(a)) + "\n" + bytes_text(a.predicted_bytes) + " of DRAM, " +
         bytes_text(a.plain_bytes) + " in the plain order\n" + a.reason;
}
std::string html_of(const answer& a) {
  std::string text = "<pre>";
  for (const char c : text_of_answer(a)) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  text += "</pre>";
  const nb::object picture = nb::cast(a.made.tiles).attr("_repr_svg_")();
  return picture.is_none() ? text : text + nb::cast<std::string>(picture);
}

/// Calls `f` with an order and a problem that have the same tiles, or refuses them.
template <class Result, class F>
Result with_both(const order& tiles, const any_problem& any, const char* name, const F& f) {
  return std::visit(
      [&](const auto& of, const auto& problem) -> Result {
        using tile = tile_of<std::decay_t<decltype(of)>>;
        using tile_of_other = heddle::detail::tile_of_problem<std::decay_t<decltype(problem)>>;
        if constexpr (std::is_same_v<tile, tile_of_other>) {
          return f(of, problem);
        } else {
          throw invalid_argument(name, ": the tiles of the order are not those of the problem");
        }
      },
      tiles.of, any);
}

traffic_report traffic_of(const order& tiles, const any_problem& any, const any_device& on, long long given,
                          const std::string& schedule, long long run) {
  const recipe by = schedule_of(schedule, run);
  const int blocks = int_of("blocks_per_multiprocessor", given);
  const device chip = device_of(on);
  return with_both<traffic_report>(tiles, any, "heddle::predict::traffic", [&](const auto& of, const auto& problem) {
    return traffic(of, problem, chip, blocks, by);
  });
}

using any_costs = std::variant<numbers_of_tiles, any_problem>;

/// Returns what the tiles take, by index.
std::vector<double> costs_of(const order& tiles, const any_costs& costs) {
  std::vector<double> of_index(static_cast<std::size_t>(tiles.size()));
  const auto fill = [&](const auto& of, const auto& cost) {
    for (int i = 0; i < of.size(); ++i) of_index[static_cast<std::size_t>(i)] = cost(of(i));
  };
  if (const auto* problem = std::get_if<any_problem>(&costs)) {
    with_both<void>(tiles, *problem, "heddle::predict::makespan", [&](const auto& of, const auto& of_problem) {
      fill(of, [&](const auto& tile) { return of_problem.cost(tile); });
    });
    return of_index;
  }
  const numbers_of_tiles& given = std::get<numbers_of_tiles>(costs);
  heddle::detail::require_equal(tiles.size(), "heddle::predict::makespan: costs", static_cast<long long>(given.size()));
  std::visit(
      [&](const auto& of) {
        fill(of, [&, space = of.space()](const auto& tile) { return given.data()[space.number(tile)]; });
      },
      tiles.of);
  return of_index;
}

makespan_report makespan_of(const order& tiles, const any_costs& costs, long long workers, const std::string& schedule,
                            long long run, long long together) {
  const recipe by = schedule_of(schedule, run);
  const std::vector<double> of_index = costs_of(tiles, costs);
  return makespan(
      row_major{{1, tiles.size()}}, [&](coord at) { return of_index[static_cast<std::size_t>(at.col)]; },
      {int_of("workers", workers), int_of("together", together)}, by);
}

/// Which members a call of Python gave.
using given_names = std::set<std::string>;

template <class Member>
constexpr const char* type_name = std::is_same_v<Member, int>            ? "int"
                                  : std::is_same_v<Member, long long>    ? "int"
                                  : std::is_same_v<Member, bool>         ? "bool"
                                  : std::is_same_v<Member, double>       ? "float"
                                  : std::is_same_v<Member, gemm_problem> ? "gemm_problem"
                                                                         : "list[int]";

/// Refuses a call that makes a value of the class `of`.
[[noreturn]] void refuse_call(const std::string& of, const std::string& why) {
  throw nb::type_error(("heddle." + of + ": " + why).c_str());
}
/// Refuses a name that is no member of the class `of`, whose members are `known`.
[[noreturn]] void refuse_name(const std::string& of, const std::string& name, const std::string& known) {
  refuse_call(of, name + " is no member; they are " + known);
}

/// Returns a value of Python as a member of the class `of`, or refuses it by the names and the types of both.
template <class Member>
Member member_of(const std::string& of, const char* name, nb::handle value) {
  constexpr bool is_int = std::is_same_v<Member, int>, is_list = std::is_same_v<Member, std::vector<int>>;
  using wide = std::conditional_t<is_int, long long, std::conditional_t<is_list, std::vector<long long>, Member>>;
  wide given{};
  if (!nb::try_cast<wide>(value, given)) {
    const nb::object type = value.type().attr("__name__");
    refuse_call(of, std::string(name) + " is " + nb::repr(value).c_str() + ", of type " + nb::str(type).c_str() +
                        "; it must be of type " + type_name<Member>);
  }
  if constexpr (is_int) {
    return int_of(name, given);
  } else if constexpr (is_list) {
    return ints_of(name, given);
  } else {
    return given;
  }
}

/// Binds a problem: the members that a call gives in this order or by name, `required` of them at least. `derive` sets
/// members whose defaults are others.
template <class Problem, class Derive, class... Members>
void bind_problem(nb::module_& m, const char* name, const char* text, std::size_t required, const Problem& defaults,
                  const Derive& derive, std::pair<const char*, Members Problem::*>... members) {
  nb::class_<Problem> bound(m, name, text);
  std::string signature = "def __init__(self", known;
  std::size_t number = 0;
  ((signature += std::string(", ") + members.first + ": " + type_name<Members> + (number++ < required ? "" : " = ..."),
    known += (known.empty() ? "" : ", ") + std::string(members.first)),
   ...);
  bound.def(
      "__init__",
      [=](Problem* self, const nb::args& args, const nb::kwargs& named) {
        Problem made = defaults;
        given_names given;
        std::size_t at = 0;
        const auto set = [&](const char* member, auto& to) {
          const bool is_placed = at < args.size(), is_named = named.contains(member);
          if (is_placed || is_named) {
            if (is_placed && is_named) refuse_call(name, std::string(member) + " is given twice");
            const nb::object value = is_placed ? nb::object(args[at]) : nb::object(named[member]);
            to = member_of<std::decay_t<decltype(to)>>(name, member, value);
            given.insert(member);
          } else if (at < required) {
            refuse_call(name, std::string(member) + " is missing");
          }
          ++at;
        };
        for (const auto& each : named) {
          const char* const member = nb::cast<const char*>(each.first);
          if (((std::string(member) != members.first) && ...)) refuse_name(name, member, known);
        }
        if (args.size() > sizeof...(Members)) refuse_call(name, "more values are given than its members, " + known);
        (set(members.first, made.*(members.second)), ...);
        derive(made, given);
        made.check();
        new (self) Problem(std::move(made));
      },
      nb::sig((signature + ") -> None").c_str()));
  (bound.def_ro(members.first, members.second), ...);
  if constexpr (requires { defaults.grid(); }) {
    bound.def(
        "grid", [](const Problem& p) { return tuple_of(p.grid()); }, "Returns the grid of tiles.");
  } else if constexpr (std::is_same_v<decltype(defaults.space()), triangle>) {
    bound.def("space", &Problem::space, "Returns the triangle of tiles.");
  }
  bound.def("compulsory_bytes", &Problem::compulsory_bytes, "Returns the bytes that any order must read.");
}

template <class Problem, class Member>
std::pair<const char*, Member Problem::*> is(const char* name, Member Problem::*member) {
  return {name, member};
}

void bind_problems(nb::module_& m) {
  using gemm = gemm_problem;
  bind_problem(
      m, "gemm_problem", R"(Describes a matrix product, C (m x n) = A (m x k) B (k x n).

>>> heddle.gemm_problem(8192, 8192, 8192, tile_n=256).grid()
(64, 32))",
      3, gemm{.m = 0, .n = 0, .k = 0},
      [](gemm& p, const given_names& given) {
        const gemm usual{.m = p.m, .n = p.n, .k = p.k, .element_bytes = p.element_bytes};
        if (given.count("output_bytes") == 0) p.output_bytes = usual.output_bytes;
        if (given.count("whole_lines") == 0) p.whole_lines = usual.whole_lines;
      },
      is("m", &gemm::m), is("n", &gemm::n), is("k", &gemm::k), is("tile_m", &gemm::tile_m), is("tile_n", &gemm::tile_n),
      is("tile_k", &gemm::tile_k), is("element_bytes", &gemm::element_bytes), is("output_bytes", &gemm::output_bytes),
      is("whole_lines", &gemm::whole_lines), is("operations_per_second", &gemm::operations_per_second),
      is("blocks_per_tile", &gemm::blocks_per_tile));

  using stencil = stencil_problem;
  bind_problem(
      m, "stencil_problem", R"(Describes a full-screen pass that reads taps around each pixel.

>>> heddle.stencil_problem(8192, 16384, bytes_per_pixel=32, rows_radius=2, cols_radius=2, step=64).grid()
(512, 1024))",
      3, stencil{}, [](stencil&, const given_names&) {}, is("rows", &stencil::rows), is("cols", &stencil::cols),
      is("bytes_per_pixel", &stencil::bytes_per_pixel), is("tile_rows", &stencil::tile_rows),
      is("tile_cols", &stencil::tile_cols), is("rows_radius", &stencil::rows_radius),
      is("cols_radius", &stencil::cols_radius), is("step", &stencil::step),
      is("written_bytes_per_pixel", &stencil::written_bytes_per_pixel),
      is("requested_bytes_per_pixel", &stencil::requested_bytes_per_pixel),
      is("instructions_per_pixel", &stencil::instructions_per_pixel));

  using batch = batched_problem;
  bind_problem(
      m, "batched_problem", R"(Describes products of one shape, of which some may share A or B.

>>> heddle.batched_problem(heddle.gemm(512, 4096, 4096), count=64, planes_per_b=64).compulsory_bytes()
301989888)",
      2, batch{.plane = {.m = 0, .n = 0, .k = 0}, .count = 0}, [](batch&, const given_names&) {},
      is("plane", &batch::plane), is("count", &batch::count), is("planes_per_a", &batch::planes_per_a),
      is("planes_per_b", &batch::planes_per_b));

  using causal = causal_problem;
  bind_problem(
      m, "causal_problem", R"(Describes causal attention: a row of tiles per tile of queries, a column per head.

>>> heddle.causal_problem(16384, 16384, heads=32, key_heads=8).grid()
(128, 32))",
      3, causal{},
      [](causal& p, const given_names& given) {
        if (given.count("key_heads") == 0) p.key_heads = p.heads;
      },
      is("queries", &causal::queries), is("keys", &causal::keys), is("heads", &causal::heads),
      is("key_heads", &causal::key_heads), is("width", &causal::width), is("tile_queries", &causal::tile_queries),
      is("tile_keys", &causal::tile_keys), is("element_bytes", &causal::element_bytes),
      is("operations_per_second", &causal::operations_per_second));

  using groups = grouped_problem;
  bind_problem(
      m, "grouped_problem", R"(Describes a grouped product: the rows of each group times the group's own matrix.

>>> heddle.grouped_problem([700, 0, 90, 2300], 2048, 4096).compulsory_bytes()
75644928)",
      3, groups{},
      [](groups& p, const given_names& given) {
        if (given.count("output_bytes") == 0) p.output_bytes = p.element_bytes;
        if (given.count("step_rows") == 0) p.step_rows = p.tile_m;
      },
      is("rows", &groups::rows), is("n", &groups::n), is("k", &groups::k), is("tile_m", &groups::tile_m),
      is("tile_n", &groups::tile_n), is("tile_k", &groups::tile_k), is("element_bytes", &groups::element_bytes),
      is("output_bytes", &groups::output_bytes), is("step_rows", &groups::step_rows),
      is("operations_per_second", &groups::operations_per_second), is("blocks_per_tile", &groups::blocks_per_tile));

  using pairs = pairs_problem;
  bind_problem(
      m, "pairs_problem", R"(Describes a value of each pair i < j of so many things, such as distances.

>>> len(heddle.pairs_problem(5, 64, tile_things=2).space())
5)",
      2, pairs{}, [](pairs&, const given_names&) {}, is("things", &pairs::things), is("elements", &pairs::elements),
      is("tile_things", &pairs::tile_things), is("step_elements", &pairs::step_elements),
      is("element_bytes", &pairs::element_bytes), is("pair_bytes", &pairs::pair_bytes));
}

void bind_device(nb::module_& m) {
  nb::class_<device>(m, "device", R"(Describes a card: one of the library's by its name, with numbers of your own.

>>> heddle.device("h200", multiprocessors=66).multiprocessors
66)")
      .def(
          "__init__",
          [](device* self, const std::string& name, const nb::kwargs& own) {
            device chip = device_named(name);
            std::string known;
            given_names given;
            for_each_number(chip, [&](const char* member, auto& number) {
              known += (known.empty() ? "" : ", ") + std::string(member);
              if (!own.contains(member)) return;
              number = member_of<std::remove_reference_t<decltype(number)>>("device", member, own[member]);
              given.insert(member);
            });
            for (const auto& each : own) {
              const char* const member = nb::cast<const char*>(each.first);
              if (given.count(member) == 0) refuse_name("device", member, known);
            }
            chip.check();
            new (self) device(chip);
          },
          "name"_a, "own"_a)
      .def_prop_ro("name", [](const device& chip) { return std::string(chip.name.c_str()); })
      .def("__getattr__",
           [](const device& chip, const std::string& name) -> nb::object {
             nb::object found;
             for_each_number(chip, [&](const char* member, const auto& number) {
               if (name == member) found = nb::cast(number);
             });
             if (!found.is_valid()) throw nb::attribute_error(name.c_str());
             return found;
           })
      .def("__repr__", [](const device& chip) { return heddle::detail::text_of(chip); });
  m.def(
      "read_device",
      [](const std::string& path) {
        const stored_device read = read_device(path);
        if (!read) throw invalid_argument("", read.error.c_str());
        return read.chip;
      },
      "path"_a,
      "Reads a card from a file of `write_device`, or of `heddle::predict::write_device`, such as of a calibrated card.");
  m.def(
      "write_device",
      [](const std::string& path, const any_device& described) {
        const std::string error = write_device(path, device_of(described));
        if (!error.empty()) throw invalid_argument("", error.c_str());
      },
      "path"_a, "device"_a,
      R"(Writes a card to a file, for `read_device`, the command line (`--device mine.json`) and C++.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "mine.json")
>>> heddle.write_device(path, heddle.device("h200", multiprocessors=66))
>>> heddle.read_device(path).multiprocessors
66)");
}

}  // namespace

void bind_predictions(nb::module_& m) {
  bind_problems(m);
  bind_device(m);

  nb::class_<launch>(m, "recipe", R"(Describes a launch: an order of its tiles, and a schedule.

>>> pass_ = heddle.stencil_problem(4096, 4096, bytes_per_pixel=4, rows_radius=2, cols_radius=2, step=64)
>>> heddle.advise(pass_, "h200", 8).to_measure[0]
dilated, step 4x4, width 2, sm_affine, run 16)")
      .def_ro("order", &launch::tiles)
      .def_prop_ro("schedule", [](const launch& by) { return to_string(by.schedule); })
      .def_prop_ro("run", [](const launch& by) { return by.run; })
      .def("__repr__", [](const launch& by) { return to_string(by); });

  nb::class_<answer>(m, "advice", R"(Names the order and the schedule to use, what they take, and why.

>>> best = heddle.advise(heddle.gemm(8192, 8192, 8192), "h200")
>>> best.schedule, best.matters, 2 * best.predicted_bytes < best.plain_bytes
('strided', True, True))")
      .def_prop_ro("order", [](const answer& a) { return a.made.tiles; })
      .def_prop_ro("schedule", [](const answer& a) { return to_string(a.schedule); })
      .def_prop_ro("run", [](const answer& a) { return a.run; })
      .def_prop_ro("matters", [](const answer& a) { return a.matters; })
      .def_ro("to_measure", &answer::measured)
      .def_prop_ro("predicted_bytes", [](const answer& a) { return a.predicted_bytes; })
      .def_prop_ro("plain_bytes", [](const answer& a) { return a.plain_bytes; })
      .def_prop_ro("replayed", [](const answer& a) { return a.replayed; })
      .def_prop_ro("predicted_seconds", [](const answer& a) { return a.predicted_seconds; })
      .def_prop_ro("plain_seconds", [](const answer& a) { return a.plain_seconds; })
      .def_prop_ro("error", [](const answer& a) { return a.error; })
      .def_prop_ro("reason", [](const answer& a) { return a.reason; })
      .def(
          "code", [](const answer& a, const std::string& grid) { return source{a}.order(grid); }, "grid"_a = "grid",
          "Returns the C++ that builds the order of a grid.")
      .def(
          "line",
          [](const answer& a, const std::string& language) {
            return a.made.tiles.of.index() < 2 ? source{a}.line(language) : std::string();  // of a grid or a batch
          },
          "language"_a = "cuda",
          R"(Returns the line that gives this order to a kernel of a block per tile, or "" if no line does.

`language` is "cuda", "triton" or "tilelang".

>>> picture = heddle.stencil_problem(2039, 65521, tile_rows=16, tile_cols=128, bytes_per_pixel=16,
...                                  written_bytes_per_pixel=16, rows_radius=32)
>>> best = heddle.advise(picture, "h200", 6)
>>> best.line()
'const auto blockIdx = heddle::in_bands<64>();'
>>> best.line("triton")
'col, row = tl.swizzle2d(0, tl.program_id(0), cols, rows, 64)')")
      .def("__repr__", &text_of_answer)
      .def("_repr_html_", &html_of);
  m.def("advise", &advise_on, "problem"_a, "device"_a, "blocks_per_multiprocessor"_a = nb::none(),
        "measured_seconds"_a = 0.0,
        R"(Returns the order and the schedule to use for a problem, and why.

>>> best = heddle.advise(heddle.gemm(8192, 8192, 8192), device="h200")
>>> best.order, best.schedule
(heddle.cta_swizzle((64, 64), width=8, axis='y'), 'strided'))");

  nb::class_<wave_traffic>(m, "wave_traffic", R"(Counts the bytes that a wave of blocks moves, or all of them.

>>> product = heddle.gemm(1024, 1024, 1024)
>>> heddle.traffic(heddle.row_major(product.grid()), product, "h200").waves[0].written_bytes
2097152)")
      .def_ro("requested_bytes", &wave_traffic::requested_bytes)
      .def_ro("dram_bytes", &wave_traffic::dram_bytes)
      .def_ro("written_bytes", &wave_traffic::written_bytes)
      .def("reuse", &wave_traffic::reuse, "Returns how often a byte from DRAM is used.")
      .def("hit_rate", &wave_traffic::hit_rate, "Returns the share of the requested bytes that were in the cache.");
  nb::class_<traffic_report>(m, "traffic_report", R"(Reports the bytes of a replay.

>>> product = heddle.gemm(1024, 1024, 1024)
>>> moved = heddle.traffic(heddle.row_major(product.grid()), product, "h200")
>>> len(moved.waves), moved.total.dram_bytes == moved.compulsory_bytes
(1, True))")
      .def_ro("total", &traffic_report::total)
      .def_ro("waves", &traffic_report::waves)
      .def_ro("compulsory_bytes", &traffic_report::compulsory_bytes);
  m.def("traffic", &traffic_of, "order"_a, "problem"_a, "device"_a, "blocks_per_multiprocessor"_a = 1,
        "schedule"_a = "one_shot", "run"_a = 1, releases(),
        R"(Replays an order on a card, and returns the bytes of each wave.

>>> product = heddle.gemm(4096, 4096, 4096)
>>> heddle.traffic(heddle.row_major(product.grid()), product, "h200").total.dram_bytes
309329920)");
  nb::class_<l1_traffic_report>(m, "l1_traffic_report", R"(Counts what a pass reads from L1, and L1 from L2.

>>> blur = heddle.stencil_problem(512, 512, bytes_per_pixel=4, rows_radius=4)
>>> near = heddle.l1_traffic(heddle.row_major(blur.grid()), blur, "h200", 8)
>>> near.l2_bytes <= near.requested_bytes
True)")
      .def_ro("requested_bytes", &l1_traffic_report::requested_bytes)
      .def_ro("l2_bytes", &l1_traffic_report::l2_bytes)
      .def("hit_rate", &l1_traffic_report::hit_rate, "Returns the share of the bytes that were in L1.");
  m.def(
      "l1_traffic",
      [](const order& tiles, const stencil_problem& pass, const any_device& on, long long blocks,
         const std::string& schedule, long long run) {
        return l1_traffic(of_grid(tiles, "heddle::predict::l1_traffic"), pass, device_of(on),
                          int_of("blocks_per_multiprocessor", blocks), schedule_of(schedule, run));
      },
      "order"_a, "problem"_a, "device"_a, "blocks_per_multiprocessor"_a, "schedule"_a = "one_shot", "run"_a = 1,
      releases(),
      R"(Returns what a pass reads from L1, and what L1 then reads from L2.

>>> blur = heddle.stencil_problem(512, 512, bytes_per_pixel=4, rows_radius=4)
>>> heddle.l1_traffic(heddle.row_major(blur.grid()), blur, "h200", 8).requested_bytes
1048576)");

  nb::class_<makespan_report> report(m, "makespan_report", R"(Says when each tile of a launch runs, and where.

>>> report = heddle.makespan(heddle.row_major((1, 3)), numpy.array([1.0, 2.0, 3.0]), workers=2, schedule="ticket")
>>> report.end, report.worker.tolist(), report.tile_begin.tolist()
(4.0, [0, 1, 0], [0.0, 0.0, 1.0]))");
  report.def_ro("end", &makespan_report::end)
      .def_ro("work", &makespan_report::work)
      .def_ro("longest", &makespan_report::longest)
      .def_ro("workers", &makespan_report::workers)
      .def("idle_share", &makespan_report::idle_share,
           "Returns the share of the workers' time in which they have no tile.");
  const auto view_of = [&](const char* name, auto member, const char* text) {
    report.def_prop_ro(
        name,
        [=](nb::handle self) {
          auto& all = nb::cast<makespan_report&>(self).stretches;
          return array_of(all.empty() ? nullptr : &(all[0].*member), all.size(), self, sizeof all[0]);
        },
        text);
  };
  view_of("worker", &makespan_report::stretch::worker, "The worker of each index, as a view.");
  view_of("tile_begin", &makespan_report::stretch::begin, "When each index begins, as a view.");
  view_of("tile_end", &makespan_report::stretch::end, "When each index ends, as a view.");
  m.def("makespan", &makespan_of, "order"_a, "costs"_a, "workers"_a, "schedule"_a = "one_shot", "run"_a = 1,
        "together"_a = 1,
        R"(Predicts when a launch ends on `workers` blocks that run at once.

`costs` has one number per tile, row after row, or is a problem.

>>> costs = numpy.array([1.0, 1.0, 1.0, 3.0])
>>> heddle.makespan(heddle.row_major((1, 4)), costs, workers=2, schedule="ticket").end
4.0)");
}

}  // namespace bound
