// One kernel of FlashAttention-3 by one scheduler. tests/guests/check_flash compiles this per line of its table.

#include FLASH_LAUNCHER

void FLASH_NAME(Flash_fwd_params& params, cudaStream_t stream) {
  using element = cutlass::bfloat16_t;
  run_flash_fwd<90, 128, 128, FLASH_CLUSTER, element, element, FLASH_CAUSAL, FLASH_LOCAL, false, FLASH_PACKED, false,
                false, false, FLASH_GROUPED, false, false>(params, stream);
}
