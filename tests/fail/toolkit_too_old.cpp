// expect: heddle needs a CUDA Toolkit 12.8 or newer

#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 7

#include <heddle/order/row_major.hpp>

int main() {}
