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
    find_package(CUDAToolkit REQUIRED)
    # Tests and benchmarks run on the machine that builds them: with a Hopper GPU, the architecture of the figures of
    # record, they have code for it; with another GPU they have PTX, which its driver compiles at the first run. Without
    # a GPU, as in CI, nothing here runs their kernels, and they end at PTX for sm_90a. Benchmarks alone are built to run.
    set(HEDDLE_GPU OFF)
    set(HEDDLE_HOPPER 90a-virtual)
    if(CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]" OR (HEDDLE_BENCH AND NOT HEDDLE_TESTS))
      set(HEDDLE_GPU ON)
      set(HEDDLE_HOPPER 90a-real)
    endif()
    set(built_for ${HEDDLE_HOPPER})
    if(CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]" AND NOT CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "90")
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
