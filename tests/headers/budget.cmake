# Preprocessed lines of a header over those of an empty translation unit, against a budget: what a user of the header
# waits for.

set(budget 3000)
string(REPLACE "/" "_" name ${HEADER})

# Line markers, blank lines and what the compiler adds of its own do not count.
function(count_lines unit lines)
  execute_process(COMMAND ${COMPILER} -I${INCLUDE} -E ${unit} OUTPUT_FILE ${unit}.i COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${unit}.i counted REGEX "^ *[^# ]" )
  list(LENGTH counted count)
  set(${lines} ${count} PARENT_SCOPE)
endfunction()

set(unit ${WORK}/budget_${name}.${SUFFIX})
file(WRITE ${unit} "")
count_lines(${unit} empty_lines)
file(WRITE ${unit} "#include <${HEADER}>\n")
count_lines(${unit} full_lines)
math(EXPR lines "${full_lines} - ${empty_lines}")
message("${HEADER}: ${lines} lines over an empty translation unit (budget ${budget} lines)")
if(lines GREATER budget)
  message(FATAL_ERROR "over the budget")
endif()
