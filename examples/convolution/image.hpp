#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <nv/target>

// Images as the passes see them: pixels of four numbers, rows with a pitch, and a border that repeats the last pixel.

namespace convolution {

/// Four halves: a pixel of 8 bytes.
struct alignas(8) half4 {
  __half2 xy, zw;
};

__host__ __device__ inline float4 to_float4(float4 pixel) {
  return pixel;
}
__host__ __device__ inline float4 to_float4(half4 pixel) {
  const float2 xy = __half22float2(pixel.xy), zw = __half22float2(pixel.zw);
  return {xy.x, xy.y, zw.x, zw.y};
}

__host__ __device__ inline void assign(float4& pixel, float4 value) {
  pixel = value;
}
__host__ __device__ inline void assign(half4& pixel, float4 value) {
  pixel = {__floats2half2_rn(value.x, value.y), __floats2half2_rn(value.z, value.w)};
}

/// Reads a pixel that no thread of the grid writes.
__host__ __device__ inline float4 read(const float4* pixel) {
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return __ldg(pixel);), (return *pixel;))
}
__host__ __device__ inline half4 read(const half4* pixel) {
  NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                    (const uint2 words = __ldg(reinterpret_cast<const uint2*>(pixel)); half4 result;
                     memcpy(&result, &words, sizeof result); return result;),
                    (return *pixel;))
}

/// Pixels in memory. `pitch` is the number of pixels from one row to the next.
template <class Pixel>
struct image {
  Pixel* pixels;
  int width, height, pitch;

  __host__ __device__ Pixel& operator()(int x, int y) const { return pixels[static_cast<long long>(y) * pitch + x]; }
  __host__ __device__ bool contains(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
};

/// An image to read by addresses, with its border. `row(y)(column(x))` is a pixel: a pass that reads many pixels clamps
/// each of its rows and columns once.
template <class Pixel>
struct memory_source {
  image<const Pixel> from;

  struct line {
    const Pixel* pixels;

    __host__ __device__ float4 operator()(unsigned column) const { return to_float4(read(pixels + column)); }
  };

  /// A walk down a column, pixel by pixel. Above and below the image it repeats the border.
  struct walk {
    const Pixel* pixel;
    int pitch, y, last;

    __host__ __device__ const Pixel* next() {
      const Pixel* const result = pixel;
      if (static_cast<unsigned>(y) < static_cast<unsigned>(last)) pixel += pitch;
      ++y;
      return result;
    }
  };
  /// A walk down a column that stays inside the image.
  struct walk_inside {
    const Pixel* pixel;
    int pitch;

    __host__ __device__ const Pixel* next() {
      const Pixel* const result = pixel;
      pixel += pitch;
      return result;
    }
  };

  __host__ __device__ walk down(int x, int y) const {
    return {&from(static_cast<int>(column(x)), static_cast<int>(inside(y, from.height))), from.pitch, y,
            from.height - 1};
  }
  __host__ __device__ walk_inside down_inside(int x, int y) const { return {&from(x, y), from.pitch}; }
  __host__ __device__ unsigned column(int x) const { return inside(x, from.width); }
  __host__ __device__ line row(int y) const {
    const Pixel* pixels = &from(0, static_cast<int>(inside(y, from.height)));
    // Opaque to the optimiser, which would multiply by the pitch in 64 bits for each column of the row.
    NV_IF_TARGET(NV_IS_DEVICE, (asm("" : "+l"(pixels));))
    return {pixels};
  }
  __host__ __device__ float4 operator()(int x, int y) const { return row(y)(column(x)); }

 private:
  __host__ __device__ static unsigned inside(int at, int size) {
    const int not_before = at > 0 ? at : 0;
    return static_cast<unsigned>(not_before < size ? not_before : size - 1);
  }
};

/// An image to read by a texture unit, which repeats the border itself: a texture object with unnormalised coordinates
/// and clamped addresses.
struct texture_source {
  cudaTextureObject_t from;

#if defined(__CUDACC__)
  struct line {
    cudaTextureObject_t from;
    float y;

    __device__ float4 operator()(float column) const { return tex2D<float4>(from, column, y); }
  };

  __device__ float column(int x) const {
    return static_cast<float>(x) + 0.5f;
  }
  __device__ line row(int y) const {
    return {from, static_cast<float>(y) + 0.5f};
  }
  __device__ float4 operator()(int x, int y) const {
    return row(y)(column(x));
  }
#endif
};

}  // namespace convolution
