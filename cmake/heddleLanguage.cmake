# C++20 for the CUDA sources of a user, as the CMake at hand can say it: 3.25 does not know that nvcc has it.

function(heddle_language target)
  if(CMAKE_VERSION VERSION_LESS 3.26)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>)
  else()
    target_compile_features(${target} INTERFACE $<BUILD_INTERFACE:cuda_std_20>)
  endif()
endfunction()
