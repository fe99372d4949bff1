// Device code for another architecture, to link with.

__device__ int older(int value) {
  return value + 1;
}

__global__ void of_older(int* value) {
  *value = older(*value);
}
