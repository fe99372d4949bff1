# heddle_wasm_compiler(<result> [UNPACK])
#
# Sets <result> to a command that compiles C++ to WebAssembly, and <result>_FOLDER to where its packages lie. They are
# Debian's, installed, or unpacked in the build folder: with UNPACK, apt downloads those that are missing, as any user.
# Nothing is set if there is no compiler.

set(heddle_wasm_packages clang-19 lld-19 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc)

function(heddle_wasm_compiler result)
  cmake_parse_arguments(arg "UNPACK" "" "" ${ARGN})
  set(folder ${PROJECT_BINARY_DIR}/wasm)
  if(arg_UNPACK AND NOT EXISTS ${folder}/usr/lib/wasm32-wasi/libc++.a AND NOT EXISTS /usr/lib/wasm32-wasi/libc++.a)
    find_program(HEDDLE_APT_GET apt-get)
    find_program(HEDDLE_DPKG_DEB dpkg-deb)
    set(failed 1)
    if(HEDDLE_APT_GET AND HEDDLE_DPKG_DEB)
      message(STATUS "The compiler for WebAssembly: apt downloads it to ${folder}")
      file(MAKE_DIRECTORY ${folder}/packages/partial)
      execute_process(COMMAND ${HEDDLE_APT_GET} install --download-only --no-install-recommends --yes --quiet
                              -o Debug::NoLocking=1 -o Dir::Cache::archives=${folder}/packages ${heddle_wasm_packages}
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
      file(GLOB packages ${folder}/packages/*.deb)
      foreach(package IN LISTS packages)
        execute_process(COMMAND ${HEDDLE_DPKG_DEB} -x ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
      endforeach()
      file(REMOVE_RECURSE ${folder}/packages)
    endif()
    if(failed)
      string(REPLACE ";" " " packages "${heddle_wasm_packages}")
      message(FATAL_ERROR "The explorer needs a compiler for WebAssembly, Debian's or Ubuntu's packages ${packages}: "
                          "apt-get did not download them. Install them. ${words}")
    endif()
  endif()
  foreach(root ${folder} "")
    file(GLOB libraries ${root}/usr/lib/*-linux-gnu)
    if(EXISTS ${root}/usr/lib/llvm-19/bin/clang++ AND EXISTS ${root}/usr/lib/llvm-19/bin/wasm-ld AND
       EXISTS ${root}/usr/lib/wasm32-wasi/libc++.a AND EXISTS ${root}/usr/lib/wasm32-wasi/libc.a)
      list(JOIN libraries ":" libraries)
      set(${result} ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${root}/usr/lib/llvm-19/bin/clang++
                    --target=wasm32-wasi --sysroot=${root}/usr -fuse-ld=${root}/usr/lib/llvm-19/bin/wasm-ld PARENT_SCOPE)
      set(${result}_FOLDER "${root}/usr" PARENT_SCOPE)
      break()
    endif()
  endforeach()
endfunction()
