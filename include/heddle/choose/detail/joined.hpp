#pragma once

#include <string>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Joins texts. g++ 12 warns of an overlap that is none where a literal is added to a string that is moved from.
template <class... Texts>
std::string joined(const Texts&... texts) {
  std::string all;
  (all.append(texts), ...);
  return all;
}

}}}  // namespace heddle::HEDDLE_ABI::detail
