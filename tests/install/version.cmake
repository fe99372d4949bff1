# Whatever names heddle's version names that of version.hpp:  cmake -D HEDDLE=<tree> -P version.cmake

file(READ ${HEDDLE}/include/heddle/version.hpp header)
if(NOT header MATCHES "version_string\\[\\] = \"(([0-9]+)\\.([0-9]+)\\.([0-9]+))\"")
  message(FATAL_ERROR "version.hpp has no version_string")
endif()
set(version ${CMAKE_MATCH_1})
math(EXPR number "${CMAKE_MATCH_2} * 10000 + ${CMAKE_MATCH_3} * 100 + ${CMAKE_MATCH_4}")
string(REPLACE "." "\\." as_regex ${version})

# heddle_names(<file> <regex>)
function(heddle_names file regex)
  file(READ ${HEDDLE}/${file} text)
  if(NOT text MATCHES "${regex}")
    message(SEND_ERROR "${file} does not have version ${version}: no ${regex}")
  endif()
endfunction()

heddle_names(include/heddle/version.hpp "int version = ${number};")
heddle_names(packaging/vcpkg/heddle/vcpkg.json "\"version\": \"${as_regex}\"")
heddle_names(docs/embedding.md "heddle/${as_regex}[^0-9.]")
heddle_names(docs/api.md "version_string\\[\\] = \"${as_regex}\"")
heddle_names(CHANGELOG.md "\n## ${as_regex}\n")
# These read version.hpp.
foreach(reader packaging/conan/conanfile.py pyproject.toml CMakeLists.txt)
  heddle_names(${reader} "version\\.hpp")
endforeach()
