#pragma once

#include "image.hpp"

namespace convolution {

/// An array of `float4` that a texture unit reads.
class texture {
 public:
  texture(int width, int height) : width_(width), height_(height) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    error_ = cudaMallocArray(&array_, &format, static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    if (error_ != cudaSuccess) return;
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    error_ = cudaCreateTextureObject(&object_, &resource, &how, nullptr);
  }
  texture(const texture&) = delete;
  ~texture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }

  cudaError_t error() const { return error_; }
  texture_source source() const { return {object_}; }

  /// Fills the array from an image of the same extents, on the host or on the device.
  cudaError_t take(image<const float4> from) const {
    const std::size_t row = sizeof(float4) * static_cast<std::size_t>(width_);
    const std::size_t pitch = sizeof(float4) * static_cast<std::size_t>(from.pitch);
    return cudaMemcpy2DToArrayAsync(array_, 0, 0, from.pixels, pitch, row, static_cast<std::size_t>(height_),
                                    cudaMemcpyDefault, nullptr);
  }

 private:
  int width_, height_;
  cudaError_t error_ = cudaSuccess;
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

}  // namespace convolution
