#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

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

/// Pixels in memory. `pitch` is how many of them are from one row to the next.
template <class Pixel>
struct image {
  Pixel* pixels;
  int width, height;
  long long pitch;

  __host__ __device__ Pixel& operator()(int x, int y) const { return pixels[y * pitch + x]; }
  __host__ __device__ bool contains(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
};

/// The same to read from, with its border: by addresses.
template <class Pixel>
struct memory_source {
  image<const Pixel> from;

  __host__ __device__ float4 operator()(int x, int y) const {
    const int inside_x = x < 0 ? 0 : x < from.width ? x : from.width - 1;
    const int inside_y = y < 0 ? 0 : y < from.height ? y : from.height - 1;
    return to_float4(from(inside_x, inside_y));
  }
};

/// The texture object of an array, as a source wants it; 0 if there is none.
inline cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  return cudaCreateTextureObject(&texture, &resource, &how, nullptr) == cudaSuccess ? texture : 0;
}

/// By a texture unit, which knows the border itself: a texture object of unnormalised coordinates and clamped
/// addresses.
struct texture_source {
  cudaTextureObject_t from;

#if defined(__CUDACC__)
  __device__ float4 operator()(int x, int y) const {
    return tex2D<float4>(from, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
  }
#endif
};

}  // namespace convolution
