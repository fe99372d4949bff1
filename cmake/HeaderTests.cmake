# Tests of headers: all together compile with names poisoned that other libraries define as macros; the light folders keep
# their budget of lines; and nvcc compiles alone those with parts for it. tests/check compiles each alone, by the host's
# compiler and NVRTC. With CUDA nvcc has its turn; the preset host has the host's compiler and clang++. The same compilers read
# heddle in one file.

function(heddle_header_tests)
  set(include ${PROJECT_SOURCE_DIR}/include)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/headers)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${include} ${include}/heddle/*.hpp)
  list(FILTER headers EXCLUDE REGEX "^heddle/guest/")  # which include what is not heddle's: tests/guests
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
  foreach(header IN LISTS headers)
    string(APPEND poisoned "#include <${header}>\n")
    # nvcc's turn is the host's half of a header with parts for it; tests/check has NVRTC compile the device's half.
    file(STRINGS ${include}/${header} parts_for_nvcc REGEX "(CUDACC|NVCC)__.*!defined\\(__CUDACC_RTC__")
    if(HEDDLE_CUDA AND parts_for_nvcc AND NOT header MATCHES "/detail/|${on_host_only}")
      set(unit ${generated}/${header}.cu)
      file(CONFIGURE OUTPUT ${unit} CONTENT "#include <${header}>\n" @ONLY)
      add_test(NAME "headers: ${header} alone, nvcc"
               COMMAND ${heddle_nvcc_command} ${heddle_cuda_warnings} -I${include} -arch=compute_90a -ptx ${unit} -o ${unit}.ptx)
    endif()
  endforeach()

  # A folder's header includes each of its parts, which tests/docs/pages.py proves: they are within its budget.
  set(compiler ${CMAKE_CXX_COMPILER} -std=c++20)
  set(suffix cpp)
  if(HEDDLE_CUDA)
    set(compiler ${heddle_nvcc_command})
    set(suffix cu)
  endif()
  list(GET compiler 0 name)
  get_filename_component(name ${name} NAME)
  foreach(folder order schedule launch)
    add_test(NAME "headers: heddle/${folder}.hpp within 3000 lines, ${name}"
             COMMAND ${CMAKE_COMMAND} -D "COMPILER=${compiler}" -D HEADER=heddle/${folder}.hpp -D INCLUDE=${include}
                     -D SUFFIX=${suffix} -D WORK=${generated} -P ${CMAKE_CURRENT_SOURCE_DIR}/headers/budget.cmake)
  endforeach()
  if(NOT HEDDLE_CUDA)
    file(CONFIGURE OUTPUT ${generated}/all.cpp CONTENT "#include <heddle/heddle.hpp>\n" @ONLY)
    add_test(NAME "headers: heddle/heddle.hpp without exceptions"
             COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${heddle_host_warnings} -fno-exceptions -fno-rtti -I${include}
                     -fsyntax-only ${generated}/all.cpp)
  endif()

  file(CONFIGURE OUTPUT ${generated}/poisoned.cpp CONTENT "${poisoned}int main() {}\n" @ONLY)
  foreach(compiler IN LISTS host_compilers)
    get_filename_component(name ${compiler} NAME)
    add_test(NAME "headers: all among names that are macros, ${name}"
             COMMAND ${compiler} -std=c++20 ${heddle_host_warnings} -Wconversion -Wsign-conversion -I${include} -fsyntax-only
                     ${generated}/poisoned.cpp)
  endforeach()
  if(HEDDLE_CUDA)
    add_test(NAME "headers: laws in a CUDA file, nvcc"
             COMMAND ${heddle_nvcc_command} ${heddle_cuda_warnings} -I${include} -arch=compute_90a -ptx
                     ${CMAKE_CURRENT_SOURCE_DIR}/headers/laws.cu -o ${generated}/laws.ptx)
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

  # One file each, alone. The target makes them without the tests.
  if(Python3_FOUND)
    set(one_file ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/one_file.py ${PROJECT_BINARY_DIR}/one_file)
    add_custom_target(one_file COMMAND ${one_file} COMMENT "heddle_host.hpp and heddle_device.hpp: ${PROJECT_BINARY_DIR}/one_file")
    add_test(NAME "headers: one file each is made" COMMAND ${one_file})
    set_tests_properties("headers: one file each is made" PROPERTIES FIXTURES_SETUP one_file)
    foreach(compiler IN LISTS CMAKE_CXX_COMPILER host_compilers CMAKE_CUDA_COMPILER)
      set(flags -std=c++20 ${heddle_host_warnings} -fsyntax-only)
      if(compiler STREQUAL CMAKE_CUDA_COMPILER)
        set(flags ${heddle_nvcc_command} ${heddle_cuda_warnings} -x cu -arch=compute_90a -ptx -o ${generated}/one_file.ptx)
        list(POP_FRONT flags)
      endif()
      get_filename_component(name ${compiler} NAME)
      foreach(part host device)
        set(test "headers: heddle_${part}.hpp is one file, ${name}")
        if(NOT TEST ${test})
          add_test(NAME ${test} COMMAND ${compiler} ${flags} -I${PROJECT_BINARY_DIR}/one_file
                                        ${CMAKE_CURRENT_SOURCE_DIR}/headers/one_file_${part}.cpp)
          set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED one_file)
        endif()
      endforeach()
    endforeach()
  endif()

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
