# Every header of INCLUDE/heddle as C++17, by COMPILER's preprocessor: one error, which says what to add. It is fatal, so
# that no compiler reads on.

set(expected "heddle needs C\\+\\+20: compile with -std=c\\+\\+20")
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/heddle/*.hpp)
list(FILTER headers EXCLUDE REGEX "^heddle/guest/")
list(FILTER headers EXCLUDE REGEX "/detail/")
get_filename_component(name ${COMPILER} NAME)
set(unit ${WORK}/language_${name}.cpp)
foreach(header IN LISTS headers)
  file(WRITE ${unit} "#include <${header}>\nint main() {}\n")
  execute_process(COMMAND ${COMPILER} -std=c++17 -E -I${INCLUDE} ${unit} -o ${unit}.i RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "error: [^\n]*" errors "${output}")
  list(LENGTH errors count)
  if(result EQUAL 0 OR NOT count EQUAL 1 OR NOT errors MATCHES "${expected}")
    message(SEND_ERROR "${header} as C++17 gives ${count} errors, not one that says '${expected}':\n${output}")
  endif()
endforeach()
list(LENGTH headers count)
message("${count} headers")
