# heddle_dependency(<package> DEBIAN <package> URL <archive> SHA256 <hash>)
#
# Makes a package available to heddle's own tests and benchmarks, by the first of three ways that works:
#   1. it is installed;
#   2. the distribution's own package (Debian, Ubuntu), unpacked into the build folder, without root;
#   3. the source archive of its authors, built here.
# If one way fails, its reason is kept for the last error, and the next way is tried.

set(heddle_dependencies ${PROJECT_BINARY_DIR}/dependencies)

# Unpacks a package under `root`, together with the library that belongs to its headers.
function(heddle_unpack_debian package root failure)
  find_program(heddle_apt_get apt-get)
  find_program(heddle_apt_cache apt-cache)
  find_program(heddle_dpkg_deb dpkg-deb)
  if(NOT heddle_apt_get OR NOT heddle_apt_cache OR NOT heddle_dpkg_deb)
    set(${failure} "this is no Debian or Ubuntu" PARENT_SCOPE)
    return()
  endif()

  # Uses the machine's package lists, or, if it has none, downloads lists into the build folder, which needs no root.
  set(own ${heddle_dependencies}/apt)
  file(MAKE_DIRECTORY ${own}/lists/partial ${own}/cache/archives/partial ${root}/archives)
  set(own_lists -o Dir::State::Lists=${own}/lists -o Dir::Cache=${own}/cache -o APT::Sandbox::User=)
  foreach(lists "machine" "own")
    set(options)
    if(lists STREQUAL "own")
      set(options ${own_lists})
      execute_process(COMMAND ${heddle_apt_get} ${options} update OUTPUT_QUIET ERROR_QUIET TIMEOUT 120)
    endif()
    execute_process(COMMAND ${heddle_apt_cache} ${options} depends ${package} OUTPUT_VARIABLE depends ERROR_QUIET)
    string(REGEX REPLACE "-dev$" "" stem ${package})
    # libbenchmark-dev needs libbenchmark1.9.1; catch2 of Debian 13 is empty and needs libcatch2-dev.
    string(REGEX MATCHALL "Depends: (lib)?${stem}[a-z0-9.]*(-dev)?" libraries "${depends}")
    list(TRANSFORM libraries REPLACE "Depends: " "")
    execute_process(COMMAND ${heddle_apt_get} ${options} download ${package} ${libraries}
                    WORKING_DIRECTORY ${root}/archives RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors
                    TIMEOUT 120)
    if(result EQUAL 0)
      break()
    endif()
  endforeach()
  if(NOT result EQUAL 0)
    string(REGEX MATCH "E: [^\n]*" reason "${errors}")
    set(${failure} "apt-get download ${package} failed: ${reason}" PARENT_SCOPE)
    return()
  endif()

  file(GLOB archives ${root}/archives/*.deb)
  foreach(archive IN LISTS archives)
    execute_process(COMMAND ${heddle_dpkg_deb} -x ${archive} ${root} RESULT_VARIABLE result ERROR_VARIABLE errors)
    if(NOT result EQUAL 0)
      set(${failure} "dpkg-deb -x ${archive} failed: ${errors}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${failure} "" PARENT_SCOPE)
endfunction()

# Downloads and unpacks a source archive into `root`.
function(heddle_unpack_source url sha256 root failure)
  set(archive ${root}.tar.gz)
  file(DOWNLOAD ${url} ${archive} STATUS status TIMEOUT 120 INACTIVITY_TIMEOUT 30)
  list(GET status 0 code)
  list(GET status 1 reason)
  if(NOT code EQUAL 0)
    set(${failure} "${url}: ${reason}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${archive} actual)
  if(NOT actual STREQUAL sha256)
    set(${failure} "${url} has the SHA-256 ${actual}, not ${sha256}" PARENT_SCOPE)
    return()
  endif()
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${root})
  set(${failure} "" PARENT_SCOPE)
endfunction()

macro(heddle_dependency package)
  cmake_parse_arguments(heddle "" "DEBIAN;URL;SHA256" "" ${ARGN})
  set(heddle_root ${heddle_dependencies}/${heddle_DEBIAN})

  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    set(heddle_unpacked "")
    if(NOT EXISTS ${heddle_root}/usr)
      message(STATUS "${package} is not installed: unpacking the distribution's package ${heddle_DEBIAN}")
      heddle_unpack_debian(${heddle_DEBIAN} ${heddle_root} heddle_unpacked)
    endif()
    if(heddle_unpacked STREQUAL "")
      # ${package}_DIR holds NOTFOUND from the first search, and the libraries are under a triplet's name.
      unset(${package}_DIR CACHE)
      file(GLOB_RECURSE heddle_config ${heddle_root}/usr/${package}Config.cmake)
      if(heddle_config)
        get_filename_component(heddle_config "${heddle_config}" DIRECTORY)
        find_package(${package} QUIET PATHS ${heddle_config} NO_DEFAULT_PATH)
      endif()
      if(NOT ${package}_FOUND)
        set(heddle_unpacked "the package ${heddle_DEBIAN} has no usable ${package}Config.cmake")
      endif()
    endif()
  endif()

  if(NOT ${package}_FOUND)
    set(heddle_fetched "")
    if(NOT EXISTS ${heddle_root}-source)
      message(STATUS "${heddle_unpacked}; fetching ${heddle_URL}")
      heddle_unpack_source(${heddle_URL} ${heddle_SHA256} ${heddle_root}-source heddle_fetched)
    endif()
    file(GLOB heddle_source ${heddle_root}-source/*)
    if(NOT heddle_fetched STREQUAL "" OR NOT heddle_source)
      message(FATAL_ERROR "${package} could not be had:\n"
                          "  - it is not installed (find_package found no ${package}Config.cmake)\n"
                          "  - ${heddle_unpacked}\n"
                          "  - ${heddle_fetched}\n"
                          "Install it and configure again: on Debian or Ubuntu 'apt-get install ${heddle_DEBIAN}', "
                          "elsewhere see ${heddle_URL}")
    endif()
    add_subdirectory(${heddle_source} ${heddle_root}-build EXCLUDE_FROM_ALL SYSTEM)
  endif()
endmacro()

if(HEDDLE_TESTS)
  heddle_dependency(Catch2 DEBIAN catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.4.0.tar.gz
    SHA256 122928b814b75717316c71af69bd2b43387643ba076a6ec16e7882bfb2dfacbb)
endif()

if(HEDDLE_BENCH)
  set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
  set(BENCHMARK_ENABLE_WERROR OFF CACHE INTERNAL "")
  set(BENCHMARK_ENABLE_GTEST_TESTS OFF CACHE INTERNAL "")
  heddle_dependency(benchmark DEBIAN libbenchmark-dev
    URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    SHA256 6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
endif()
