#include <heddle/choose/detail/guarded_key.hpp>

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "order.hpp"

namespace bound {

/// What `heddle.guard` of Python decides by: it records the events itself.
void bind_guard(nb::module_& m) {
  using detail::guarded_key;
  nb::class_<guarded_key>(m, "_guarded_key")
      .def(nb::init<int>())
      .def("next",
           [](guarded_key& of, bool is_consecutive) {
             const guarded_key::turn turn = of.next(is_consecutive);
             return std::tuple(turn.which, turn.begins, turn.ends, turn.calls);
           })
      .def("told", &guarded_key::told)
      .def("lost", &guarded_key::lost)
      .def("cut", &guarded_key::cut)
      .def("drop", &guarded_key::drop)
      .def("untimed", &guarded_key::untimed)
      .def("is_settled", &guarded_key::is_settled);
}

}  // namespace bound
