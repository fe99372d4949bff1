# clang++ as the CUDA compiler, host and device pass: from clang 19, which knows all intrinsics in use, and where it can
# read the toolkit's headers at all, since a release knows toolkits up to one of about its own age.

execute_process(COMMAND ${COMPILER} --version OUTPUT_VARIABLE version)
string(REGEX MATCH "clang version ([0-9.]+)" version "${version}")
if(CMAKE_MATCH_1 VERSION_LESS 19)
  message("skipped: ${COMPILER} is older than clang 19: ${CMAKE_MATCH_1}")
  return()
endif()

set(options -x cuda -std=c++20 -fsyntax-only --cuda-path=${CUDA} -Wall -Wextra
    -Wno-unknown-cuda-version -Wno-unknown-attributes)  # clang 19 has no __grid_constant__
if(WERROR)
  list(APPEND options -Werror)
endif()
file(WRITE ${WORK}/empty.cu "int main() {}\n")
execute_process(COMMAND ${COMPILER} ${options} ${WORK}/empty.cu RESULT_VARIABLE result ERROR_VARIABLE errors)
if(NOT result EQUAL 0)
  string(REGEX MATCH "[^\n]*error:[^\n]*" reason "${errors}")
  message("skipped: ${COMPILER} is not able to read ${CUDA}: ${reason}")
  return()
endif()

# With ALL every example, for Hopper, but for the one that needs NCCL.
set(programs ${WORK}/all.cu tests/codegen/order.cu tests/codegen/schedule.cu examples/03_launch_box/reduce.cu
             examples/04_expand/after.cu examples/05_reorder/after.cu examples/python/transpose.cu)
set(architecture sm_80)
file(WRITE ${WORK}/all.cu "#include <heddle/heddle.hpp>\nint main() {}\n")
if(ALL)
  file(GLOB examples RELATIVE ${SOURCE} ${SOURCE}/examples/*/*.cu)
  list(REMOVE_ITEM examples examples/overlap/overlap.cu)
  list(APPEND programs ${examples})
  list(REMOVE_DUPLICATES programs)
  set(architecture sm_90a)
endif()
list(LENGTH programs count)
foreach(program IN LISTS programs)
  cmake_path(ABSOLUTE_PATH program BASE_DIRECTORY ${SOURCE})
  execute_process(COMMAND ${COMPILER} ${options} --cuda-gpu-arch=${architecture} -I${SOURCE}/include -I${SOURCE}/examples
                          -I${SOURCE}/examples/gemm -I${SOURCE}/examples/grouped -isystem ${CUDA}/include/cccl
                          ${program}
                  RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${program}\n${errors}")
  endif()
endforeach()
message("${count} files of ${architecture} compiled")
