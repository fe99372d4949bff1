#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#include "c_interface.h"
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#include <cstring>
#include <memory>

#include "../common/c_status.hpp"
#include "gathered_product.hpp"
#include "scattered_product.hpp"

/// One of the two.
struct heddle_overlap {
  overlap::problem problem;
  std::unique_ptr<overlap::gathered_product> gathers;
  std::unique_ptr<overlap::scattered_product> scatters;

  /// Returns the result of `work` with the product that there is.
  template <class Work>
  auto with(const Work& work) const {
    return gathers ? work(*gathers) : work(*scatters);
  }
};

namespace {

static_assert(c_status::refused == heddle_overlap_refused);

/// Returns the status of `work`.
template <class Work>
int caught(const Work& work) {
  return c_status::caught("overlap", [&] {
    work();
    return cudaSuccess;
  });
}

template <class Part>
Part& given(Part* part) {
  return c_status::given(part, "overlap: part");
}

/// Returns a part of which `make` makes the product, or null.
template <class Make>
heddle_overlap* made(const overlap::problem& problem, const Make& make) {
  std::unique_ptr<heddle_overlap> part;
  const int status = caught([&] {
    part = std::make_unique<heddle_overlap>();
    part->problem = problem;
    make(*part);
  });
  return status == 0 ? part.release() : nullptr;
}

}  // namespace

heddle_overlap* heddle_overlap_gather(int m, int n, int k, int ranks, int rank, long long limit) {
  const overlap::problem problem{m, n, k, ranks};
  return made(problem, [&](heddle_overlap& part) {
    part.gathers = std::make_unique<overlap::gathered_product>(problem, rank, overlap::options{.limit = limit});
  });
}

heddle_overlap* heddle_overlap_scatter(int m, int n, int k, int ranks, int rank, long long limit) {
  const overlap::problem problem{m, n, k, ranks};
  return made(problem, [&](heddle_overlap& part) {
    part.scatters = std::make_unique<overlap::scattered_product>(problem, rank, overlap::options{.limit = limit});
  });
}

void heddle_overlap_free(heddle_overlap* part) {
  delete part;
}

size_t heddle_overlap_address_bytes() {
  return sizeof(overlap::address);
}

int heddle_overlap_address(const heddle_overlap* part, void* address) {
  return caught([&] {
    const overlap::address mine = given(part).with([](const auto& product) { return product.address(); });
    std::memcpy(&c_status::given(static_cast<char*>(address), "overlap: address"), &mine, sizeof mine);
  });
}

int heddle_overlap_connect(heddle_overlap* part, const void* addresses) {
  bool is_connected = false;
  const int status = caught([&] {
    std::vector<overlap::address> of_all(static_cast<unsigned>(given(part).problem.ranks));
    std::memcpy(of_all.data(), &c_status::given(static_cast<const char*>(addresses), "overlap: addresses"),
                of_all.size() * sizeof of_all.front());
    is_connected = part->with([&](auto& product) { return product.connect(of_all); });
  });
  if (status != 0 || is_connected) return status;
  return c_status::failed(heddle_overlap_unreachable, "overlap: the memory of another rank cannot be reached");
}

int heddle_overlap_disconnect(heddle_overlap* part) {
  return caught([&] { given(part).with([](auto& product) { product.disconnect(); }); });
}

void* heddle_overlap_own_rows(const heddle_overlap* part) {
  return part == nullptr ? nullptr : part->with([](const auto& product) { return product.own_rows(); });
}

int heddle_overlap_enqueue(heddle_overlap* part, const void* first, void* second, void* stream) {
  return caught([&] {
    const heddle_overlap& its = given(part);
    its.with([&](auto& product) {
      overlap::require_connected(its.problem, product.is_connected());
      product.enqueue(first, second, static_cast<cudaStream_t>(stream));
    });
  });
}

int heddle_overlap_read(const heddle_overlap* part, void* stream, heddle_overlap_report* report) {
  return caught([&] {
    const auto [found, error] =
        given(part).with([&](const auto& product) { return product.report(static_cast<cudaStream_t>(stream)); });
    check(error);
    c_status::given(report, "overlap: report") = {found.late, found.rank, found.piece, found.at};
  });
}

const char* heddle_overlap_error() {
  return c_status::last_error().c_str();
}
