#include <heddle/choose/detail/guarded_key.hpp>

#include <nanobind/stl/pair.h>

#include <utility>

#include "order.hpp"

namespace bound {

/// What `heddle.guard` of Python decides by: it records the events itself.
void bind_guard(nb::module_& m) {
  using detail::guarded_key;
  nb::class_<guarded_key>(m, "_guarded_key")
      .def(nb::init<int>())
      .def("next",
           [](guarded_key& of) {
             const guarded_key::turn turn = of.next();
             return std::pair(turn.which, turn.is_timed);
           })
      .def("told", &guarded_key::told)
      .def("lost", &guarded_key::lost)
      .def("drop", &guarded_key::drop)
      .def("untimed", &guarded_key::untimed)
      .def("is_settled", &guarded_key::is_settled);
}

}  // namespace bound
