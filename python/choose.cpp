#include <heddle/choose.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <thread>
#include <tuple>

#include "order.hpp"

namespace bound {
namespace {

using python_candidate = candidate<nb::object>;
using python_choice = choice<nb::object, std::string>;  // an error is the text of an exception
using times = candidate_times<std::string>;

/// The clock of a function of Python, `clock(launches, launch)`, or the time that the launches take on the host.
struct python_clock {
  nb::object clock;

  template <class Launch>
  timed_burst<std::string> burst(int launches, const Launch& launch) {
    std::string error;
    const auto once = [&] {
      if (error.empty()) error = launch();
    };
    if (!clock.is_none()) {
      double seconds = 0;
      if (!nb::try_cast(clock(launches, nb::cpp_function(once)), seconds)) {
        throw nb::type_error("heddle.choose: the clock returns no number of seconds");
      }
      return {seconds, error};
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches && error.empty(); ++i) once();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), error};
  }
  void rest(double seconds) {
    const nb::gil_scoped_release others_run;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

using key_parts = std::vector<std::variant<long long, double, std::string>>;
using machine_parts = std::tuple<std::string, std::string, std::string>;

wisdom_key key_of(const key_parts& parts, const std::string& version, const machine_parts& on) {
  wisdom_key key{{std::get<0>(on), std::get<1>(on), std::get<2>(on)}, version, {}};
  for (const auto& part : parts) {
    std::visit([&](const auto& value) { key.problem.push_back(value); }, part);
  }
  return key;
}

python_choice choose_of(const std::vector<nb::object>& given, const nb::callable& launch, const nb::object& clock,
                        const std::optional<key_parts>& key,
                        const std::optional<std::variant<wisdom*, std::string>>& known, const std::string& version,
                        const machine_parts& on, long long most, double rest, double burst, double tie, double budget) {
  std::vector<python_candidate> candidates;
  for (const nb::object& each : given) {
    candidates.push_back(nb::isinstance<python_candidate>(each) ? nb::cast<python_candidate>(each)
                                                                : python_candidate{each, 0, nb::str(each).c_str()});
  }
  const auto launch_one = [&](const nb::object& value) -> std::string {
    try {
      launch(value);
    } catch (nb::python_error& raised) {
      if (!raised.matches(PyExc_Exception)) throw;  // such as KeyboardInterrupt
      return raised.what();
    }
    return "";
  };
  const choose_options options{
      .most = int_of("most", most), .rest = rest, .burst = burst, .tie = tie, .budget = budget};
  if (key.has_value() != known.has_value())
    throw invalid_argument("heddle::choose", ": a key needs a wisdom, and a wisdom a key");
  if (!key) return choose(candidates, launch_one, python_clock{clock}, options);
  std::optional<wisdom> of_file;
  if (const auto* path = std::get_if<std::string>(&*known)) of_file.emplace(*path);
  wisdom& remembers = of_file ? *of_file : *std::get<wisdom*>(*known);
  return remembers.choose(key_of(*key, version, on), candidates, launch_one, python_clock{clock}, options);
}

}  // namespace

void bind_choice(nb::module_& m) {
  nb::class_<python_candidate>(m, "candidate",
                               R"(One of the values that `choose` chooses from, with its prediction and its name.

>>> heddle.candidate(256, seconds=1e-3).name
'256')")
      .def(
          "__init__",
          [](python_candidate* self, const nb::object& value, double seconds, const std::optional<std::string>& name) {
            new (self) python_candidate{value, seconds, name ? *name : nb::str(value).c_str()};
          },
          "value"_a, "seconds"_a = 0.0, "name"_a = nb::none())
      .def_ro("value", &python_candidate::value)
      .def_ro("seconds", &python_candidate::seconds)
      .def_ro("name", &python_candidate::name);
  nb::class_<times>(m, "candidate_times", R"(The times of one candidate, or the error of its launch.

>>> found = heddle.choose([1, 2], lambda value: None, clock=lambda launches, launch: launches * 1e-3)
>>> found.timed[0].index, round(found.timed[0].seconds, 6)
(0, 0.001))")
      .def_ro("index", &times::index)
      .def_ro("seconds", &times::seconds)
      .def_ro("bursts", &times::bursts)
      .def_ro("error", &times::error);
  nb::class_<python_choice>(m, "choice", R"(What `choose` found: a candidate, its time, and the times of all others.

>>> found = heddle.choose(["one"], lambda value: None, clock=lambda launches, launch: launches * 1e-3)
>>> found.value, found.remembered
('one', False))")
      .def_ro("value", &python_choice::value)
      .def_ro("index", &python_choice::index)
      .def_ro("seconds", &python_choice::seconds)
      .def_ro("noise", &python_choice::noise)
      .def_ro("remembered", &python_choice::remembered)
      .def_ro("timed", &python_choice::timed)
      .def_ro("failed", &python_choice::failed)
      .def_ro("error", &python_choice::error);
  nb::class_<wisdom>(m, "wisdom", R"(Remembers what `choose` found, in a file that any number of processes share.

>>> import tempfile
>>> remembers = heddle.wisdom(tempfile.mkdtemp() + "/wisdom.json")
>>> found = heddle.choose([1, 2], lambda value: None, lambda launches, launch: launches * 1e-3, key=["sort"], wisdom=remembers)
>>> len(remembers), remembers.message()
(1, ''))")
      .def(nb::init<std::string>(), "path"_a)
      .def("message", &wisdom::message, "Returns what is wrong with the file, in words, or an empty text.")
      .def("__len__", &wisdom::size);
  m.def("choose", &choose_of, "candidates"_a, "launch"_a, "clock"_a = nb::none(), nb::kw_only(), "key"_a = nb::none(),
        "wisdom"_a = nb::none(), "version"_a = "", "machine"_a = machine_parts{}, "most"_a = 4, "rest"_a = 0.0,
        "burst"_a = 0.002, "tie"_a = 0.005, "budget"_a = 2.0,
        R"(Chooses the fastest candidate by timing the few that are predicted best.

`launch(value)` launches one. `clock(launches, launch)` calls `launch()` so many times, waits for all of them, and returns the
seconds. Without a clock it is the time of the host, for launches that wait for themselves. With a `key` (a sequence of texts and
numbers) and a `wisdom` (an object or the path of its file) a question is timed once.

>>> found = heddle.choose([3, 1, 2], launch=lambda value: None, clock=lambda launches, launch: launches * 1e-3)
>>> found.value, len(found.timed)
(3, 3))");
}

}  // namespace bound
