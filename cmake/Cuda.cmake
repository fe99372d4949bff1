# Enables CUDA as HEDDLE_CUDA says, and also finds a toolkit that is installed but not on the PATH. Sets HEDDLE_CUDA to ON
# or OFF.

if(HEDDLE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(heddle_nvcc nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin /opt/cuda/bin)
    if(heddle_nvcc)
      set(ENV{CUDACXX} ${heddle_nvcc})  # check_language tries it first
    endif()
  endif()

  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # One architecture per generation, by its exact name, so that no plain sm_90 or sm_100 pass runs.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90a-real 100a-real 120-real)
    endif()
    enable_language(CUDA)
    # CMake 3.25.1, which is Debian 12's, names a library that CUDA 13 no longer has, unless it is told of an older CMake.
    set(asked_for ${CMAKE_MINIMUM_REQUIRED_VERSION})
    set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
    find_package(CUDAToolkit REQUIRED)
    set(CMAKE_MINIMUM_REQUIRED_VERSION ${asked_for})
    # Programs find a toolkit's libraries, and these each other, also where the loader does not look.
    set(CMAKE_BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})
    add_link_options(LINKER:--disable-new-dtags)
    # Programs of kernels run on the machine that builds them: with a Hopper GPU, the architecture of the figures of record,
    # they have code for it; with another GPU they have PTX, which its driver compiles at the first run. Without a GPU, as
    # in CI, they could only skip: they are checked (heddle_check), and not built.
    set(native OFF)
    if(CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]")
      set(native ON)
    endif()
    option(HEDDLE_GPU "Build the programs that need a GPU; by default if this machine has one" ${native})
    set(HEDDLE_HOPPER 90a-virtual)
    if(HEDDLE_GPU)
      set(HEDDLE_HOPPER 90a-real)
    endif()
    set(built_for ${HEDDLE_HOPPER})
    if(native AND NOT CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "90")
      set(built_for 80-virtual)
    endif()
    set(HEDDLE_TESTED_ARCHITECTURES ${built_for} CACHE STRING "Architectures of the tests and benchmarks that need a GPU")
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
      set(heddle_no_cuda "heddle needs a CUDA Toolkit 12.8 or newer; ${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
  else()
    set(heddle_no_cuda "No CUDA compiler was found: install a CUDA Toolkit, or put nvcc on the PATH")
  endif()

  if(NOT DEFINED heddle_no_cuda)
    set(HEDDLE_CUDA ON)
  elseif(HEDDLE_CUDA STREQUAL "AUTO")
    message(STATUS "${heddle_no_cuda}. Building what needs none")
    set(HEDDLE_CUDA OFF)
  else()
    message(FATAL_ERROR "${heddle_no_cuda}. Without CUDA: cmake --workflow --preset host")
  endif()
endif()

# nvcc by its own name, for tests that read what it says: with the host compiler that CMake has it use.
set(heddle_nvcc_command ${CMAKE_CUDA_COMPILER} -std=c++20)
if(CMAKE_CUDA_HOST_COMPILER)
  list(APPEND heddle_nvcc_command -ccbin=${CMAKE_CUDA_HOST_COMPILER})
endif()

# heddle_check(<name> <source>...): nvcc reads the sources, the host's code in them too, and writes PTX that it does not
# optimise.
function(heddle_check name)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON)
  target_compile_options(${name} PRIVATE -Xcicc=-O0)
endfunction()

# heddle_kernels(<name> <type> <source>...): a library of kernels that only runs on a GPU. Without one it is checked alone.
function(heddle_kernels name type)
  if(HEDDLE_GPU)
    add_library(${name} ${type} ${ARGN})
  else()
    heddle_check(${name} ${ARGN})
  endif()
endfunction()

# heddle_end_checks(): those of this folder are for one architecture, sm_90a if it is among theirs.
function(heddle_end_checks)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(is_check ${target} CUDA_PTX_COMPILATION)
    if(is_check)
      get_target_property(architectures ${target} CUDA_ARCHITECTURES)
      if("${architectures}" MATCHES "90a")
        set(architectures 90a)
      endif()
      string(REGEX MATCH "^[0-9]+a?" architecture "${architectures}")
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${architecture}-virtual)
    endif()
  endforeach()
endfunction()

# heddle_skips(<test>): a test that needs a program which is not built.
function(heddle_skips test)
  add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} -E echo "skipped: there is no GPU")
  set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: there is no GPU")
endfunction()
