#include <heddle/choose.hpp>
#include <heddle/choose/detail/guard_memory.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "order.hpp"

namespace bound {
namespace {

using python_candidate = candidate<nb::object>;
using python_choice = choice<nb::object, std::string>;  // an error is the text of an exception
using times = candidate_times<std::string>;

/// Returns a text of Python as UTF-8, in which a lone surrogate, as names of files have it, is three bytes.
std::string utf_8_of(nb::handle text) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}
/// Returns the text of Python that `utf_8_of` had.
nb::str text_of(const std::string& utf_8) {
  PyObject* const text = PyUnicode_DecodeUTF8(utf_8.data(), static_cast<Py_ssize_t>(utf_8.size()), "surrogatepass");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

/// The launches of one burst. A clock may keep them, and call them from other threads: they own what they launch.
struct python_burst {
  nb::object launch, value;  // none after the burst
  std::string error;         // of the first launch that raised an exception, as Python prints it

  void once() {
    if (!launch.is_valid()) throw std::runtime_error("heddle.choose: the clock calls a launch whose burst is over");
    if (!error.empty()) return;
    const nb::object call = launch, with = value;  // the burst may end meanwhile
    try {
      call(with);
    } catch (nb::python_error& raised) {
      if (!raised.matches(PyExc_Exception)) throw;  // such as KeyboardInterrupt
      const nb::object lines = nb::module_::import_("traceback")
                                   .attr("format_exception")(raised.type(), raised.value(),
                                                             nb::object(raised.value().attr("__traceback__")));
      error = utf_8_of(nb::str("").attr("join")(lines));
    }
  }
};

/// The clock of a function of Python, `clock(launches, launch)`, or the time that the launches take on the host.
struct python_clock {
  nb::object launch, clock;
  nb::object asked = {};  // the value that the library launches

  template <class Name>
  timed_burst<std::string> burst(int launches, const Name& name) {
    (void)name();
    const auto one = std::make_shared<python_burst>(python_burst{launch, asked, {}});
    const struct ending {
      python_burst& of;
      ~ending() { of.launch.reset(), of.value.reset(); }
    } at_end{*one};
    if (!clock.is_none()) {
      double seconds = 0;
      if (!nb::try_cast(clock(launches, nb::cpp_function([one] { one->once(); })), seconds)) {
        throw nb::type_error("heddle.choose: the clock returns no number of seconds");
      }
      return {seconds, one->error};
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches && one->error.empty(); ++i) one->once();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), one->error};
  }
  void rest(double seconds) {
    const nb::gil_scoped_release others_run;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
};

bool is_key_value(PyObject* any) {
  return PyUnicode_Check(any) || PyNumber_Check(any);
}
struct key_value : nb::object {
  NB_OBJECT(key_value, nb::object, "str | int | float", is_key_value)
};

/// Returns a part of a key. A number that would be rounded is refused: the question of its neighbour is another one.
key_part part_of(const key_value& given) {
  if (PyUnicode_Check(given.ptr())) return utf_8_of(given);
  if (PyIndex_Check(given.ptr())) {  // else a cast may cut a fraction off
    if (long long whole = 0; nb::try_cast(given, whole)) return whole;
    if (unsigned long long whole = 0; nb::try_cast(given, whole)) return whole;
  }
  double number = 0;
  if (!nb::try_cast(given, number) || !nb::float_(number).equal(given)) {
    throw invalid_argument("heddle.choose: a number of the key", " is neither an integer of 64 bits nor a double");
  }
  return number;
}

using machine_parts = std::tuple<std::string, std::string, std::string>;

wisdom_key key_of(const std::vector<key_value>& parts, const std::string& version, const machine_parts& on) {
  wisdom_key key{{std::get<0>(on), std::get<1>(on), std::get<2>(on)}, version, {}};
  for (const key_value& part : parts) key.problem.push_back(part_of(part));
  return key;
}

python_choice choose_of(const std::vector<nb::object>& given, const nb::callable& launch, const nb::object& clock,
                        const std::optional<std::vector<key_value>>& key,
                        const std::optional<std::variant<wisdom*, std::string>>& known, const std::string& version,
                        const machine_parts& on, long long most, double rest, double burst, double tie, double budget) {
  std::vector<python_candidate> candidates;
  for (const nb::object& each : given) {
    candidates.push_back(nb::isinstance<python_candidate>(each) ? nb::cast<python_candidate>(each)
                                                                : python_candidate{each, 0, utf_8_of(nb::str(each))});
  }
  python_clock by{launch, clock};
  const auto name = [&](const nb::object& value) {  // launches nothing: a burst does
    by.asked = value;
    return std::string();
  };
  const choose_options options{
      .most = int_of("most", most), .rest = rest, .burst = burst, .tie = tie, .budget = budget};
  if (key.has_value() != known.has_value())
    throw invalid_argument("heddle::choose", ": a key needs a wisdom, and a wisdom a key");
  if (!key) return choose(candidates, name, by, options);
  std::optional<wisdom> of_file;
  if (const auto* path = std::get_if<std::string>(&*known)) of_file.emplace(*path);
  wisdom& remembers = of_file ? *of_file : *std::get<wisdom*>(*known);
  return remembers.choose(key_of(*key, version, on), candidates, name, by, options);
}

}  // namespace

void bind_choice(nb::module_& m) {
  nb::class_<python_candidate>(m, "candidate",
                               R"(One of the values that `choose` chooses from, with its prediction and its name.

>>> heddle.candidate(256, seconds=1e-3).name
'256')")
      .def(
          "__init__",
          [](python_candidate* self, const nb::object& value, double seconds, const std::optional<nb::str>& name) {
            new (self) python_candidate{value, seconds, utf_8_of(name ? *name : nb::str(value))};
          },
          "value"_a, "seconds"_a = 0.0, "name"_a = nb::none())
      .def_ro("value", &python_candidate::value)
      .def_ro("seconds", &python_candidate::seconds)
      .def_prop_ro("name", [](const python_candidate& one) { return text_of(one.name); });
  nb::class_<times>(m, "candidate_times", R"(The times of one candidate, or the error of its launch.

>>> found = heddle.choose([1, 2], lambda value: None, clock=lambda launches, launch: launches * 1e-3)
>>> found.timed[0].index, round(found.timed[0].seconds, 6)
(0, 0.001))")
      .def_ro("index", &times::index)
      .def_ro("seconds", &times::seconds)
      .def_ro("bursts", &times::bursts)
      .def_prop_ro("error", [](const times& one) { return text_of(one.error); });
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
      .def_prop_ro("error", [](const python_choice& found) { return text_of(found.error); });
  nb::class_<wisdom>(m, "wisdom", R"(Remembers what `choose` found, in a file that any number of processes share.

>>> import tempfile
>>> remembers = heddle.wisdom(tempfile.mkdtemp() + "/wisdom.json")
>>> found = heddle.choose([1, 2], lambda value: None, lambda launches, launch: launches * 1e-3, key=["sort"], wisdom=remembers)
>>> len(remembers), remembers.message()
(1, ''))")
      .def(nb::init<std::string>(), "path"_a)
      // What `heddle.guard` of Python keeps.
      .def("_recall",
           [](const wisdom& known, detail::guarded_key& of, const std::vector<key_value>& key,
              const std::string& version, const machine_parts& on) {
             const auto [which, seconds] = detail::recalled(known.find(key_of(key, version, on)), of.candidates());
             if (which >= 0) of.recall(which, seconds);
           })
      .def("_remember",
           [](wisdom& known, const detail::guarded_key& of, const std::vector<key_value>& key,
              const std::string& version,
              const machine_parts& on) { (void)known.remember(key_of(key, version, on), detail::entry_of(of)); })
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
