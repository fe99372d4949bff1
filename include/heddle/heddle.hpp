#pragma once

// All of heddle. Kernels that are compiled often include the header of the one type they use.

#include <heddle/concepts.hpp>
#include <heddle/config.hpp>
#include <heddle/coord.hpp>
#include <heddle/invalid_argument.hpp>
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
#include <heddle/version.hpp>
