# Enables CUDA as HEDDLE_CUDA asks, also where the toolkit is installed but not on the PATH.
# Afterwards HEDDLE_CUDA is ON or OFF.

if(HEDDLE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(heddle_nvcc nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin PATHS /usr/local/cuda/bin /opt/cuda/bin)
    if(heddle_nvcc)
      set(CMAKE_CUDA_COMPILER ${heddle_nvcc})
    endif()
  endif()

  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # For each generation: what it is compiled for, by its own name, so that no plain sm_90 or sm_100 pass runs.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90a-real 100a-real 120-real)
    endif()
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
      message(FATAL_ERROR "heddle needs a CUDA Toolkit 12.8 or newer; ${CMAKE_CUDA_COMPILER} is "
                          "${CMAKE_CUDA_COMPILER_VERSION}. Without CUDA: cmake --workflow --preset host")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(HEDDLE_CUDA ON)
  elseif(HEDDLE_CUDA STREQUAL "AUTO")
    message(STATUS "No CUDA compiler: building what needs none")
    set(HEDDLE_CUDA OFF)
  else()
    message(FATAL_ERROR "No CUDA compiler was found: install a CUDA Toolkit, or put nvcc on the PATH. "
                        "Without CUDA: cmake --workflow --preset host")
  endif()
endif()
