#pragma once

#include <algorithm>
#include <string>

#include <heddle/draw/detail/shapes.hpp>
#include <heddle/order/batch.hpp>
#include <heddle/order/groups.hpp>
#include <heddle/order/triangle.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

template <class Space>
inline constexpr bool is_plane = false;
template <>
inline constexpr bool is_plane<extent> = true;
template <>
inline constexpr bool is_plane<triangle> = true;

/// Spaces that have a picture: an extent, a triangle, a batch of either, and groups.
template <class Space>
inline constexpr bool has_picture = is_plane<Space>;
template <class Plane>
inline constexpr bool has_picture<batch<Plane>> = is_plane<Plane>;
template <>
inline constexpr bool has_picture<groups> = true;

/// A plane of a space, and a tile in it. Each group is a plane.
struct plane_tile {
  int plane;
  coord tile;
};
inline plane_tile in_plane(coord tile) {
  return {0, tile};
}
inline plane_tile in_plane(batch_coord tile) {
  return {tile.batch, {tile.row, tile.col}};
}
inline plane_tile in_plane(group_coord tile) {
  return {tile.group, {tile.row, tile.col}};
}

inline int rows_of(extent plane) {
  return plane.rows;
}
inline int cols_of(extent plane) {
  return plane.cols;
}
inline int rows_of(const triangle& plane) {
  return plane.rows();
}
inline int cols_of(const triangle& plane) {
  return plane.cols();
}
template <class Plane>
int rows_of(const batch<Plane>& space) {
  return rows_of(space.plane());
}
template <class Plane>
int cols_of(const batch<Plane>& space) {
  return cols_of(space.plane());
}

/// The rows of the highest group.
inline int rows_of(const groups& space) {
  int rows = 0;
  for (int group = 0; group < space.count(); ++group) rows = (std::max)(rows, space.row_tiles(group));
  return rows;
}

inline int cols_of(const groups& space) {
  return space.cols();
}

/// The rows of one plane. The planes of a batch are alike, and groups are not.
template <class Space>
int rows_of_plane(const Space& space, int) {
  return rows_of(space);
}
inline int rows_of_plane(const groups& space, int group) {
  return space.row_tiles(group);
}

/// What the planes of a space are called in captions; null if there is only one.
template <class Space>
inline constexpr const char* plane_name = nullptr;
template <class Plane>
inline constexpr const char* plane_name<batch<Plane>> = "plane ";
template <>
inline constexpr const char* plane_name<groups> = "group ";

template <class Space>
inline constexpr bool has_planes = plane_name<Space> != nullptr;

/// The opposite of in_plane.
template <class Space>
auto tile_of_plane(int plane, coord tile) {
  if constexpr (has_planes<Space>) {
    return typename heddle::detail::tile_in<Space>::type{plane, tile.row, tile.col};
  } else {
    return tile;
  }
}

/// The planes of a space that are drawn. If none has tiles, none is: there may be any number of them.
template <class Space>
int planes_of(const Space& space) {
  if constexpr (has_planes<Space>) {
    return space.size() > 0 ? space.count() : 0;
  } else {
    return 1;
  }
}

inline std::string caption(const char* name, int plane) {
  return name + std::to_string(plane);
}

/// Where the planes of a space lie in a picture: side by side, in as many rows as needed. A plane of a batch and a
/// group have a caption above them. All places are in tiles, so that planes of a picture lie on one lattice.
class sheet {
 public:
  static constexpr int widest = 840;  // pixels, if there is more than one plane: the text of a page is about as wide
  static constexpr int font = 13;     // pixels, of captions

  template <class Space>
  sheet(const Space& space, int tile_size, int margin)
      : size_(tile_size),
        name_(plane_name<Space>),
        planes_(planes_of(space)),
        margin_(margin),
        rows_(rows_of(space)),
        below_caption_(1LL * cols_of(space) + margin) {
    if (!has_planes<Space>) return;
    const auto tiles = [&](long long pixels) { return (pixels + size_ - 1) / size_; };
    caption_ = tiles(22);
    const long long text = static_cast<long long>(caption(name_, planes_).size()) * font * 6 / 10;
    below_caption_ = (std::max)(below_caption_, tiles(text));
    cols_between_ = tiles(14);
    rows_between_ = tiles(8);
    across_ = (std::max)(1LL, (tiles(widest) + cols_between_) / across_pitch());
    across_ = (std::min)(across_, static_cast<long long>(planes_));
  }

  int planes() const { return planes_; }

  /// The size of the picture, in tiles, with the margins of all planes.
  long long cols() const { return across_ > 0 ? across_ * across_pitch() - cols_between_ : 0; }
  long long rows() const { return across_ > 0 ? (planes_ + across_ - 1) / across_ * down_pitch() - rows_between_ : 0; }

  /// The place of a tile. The first plane's margins have row -1 and column -1.
  coord operator()(int plane, coord tile) const {
    return {static_cast<int>(tile.row + plane / across_ * down_pitch() + caption_),
            static_cast<int>(tile.col + plane % across_ * across_pitch())};
  }
  template <class Tile>
  coord operator()(Tile tile) const {
    const auto [plane, at] = in_plane(tile);
    return (*this)(plane, at);
  }

  /// The captions above the planes.
  std::string captions() const {
    if (caption_ == 0 || planes_ == 0) return "";
    markup text;
    text.add("<g font-family=\"system-ui,sans-serif\" font-size=\"", font, "\" fill=\"#848d97\">\n");
    for (int plane = 0; plane < planes_; ++plane) {
      const coord corner = (*this)(plane, {-margin_, -margin_});
      text.add("<text x=\"", 1LL * corner.col * size_, "\" y=\"", 1LL * corner.row * size_ - 7, "\">",
               caption(name_, plane), "</text>\n");
    }
    text.add("</g>\n");
    return text.str();
  }

 private:
  long long across_pitch() const { return below_caption_ + cols_between_; }
  long long down_pitch() const { return caption_ + margin_ + rows_ + rows_between_; }

  long long size_;
  const char* name_;  // of planes, in captions
  int planes_, margin_;
  long long rows_;           // of the highest plane
  long long below_caption_;  // columns of a plane with its margin, or more if its caption is wider
  long long caption_ = 0, rows_between_ = 0, cols_between_ = 0;
  long long across_ = 1;  // planes in a row
};

}}}  // namespace heddle::HEDDLE_ABI::draw::detail
