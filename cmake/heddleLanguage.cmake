# Asks for C++20 in a user's CUDA sources. CMake 3.25 does not know that nvcc supports it and needs the option itself.

function(heddle_language target)
  if(CMAKE_VERSION VERSION_LESS 3.26)
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>)
  else()
    target_compile_features(${target} INTERFACE $<BUILD_INTERFACE:cuda_std_20>)
  endif()
endfunction()
