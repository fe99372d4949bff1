#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <flash.h>  // FlashAttention-3's
#include <heddle/guest/flash_problem.hpp>

#include "common/device.hpp"
#include "gemm/measure.cuh"

// Passes of FlashAttention-3, forward, bf16, heads of 128, by its own schedulers and by heddle's.
// tests/guests/check_flash compiles one function per kind of kernel and scheduler, and writes the list of them.

namespace flash_guest {

using heddle_bench::check;
using heddle_bench::device_array;
using element = __nv_bfloat16;
using launcher = void (*)(Flash_fwd_params&, cudaStream_t);
constexpr int width = 128, tile_rows = 128;

/// Returns the launchers of a kind of kernel by the names of their schedulers: FlashAttention's choice is `own`.
std::map<std::string, launcher> launchers_of(const std::string& kind);

/// What is attended: sequences of some lengths, which are all the same unless the kind is packed.
struct problem {
  std::string kind;
  std::vector<int> lengths;
  int heads = 16, key_heads = 16;
  int left = 0;  // of local attention

  bool has(const char* word) const { return kind.find(word) != std::string::npos; }
  bool is_packed() const { return has("packed"); }
  long long tokens() const {
    long long sum = 0;
    for (const int each : lengths) sum += each;
    return sum;
  }
  /// Returns the floating-point operations of both products.
  double flops() const {
    double pairs = 0;
    for (const double each : lengths) {
      const double window = std::min<double>(left, each);
      pairs += has("full") ? each * each : has("local") ? window * each - window * window / 2 : each * each / 2;
    }
    return 4 * pairs * heads * width;
  }
};

/// Memory on the device: tokens, heads and elements, the last ones beside each other.
struct operands {
  const void *q, *k, *v;
  void* o;
};

/// The operands of a problem and what schedulers keep.
class pass {
 public:
  explicit pass(problem of)
      : of_(std::move(of)),
        q_(elements(of_.heads)),
        k_(elements(of_.key_heads)),
        v_(k_.size()),
        o_(q_.size()),
        logarithms_(q_.size() / width),
        offsets_(of_.lengths.size() + 1),
        own_(4 * rounded() + 1),
        state_(state_bytes()) {
    unsigned long long seed = 1;
    for (const auto* const each : {&q_, &k_, &v_}) {
      gemm_bench::fill_normal<<<1024, 256>>>(each->data(), each->size(), seed += 77777777);
    }
    std::vector<int> offsets(1);
    for (const int each : of_.lengths) offsets.push_back(offsets.back() + each);
    offsets_.copy_from(offsets.data(), offsets.size());
    state_.set_bytes(0);  // once
    int device = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
  }

  const problem& of() const { return of_; }
  const device_array<element>& q() const { return q_; }
  const device_array<element>& k() const { return k_; }
  const device_array<element>& v() const { return v_; }
  const device_array<element>& o() const { return o_; }
  const device_array<float>& logarithms() const { return logarithms_; }

  /// Returns how to enqueue a pass: with what FlashAttention's operator enqueues for its own schedulers, or with the
  /// launch alone for heddle's.
  std::function<void(cudaStream_t)> by(const std::string& scheduler) const {
    return by(scheduler, {q_.data(), k_.data(), v_.data(), o_.data()});
  }
  std::function<void(cudaStream_t)> by(const std::string& scheduler, const operands& with) const {
    const launcher launch = launchers_of(of_.kind).at(scheduler);
    const bool is_heddles = scheduler == "heddle";
    Flash_fwd_params params = params_of(with);
    if (is_heddles) params.tile_count_semaphore = reinterpret_cast<int*>(state_.data());
    const bool clears = scheduler == "own" && !of_.is_packed() && !of_.has("full");
    params.skip_scheduler_metadata_computation = scheduler == "one_per_tile";
    return [=](cudaStream_t stream) {
      Flash_fwd_params mine = params;
      if (clears) check(cudaMemsetAsync(mine.tile_count_semaphore, 0, sizeof(int), stream));
      launch(mine, stream);
    };
  }

 private:
  int longest() const { return *std::max_element(of_.lengths.begin(), of_.lengths.end()); }
  int sequences() const { return static_cast<int>(of_.lengths.size()); }
  std::size_t rounded() const { return (of_.lengths.size() + 3) / 4 * 4; }
  std::size_t elements(int heads) const { return static_cast<std::size_t>(of_.tokens() * heads * width); }

  std::size_t state_bytes() const {
    const int rows = of_.has("grouped") ? tile_rows * of_.key_heads / of_.heads : tile_rows;
    return heddle::guest::packed_sequences<>::state_bytes(
        {.blocks = (longest() - 1) / rows + 1, .heads = of_.heads, .sequences = sequences(), .tile_rows = rows});
  }

  /// The parameters that FlashAttention's operator makes of tensors.
  Flash_fwd_params params_of(const operands& with) const {
    Flash_fwd_params params{};
    const long long in_q = 1LL * of_.heads * width, in_k = 1LL * of_.key_heads * width;
    params.q_ptr = const_cast<void*>(with.q), params.k_ptr = const_cast<void*>(with.k);
    params.v_ptr = const_cast<void*>(with.v), params.o_ptr = with.o;
    params.softmax_lse_ptr = logarithms_.data();
    params.q_row_stride = params.o_row_stride = in_q;
    params.k_row_stride = params.v_row_stride = in_k;
    params.q_head_stride = params.k_head_stride = params.v_head_stride = params.o_head_stride = width;
    params.v_dim_stride = 1;
    const bool is_packed = of_.is_packed();
    if (!is_packed) {
      params.q_batch_stride = params.o_batch_stride = in_q * longest();
      params.k_batch_stride = params.v_batch_stride = in_k * longest();
    } else {
      params.cu_seqlens_q = params.cu_seqlens_k = offsets_.data();
    }
    params.b = params.b_k = sequences();
    params.h = of_.heads, params.h_k = of_.key_heads;
    params.seqlen_q = params.seqlen_k = longest();
    params.seqlen_q_rounded = params.seqlen_k_rounded = (longest() + 127) / 128 * 128;
    params.total_q = params.total_k = static_cast<int>(of_.tokens());
    params.d = params.dv = params.d_rounded = params.dv_rounded = width;
    params.scale_softmax = 0.08838834764831845f;  // 1 / sqrt(128)
    params.p_dropout = params.rp_dropout = 1;
    params.is_bf16 = true;
    params.is_local = of_.has("local"), params.is_causal = !params.is_local && !of_.has("full");
    params.window_size_left = params.is_local ? of_.left : longest() - 1;
    params.window_size_right = of_.has("full") ? longest() - 1 : 0;
    params.num_splits = 1;
    params.pack_gqa = of_.has("grouped");
    params.arch = 90;
    params.num_sm = multiprocessors_;
    params.varlen_sort_batches = !params.is_local;
    params.head_swizzle = params.is_causal || params.is_local;
    params.prepare_varlen_pdl = is_packed && sequences() <= 992;
    int* own = own_.data();
    const auto vector = [&](bool is_there) { return is_there ? std::exchange(own, own + rounded()) : nullptr; };
    params.num_splits_dynamic_ptr = vector(is_packed);
    params.num_m_blocks_ptr = vector(is_packed);
    params.varlen_batch_idx_ptr = vector(is_packed && params.varlen_sort_batches);
    params.num_nheads_in_l2_ptr = vector(is_packed && params.head_swizzle);
    params.tile_count_semaphore = own;
    return params;
  }

  problem of_;
  device_array<element> q_, k_, v_, o_;
  device_array<float> logarithms_;
  device_array<int> offsets_, own_;
  device_array<unsigned char> state_;
  int multiprocessors_ = 0;
};

}  // namespace flash_guest
