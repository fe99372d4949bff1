// A user's own strategy, as docs/your_own.md shows it: the least that the contract asks for, and its law.

#include "simt.hpp"

#include <heddle/concepts.hpp>
#include <heddle/expand/item.hpp>

#include "sources.hpp"
#include "test.hpp"

namespace {

/// Gives each source a row of `most` places, whatever it spawns. The first pass needs no atomics, and the second has a
/// turn for every place. A source of more items is left out.
class rows {
 public:
  rows(unsigned sources, unsigned most, unsigned* n) : sources_(sources), most_(most), n_(n) {}

  struct push_storage {};
  struct storage {};

  HEDDLE_DEVICE void push(push_storage&, unsigned source, unsigned n) const {
    if (source < sources_) n_[source] = n <= most_ ? n : 0;
  }

  /// Walks the items of one thread: those places of the thread that have an item.
  class cursor {
   public:
    HEDDLE_DEVICE explicit cursor(const rows& of) : of_(&of), place_(blockIdx.x * blockDim.x + threadIdx.x) { skip(); }

    HEDDLE_DEVICE heddle::item operator*() const { return {place_ / of_->most_, place_ % of_->most_}; }
    HEDDLE_DEVICE cursor& operator++() {
      place_ += gridDim.x * blockDim.x;
      skip();
      return *this;
    }
    HEDDLE_DEVICE explicit operator bool() const { return place_ < of_->places(); }
    HEDDLE_DEVICE friend bool operator!=(const cursor& place, decltype(nullptr)) { return static_cast<bool>(place); }

    HEDDLE_DEVICE cursor begin() const { return *this; }
    HEDDLE_DEVICE decltype(nullptr) end() const { return nullptr; }

   private:
    HEDDLE_DEVICE void skip() {
      while (*this && place_ % of_->most_ >= of_->n_[place_ / of_->most_]) {
        place_ += gridDim.x * blockDim.x;
      }
    }

    const rows* of_;
    unsigned place_;
  };

  HEDDLE_DEVICE cursor items(storage&) const { return cursor(*this); }

 private:
  HEDDLE_DEVICE unsigned places() const { return sources_ * most_; }

  unsigned sources_, most_;
  unsigned* n_;
};

static_assert(heddle::expander<rows>);

}  // namespace

TEST_CASE("A strategy of one's own visits every item of every source once on the host", "[expand]") {
  for (const heddle_test::sources& all : heddle_test::every_distribution(false, 32)) {
    CAPTURE(all.name, all.size());
    std::vector<unsigned> n(all.size(), 7);  // stale memory
    const rows work(all.size(), 32, n.data());

    simt::launch((all.size() + 63) / 64, 64, [&] {
      __shared__ heddle::static_shared<rows::push_storage> smem;
      const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
      work.push(smem, source, source < all.size() ? all.n[source] : 0);
    });

    const std::vector<unsigned> begin = all.begins();
    std::vector<int> visits(all.items());
    simt::launch(3, 96, [&] {
      __shared__ heddle::static_shared<rows::storage> smem;
      for (const auto [source, rank] : work.items(smem)) ++visits.at(begin.at(source) + rank);
    });
    CHECK(visits == std::vector<int>(visits.size(), 1));
  }
}
