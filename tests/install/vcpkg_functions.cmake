# Stand-ins for the functions of vcpkg that the port calls, to test the port without vcpkg. They take the port's arguments,
# and do the work with CMake alone.

set(CURRENT_PACKAGES_DIR ${WORK}/packages)

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/heddle -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
      -D CMAKE_BUILD_TYPE=Release ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${WORK}/heddle)
  run(${CMAKE_COMMAND} --install ${WORK}/heddle --prefix ${CURRENT_PACKAGES_DIR})
endfunction()

# vcpkg moves the package's files for CMake to share/heddle; find_package finds them in either place.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/heddleConfig.cmake)
    message(FATAL_ERROR "no heddleConfig.cmake in ${arg_CONFIG_PATH}")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/heddle RENAME copyright)
endfunction()
