// The module `heddle._heddle`: what the C++ library answers, under its names.

#include <heddle/version.hpp>

#include "order.hpp"

NB_MODULE(_heddle, m) {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const heddle::invalid_argument& refused) {
      PyErr_SetString(PyExc_ValueError, refused.what());
    }
  });
  m.attr("__version__") = heddle::version_string;
  bound::bind_orders(m);
  bound::bind_predictions(m);
  bound::bind_laws(m);
  bound::bind_choice(m);
  bound::bind_guard(m);
}
