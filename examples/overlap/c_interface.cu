#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#include "c_interface.h"
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#include <cstring>
#include <variant>

#include "../common/c_status.hpp"
#include "gathered_product.hpp"
#include "scattered_product.hpp"

struct heddle_overlap {
  overlap::problem problem;
  std::variant<overlap::gathered_product, overlap::scattered_product> product;
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

/// Returns a part, or null.
template <class Product>
heddle_overlap* made(const overlap::problem& problem, int rank, long long limit) {
  heddle_overlap* part = nullptr;
  caught([&] {
    using product = decltype(heddle_overlap::product);
    part = new heddle_overlap{problem,
                              product(std::in_place_type<Product>, problem, rank, overlap::options{.limit = limit})};
  });
  return part;
}

}  // namespace

heddle_overlap* heddle_overlap_gather(int m, int n, int k, int ranks, int rank, long long limit) {
  return made<overlap::gathered_product>({m, n, k, ranks}, rank, limit);
}

heddle_overlap* heddle_overlap_scatter(int m, int n, int k, int ranks, int rank, long long limit) {
  return made<overlap::scattered_product>({m, n, k, ranks}, rank, limit);
}

void heddle_overlap_free(heddle_overlap* part) {
  delete part;
}

size_t heddle_overlap_address_bytes() {
  return sizeof(overlap::address);
}

int heddle_overlap_address(const heddle_overlap* part, void* address) {
  return caught([&] {
    const overlap::address mine =
        std::visit([](const auto& product) { return product.address(); }, given(part).product);
    std::memcpy(&c_status::given(static_cast<char*>(address), "overlap: address"), &mine, sizeof mine);
  });
}

int heddle_overlap_connect(heddle_overlap* part, const void* addresses) {
  bool is_connected = false;
  const int status = caught([&] {
    std::vector<overlap::address> of_all(static_cast<unsigned>(given(part).problem.ranks));
    std::memcpy(of_all.data(), &c_status::given(static_cast<const char*>(addresses), "overlap: addresses"),
                of_all.size() * sizeof of_all.front());
    is_connected = std::visit([&](auto& product) { return product.connect(of_all); }, part->product);
  });
  if (status != 0 || is_connected) return status;
  return c_status::failed(heddle_overlap_unreachable, "overlap: the memory of another rank cannot be reached");
}

int heddle_overlap_disconnect(heddle_overlap* part) {
  return caught([&] { std::visit([](auto& product) { product.disconnect(); }, given(part).product); });
}

void* heddle_overlap_own_rows(const heddle_overlap* part) {
  return part == nullptr ? nullptr : std::visit([](const auto& product) { return product.own_rows(); }, part->product);
}

int heddle_overlap_enqueue(heddle_overlap* part, const void* first, void* second, void* stream) {
  return caught([&] {
    heddle_overlap& its = given(part);
    std::visit(
        [&](auto& product) {
          overlap::require_connected(its.problem, product.is_connected());
          product.enqueue(first, second, static_cast<cudaStream_t>(stream));
        },
        its.product);
  });
}

int heddle_overlap_read(const heddle_overlap* part, void* stream, heddle_overlap_report* report) {
  return caught([&] {
    const auto [found, error] = std::visit(
        [&](const auto& product) { return product.report(static_cast<cudaStream_t>(stream)); }, given(part).product);
    check(error);
    c_status::given(report, "overlap: report") = {found.late, found.rank, found.piece, found.at};
  });
}

const char* heddle_overlap_error() {
  return c_status::last_error().c_str();
}
