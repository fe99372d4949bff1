# Warnings are errors for heddle's own tests, examples and benchmarks, and never for its users.

set(heddle_host_warnings -Wall -Wextra -Wpedantic -Wshadow -Werror)
add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${heddle_host_warnings}>")

if(HEDDLE_CUDA)
  # Without -Wpedantic: the code that nvcc hands to the host compiler is full of line directives.
  set(heddle_cuda_warnings -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror)
  target_compile_options(heddle_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${heddle_cuda_warnings}>")
endif()
