# Warnings of heddle's own tests, examples and benchmarks. They are errors in continuous integration, which sets CI in
# the environment, and not for a user with a newer compiler that may have more warnings.

set(heddle_ci ON)
if("$ENV{CI}" MATCHES "^(|0|[Nn][Oo]?|[Oo][Ff][Ff]|[Ff][Aa][Ll][Ss][Ee])$")
  set(heddle_ci OFF)
endif()
option(HEDDLE_WERROR "Warnings are errors; by default if the environment's CI is set, and not to false" ${heddle_ci})

set(heddle_host_warnings -Wall -Wextra -Wpedantic -Wshadow)
if(HEDDLE_WERROR)
  list(APPEND heddle_host_warnings -Werror)
endif()
add_library(heddle_warnings INTERFACE)
target_compile_options(heddle_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${heddle_host_warnings}>")

if(HEDDLE_CUDA)
  # No -Wpedantic: the code that nvcc passes to the host compiler is full of line directives.
  set(heddle_cuda_warnings -Xcompiler=-Wall,-Wextra)
  if(HEDDLE_WERROR)
    set(heddle_cuda_warnings -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # The toolkit's own headers have unused functions, and nvcc passes `.name = ` on as `name: `.
    list(APPEND heddle_cuda_warnings -Xcompiler=-Wno-unused-function,-Wno-gnu-designator)
  endif()
  target_compile_options(heddle_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${heddle_cuda_warnings}>")
endif()
