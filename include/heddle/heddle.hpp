#pragma once

// All of heddle. A kernel that is compiled often includes the header of the one type that it uses.

#include <heddle/concepts.hpp>
#include <heddle/config.hpp>
#include <heddle/coord.hpp>
#include <heddle/expand/append.hpp>
#include <heddle/expand/expansion.hpp>
#include <heddle/expand/fixed.hpp>
#include <heddle/expand/granularity.hpp>
#include <heddle/expand/indirect.hpp>
#include <heddle/expand/item.hpp>
#include <heddle/expand/packed_prefix.hpp>
#include <heddle/expand/power_of_two.hpp>
#include <heddle/expand/scanned.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/launch/arch.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/launch/compiled_params.hpp>
#include <heddle/launch/launch_box.hpp>
#include <heddle/launch/occupancy.hpp>
#include <heddle/launch/programmatic.hpp>
#include <heddle/order/clustered.hpp>
#include <heddle/order/column_major.hpp>
#include <heddle/order/constant.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/dilated.hpp>
#include <heddle/order/hilbert.hpp>
#include <heddle/order/morton.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_table.hpp>
#include <heddle/order/transposed.hpp>
#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/coherence.hpp>
#include <heddle/reorder/grid_queues.hpp>
#include <heddle/reorder/key_probe.hpp>
#include <heddle/reorder/queued.hpp>
#include <heddle/schedule/chunked.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/launch_config.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/seats.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/stream_k.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/version.hpp>

#if !defined(__CUDACC_RTC__)
#include <heddle/draw/bars.hpp>
#include <heddle/draw/chart.hpp>
#include <heddle/draw/page.hpp>
#include <heddle/draw/svg.hpp>
#include <heddle/draw/text.hpp>
#include <heddle/draw/timeline.hpp>
#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_curve.hpp>
#include <heddle/laws/check_order.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/l1_traffic.hpp>
#include <heddle/predict/traffic.hpp>
#if defined(__cpp_exceptions)  // by which it ends what does not end
#include <heddle/laws/check_schedule.hpp>
#include <heddle/laws/check_split_schedule.hpp>
#include <heddle/laws/interleaving.hpp>
#endif
#endif
