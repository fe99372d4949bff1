#pragma once

// The parts of a kernel of CUTLASS for sm_90, by as few headers as they take.

#include <cutlass/device_kernel.h>
#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/kernel/gemm_universal_decl.h>
#include <cute/tensor.hpp>
#include <cutlass/epilogue/collective/default_epilogue.hpp>
#include <cutlass/gemm/collective/collective_mma_decl.hpp>
#include <cutlass/gemm/dispatch_policy.hpp>
#include <cutlass/gemm/kernel/tile_scheduler.hpp>

#include <cutlass/gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp>
#include <cutlass/gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp>

using element = cutlass::bfloat16_t;
using problem_shape = cute::Shape<int, int, int, int>;
using tile = cute::Shape<cute::_128, cute::_256, cute::_64>;
using cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
using by_k = cute::Stride<int64_t, cute::_1, int64_t>;
using by_m = cute::Stride<cute::_1, int64_t, int64_t>;
using stripe = cute::SM90::GMMA::Layout_K_SW128_Atom<element>;
constexpr auto along_k = cute::SM90::GMMA::Major::K;
using product =
    decltype(cute::make_tiled_mma(cute::SM90::GMMA::ss_op_selector<element, element, float, tile, along_k, along_k>(),
                                  cute::Layout<cute::Shape<cute::_2, cute::_1, cute::_1>>{}));

using mainloop = cutlass::gemm::collective::CollectiveMma<
    cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4, cluster, cutlass::gemm::KernelTmaWarpSpecializedCooperative>,
    tile, element, by_k, element, by_k, product, cute::SM90_TMA_LOAD, stripe, void, cute::identity,
    cute::SM90_TMA_LOAD_MULTICAST, stripe, void, cute::identity>;
using epilogue =
    cutlass::epilogue::collective::detail::Sm90TmaWarpSpecializedAdapter<cutlass::epilogue::collective::DefaultEpilogue<
        element, by_m, by_m, cutlass::epilogue::thread::LinearCombination<element, 1, float, float>,
        cutlass::gemm::EpilogueDefault>>;
