# Tests of headers: all together compile with names poisoned that other libraries define as macros; the light folders keep
# their budget of lines; and nvcc compiles alone those with parts for it. tests/check compiles each alone, by the host's
# compiler and NVRTC. With CUDA nvcc has its turn; the preset host has the host's compiler and clang++.

function(heddle_header_tests)
  set(include ${PROJECT_SOURCE_DIR}/include)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/headers)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${include} ${include}/heddle/*.hpp)
  find_program(heddle_clang NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)

  set(host_compilers ${CMAKE_CXX_COMPILER})
  if(HEDDLE_CUDA)
    set(host_compilers)
    message(STATUS "Headers are compiled by nvcc; by the host's compilers with the preset host")
  elseif(heddle_clang)
    list(APPEND host_compilers ${heddle_clang})
  else()
    message(STATUS "No clang++: headers are compiled by ${CMAKE_CXX_COMPILER} alone")
  endif()
  list(REMOVE_DUPLICATES host_compilers)

  set(on_host_only "^heddle/(draw|laws|predict)[./]")
  set(poisoned "#include \"${CMAKE_CURRENT_SOURCE_DIR}/headers/poison.hpp\"\n")
  set(poisoned_on_device ${poisoned})
  foreach(header IN LISTS headers)
    string(APPEND poisoned "#include <${header}>\n")
    if(NOT header MATCHES ${on_host_only})
      string(APPEND poisoned_on_device "#include <${header}>\n")
    endif()
    # The unit includes the header twice to test its guard.
    set(text "#include <${header}>\n#include <${header}>\nint main() {}\n")
    foreach(suffix cpp cu)
      set(unit ${generated}/${header}.${suffix})
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    endforeach()

    if(header MATCHES "/detail/")
      continue()
    endif()
    if(header STREQUAL "heddle/heddle.hpp" AND NOT HEDDLE_CUDA)
      add_test(NAME "headers: ${header} without exceptions"
               COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${heddle_host_warnings} -fno-exceptions -fno-rtti -I${include}
                       -fsyntax-only ${generated}/${header}.cpp)
    endif()
    # nvcc's turn is the device pass of the headers that have parts for it. Of the others NVRTC compiles each alone in
    # seconds. The test programs compile the code for all architectures.
    file(STRINGS ${include}/${header} parts_for_nvcc REGEX "__CUDACC__")
    if(HEDDLE_CUDA AND NOT header MATCHES ${on_host_only} AND parts_for_nvcc)
      add_test(NAME "headers: ${header} alone, nvcc"
               COMMAND ${heddle_nvcc_command} ${heddle_cuda_warnings} -I${include} -arch=compute_90a -ptx
                       ${generated}/${header}.cu -o ${generated}/${header}.ptx)
    endif()

    if(header MATCHES "^heddle/(order|schedule|launch)[./]")
      set(compiler ${CMAKE_CXX_COMPILER} -std=c++20)
      set(suffix cpp)
      if(HEDDLE_CUDA)
        set(compiler ${heddle_nvcc_command})
        set(suffix cu)
      endif()
      list(GET compiler 0 name)
      get_filename_component(name ${name} NAME)
      add_test(NAME "headers: ${header} within 3000 lines, ${name}"
               COMMAND ${CMAKE_COMMAND} -D "COMPILER=${compiler}" -D HEADER=${header} -D INCLUDE=${include} -D SUFFIX=${suffix}
                       -D WORK=${generated} -P ${CMAKE_CURRENT_SOURCE_DIR}/headers/budget.cmake)
    endif()
  endforeach()

  file(CONFIGURE OUTPUT ${generated}/poisoned.cpp CONTENT "${poisoned}int main() {}\n" @ONLY)
  file(CONFIGURE OUTPUT ${generated}/poisoned.cu CONTENT "${poisoned_on_device}int main() {}\n" @ONLY)
  foreach(compiler IN LISTS host_compilers)
    get_filename_component(name ${compiler} NAME)
    add_test(NAME "headers: all among names that are macros, ${name}"
             COMMAND ${compiler} -std=c++20 ${heddle_host_warnings} -Wconversion -Wsign-conversion -I${include} -fsyntax-only
                     ${generated}/poisoned.cpp)
  endforeach()
  if(HEDDLE_CUDA)
    add_test(NAME "headers: all among names that are macros, nvcc"
             COMMAND ${heddle_nvcc_command} ${heddle_cuda_warnings} -I${include} -arch=compute_90a -ptx
                     ${generated}/poisoned.cu -o ${generated}/poisoned.ptx)
  endif()

  foreach(compiler IN LISTS host_compilers)
    get_filename_component(name ${compiler} NAME)
    add_test(NAME "headers: each asks for C++20 in one error, ${name}"
             COMMAND ${CMAKE_COMMAND} -D COMPILER=${compiler} -D INCLUDE=${include} -D WORK=${generated}
                     -P ${CMAKE_CURRENT_SOURCE_DIR}/headers/language.cmake)
  endforeach()
  add_test(NAME "headers: predictions and laws include neither files nor threads for WebAssembly"
           COMMAND ${CMAKE_COMMAND} -D COMPILER=${CMAKE_CXX_COMPILER} -D INCLUDE=${include} -D WORK=${generated}
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/headers/webassembly.cmake)

  if(HEDDLE_CUDA)
    find_program(heddle_newest_clang NAMES clang++-24 clang++-23 clang++-22 clang++-21 clang++-20 clang++-19 clang++)
    get_filename_component(toolkit ${CUDAToolkit_BIN_DIR} DIRECTORY)
    if(heddle_newest_clang)
      add_test(NAME "headers: device code by clang++"
               COMMAND ${CMAKE_COMMAND} -D COMPILER=${heddle_newest_clang} -D CUDA=${toolkit} -D SOURCE=${PROJECT_SOURCE_DIR}
                       -D WORK=${generated} -D WERROR=${HEDDLE_WERROR} -P ${CMAKE_CURRENT_SOURCE_DIR}/headers/clang_cuda.cmake)
      set_tests_properties("headers: device code by clang++" PROPERTIES
                           SKIP_REGULAR_EXPRESSION "skipped: [^ ]+ is (older than clang|not able to read)")
    endif()
  endif()
endfunction()
