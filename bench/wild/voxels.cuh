#pragma once

#include "lists.cuh"

// A surface as voxels: the cells of a triangle's box, in the plane that it faces most, that are inside of it. Before, a
// thread per triangle; afterwards the first pass keeps what the cells of a triangle share, 48 bytes, in an array by
// triangle, and the second has a thread per cell.

namespace wild {

constexpr unsigned triangles = 1 << 18;
constexpr int voxel_side = 512;

/// What the cells of a triangle share: a box in its plane, and three planes over it.
struct alignas(16) facet {
  short left, top, width, height;
  float depth[3], u[3], v[3];  // along both sides of the box, and where both are 0
  int axis;                    // across the box
};

struct surface {
  const float* vertices;
  const int* corners;  // three of each triangle
  unsigned* voxels;
  facet* facets;

  __device__ facet facet_of(unsigned triangle) const {
    float at[3][3];
    for (int i = 0; i < 3; ++i) {
      const float* const vertex = vertices + 3 * corners[3 * triangle + static_cast<unsigned>(i)];
      for (int k = 0; k < 3; ++k) at[i][k] = vertex[k];
    }
    float normal[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int x = (k + 1) % 3, y = (k + 2) % 3;
      normal[k] = (at[1][x] - at[0][x]) * (at[2][y] - at[0][y]) - (at[2][x] - at[0][x]) * (at[1][y] - at[0][y]);
    }
    const float sizes[3] = {fabsf(normal[0]), fabsf(normal[1]), fabsf(normal[2])};
    const int axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2;
    const auto turned = [&](int i, int k) {
      return axis == 0 ? at[i][k % 3] : axis == 1 ? at[i][(k + 1) % 3] : at[i][(k + 2) % 3];
    };
    const float ax = turned(0, 1), ay = turned(0, 2), az = turned(0, 0), bx = turned(1, 1), by = turned(1, 2),
                bz = turned(1, 0), cx = turned(2, 1), cy = turned(2, 2), cz = turned(2, 0);
    const float whole = 1 / ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay) + 1e-20f);
    facet f;
    // Rounded as they are kept: cells that compute them again would round otherwise.
    f.u[0] = __fmul_rn(by - cy, whole), f.u[1] = __fmul_rn(cx - bx, whole);
    f.v[0] = __fmul_rn(cy - ay, whole), f.v[1] = __fmul_rn(ax - cx, whole);
    f.u[2] = __fmul_rn(__fadd_rn(__fmul_rn(cy - by, cx), __fmul_rn(bx - cx, cy)), whole);
    f.v[2] = __fmul_rn(__fadd_rn(__fmul_rn(ay - cy, cx), __fmul_rn(cx - ax, cy)), whole);
    for (int i = 0; i < 3; ++i) {
      f.depth[i] = __fadd_rn(__fmul_rn(az - cz, f.u[i]), __fmul_rn(bz - cz, f.v[i]));
    }
    f.depth[2] = __fadd_rn(f.depth[2], cz);
    const int left = static_cast<int>(fminf(ax, fminf(bx, cx))), top = static_cast<int>(fminf(ay, fminf(by, cy)));
    f.left = static_cast<short>(left), f.top = static_cast<short>(top);
    f.width = static_cast<short>(static_cast<int>(fmaxf(ax, fmaxf(bx, cx))) - left + 1);
    f.height = static_cast<short>(static_cast<int>(fmaxf(ay, fmaxf(by, cy))) - top + 1);
    f.axis = axis;
    return f;
  }

  __device__ void visit(const facet& f, unsigned cell) const {
    const int col = f.left + static_cast<int>(cell % static_cast<unsigned>(f.width));
    const int row = f.top + static_cast<int>(cell / static_cast<unsigned>(f.width));
    const float x = static_cast<float>(col) + 0.5f, y = static_cast<float>(row) + 0.5f;
    const float u = f.u[0] * x + f.u[1] * y + f.u[2], v = f.v[0] * x + f.v[1] * y + f.v[2];
    if (u < 0 || v < 0 || u + v > 1) return;
    const int layer = min(max(static_cast<int>(f.depth[0] * x + f.depth[1] * y + f.depth[2]), 0), voxel_side - 1);
    const int at[3] = {f.axis == 0   ? layer
                       : f.axis == 1 ? row
                                     : col,
                       f.axis == 0   ? col
                       : f.axis == 1 ? layer
                                     : row,
                       f.axis == 0   ? row
                       : f.axis == 1 ? col
                                     : layer};
    const unsigned voxel = static_cast<unsigned>((at[0] * voxel_side + at[1]) * voxel_side + at[2]);
    atomicOr(&voxels[voxel / 32], 1u << voxel % 32);
  }
  __device__ static unsigned cells_of(const facet& f) {
    return static_cast<unsigned>(f.width) * static_cast<unsigned>(f.height);
  }
};

/// Triangles and their cells, as a list has them that keeps nothing.
struct cells_of_triangles {
  surface of;

  __device__ unsigned parts_of(unsigned triangle) const { return surface::cells_of(of.facet_of(triangle)); }
  __device__ void visit(unsigned triangle, unsigned cell) const { of.visit(of.facet_of(triangle), cell); }
};

__global__ void walk_facets(surface of) {
  const unsigned triangle = blockIdx.x * blockDim.x + threadIdx.x;
  const facet f = of.facet_of(triangle);
  for (unsigned cell = 0; cell < surface::cells_of(f); ++cell) of.visit(f, cell);
}
template <bool Keeps>
__global__ void push_facets(const __grid_constant__ expand work, surface of) {
  __shared__ heddle::static_shared<expand::push_storage> shared;
  const unsigned triangle = blockIdx.x * blockDim.x + threadIdx.x;
  const facet f = of.facet_of(triangle);
  if constexpr (Keeps) of.facets[triangle] = f;
  work.push(shared, triangle, surface::cells_of(f));
}
template <bool Keeps>
__global__ void visit_facets(const __grid_constant__ expand work, surface of) {
  __shared__ heddle::static_shared<expand::storage> shared;
  for (const auto [triangle, cell] : work.items(shared)) {
    if constexpr (Keeps) {
      of.visit(of.facets[triangle], cell);
    } else {
      of.visit(of.facet_of(triangle), cell);
    }
  }
}

__global__ void fill_surface(float* vertices, int* corners, bool is_even) {
  const unsigned triangle = blockIdx.x * blockDim.x + threadIdx.x;
  const float side = is_even ? 6 : sqrtf(static_cast<float>(skewed(triangle + 1, 1 << 13)));
  for (unsigned i = 0; i < 3; ++i) {
    corners[3 * triangle + i] = static_cast<int>(3 * triangle + i);
    for (unsigned k = 0; k < 3; ++k) {
      const float corner = (static_cast<float>(voxel_side) - 1 - side) * unit(3 * triangle + k + 11);
      vertices[9 * triangle + 3 * i + k] = corner + side * unit(9 * triangle + 3 * i + k + 77);
    }
  }
}

template <bool Keeps>
void voxelise(const room& in, const surface& of) {
  const expand work = in.work();
  check(work.begin_async(nullptr));
  push_facets<Keeps><<<triangles / 256, 256>>>(work, of);
  check(heddle::launch({.threads = 256}, visit_facets<Keeps>, work, of));
}

/// Before, a thread per triangle; or two passes, in which each cell computes what a triangle has once.
inline contest of_voxels(bool is_even, bool is_list_before) {
  const room in(triangles, 1u << 25);
  const auto vertices = make_words(9 * triangles), corners = make_words(3 * triangles),
             voxels = make_words(voxel_side * voxel_side * (voxel_side / 32)),
             facets = make_words(sizeof(facet) / 4 * triangles);
  const surface of{floats(vertices), reinterpret_cast<const int*>(corners->data()), voxels->data(),
                   reinterpret_cast<facet*>(facets->data())};
  fill_surface<<<triangles / 256, 256>>>(floats(vertices), reinterpret_cast<int*>(corners->data()), is_even);
  check(cudaGetLastError());
  std::function<advice()> ask;
  if (!is_list_before) {
    ask = [forms = forms_of(
               triangles, 1u << 25, cells_of_triangles{of}, [=] { voxels->set_bytes(0); },
               [=] { walk_facets<<<triangles / 256, 256>>>(of); })] { return forms.ask(); };
  }
  return {std::string(is_list_before ? "voxels by list" : "voxels") + (is_even ? ", even" : ", skewed"),
          is_even ? "2¹⁸ triangles of a side of 6" : "2¹⁸ triangles of sides by a power law",
          is_list_before ? "an array by triangle of what its cells share" : "packed_prefix",
          voxels,
          [=, keep = std::tuple{vertices, corners, facets}] {
            voxels->set_bytes(0);
            if (is_list_before) return voxelise<false>(in, of);
            walk_facets<<<triangles / 256, 256>>>(of);
          },
          [=] {
            voxels->set_bytes(0);
            voxelise<true>(in, of);
          },
          ask};
}
template <bool IsEven, bool IsListBefore>
contest of_some_voxels() {
  return of_voxels(IsEven, IsListBefore);
}

}  // namespace wild
