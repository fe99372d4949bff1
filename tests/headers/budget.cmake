# Preprocessed lines of a header over those of an empty translation unit, against the budget of design; and
# the time that it costs, which is reported only: machines differ.

set(budget 3000)
string(REPLACE "/" "_" name ${HEADER})
set(empty ${WORK}/budget_empty_${name}.${SUFFIX})
set(full ${WORK}/budget_${name}.${SUFFIX})
file(WRITE ${empty} "")
file(WRITE ${full} "#include <${HEADER}>\n")

function(measure unit lines milliseconds)
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -E ${unit} OUTPUT_FILE ${unit}.i COMMAND_ERROR_IS_FATAL ANY)
  # Line markers, blank lines and what the compiler adds of its own do not count.
  file(STRINGS ${unit}.i counted REGEX "^ *[^# ]" )
  list(LENGTH counted count)
  set(${lines} ${count} PARENT_SCOPE)
  string(TIMESTAMP before "%s%f" UTC)
  execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -c ${unit} -o ${unit}.o COMMAND_ERROR_IS_FATAL ANY)
  string(TIMESTAMP after "%s%f" UTC)
  math(EXPR elapsed "(${after} - ${before}) / 1000")
  set(${milliseconds} ${elapsed} PARENT_SCOPE)
endfunction()

measure(${empty} empty_lines empty_ms)
measure(${full} full_lines full_ms)
math(EXPR lines "${full_lines} - ${empty_lines}")
math(EXPR ms "${full_ms} - ${empty_ms}")
message("${HEADER}: ${lines} lines and ${ms} ms over an empty translation unit (budget ${budget} lines)")
if(lines GREATER budget)
  message(FATAL_ERROR "over the budget")
endif()
