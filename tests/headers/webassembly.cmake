# By COMPILER's preprocessor, predictions and laws include no files and no threads where __wasi__ says that there are none.

set(unit ${WORK}/webassembly.cpp)
file(WRITE ${unit} "#include <heddle/laws.hpp>\n#include <heddle/predict.hpp>\n")
foreach(flag -U__wasi__ -D__wasi__)
  execute_process(COMMAND ${COMPILER} -std=c++20 ${flag} -M -I${INCLUDE} ${unit} OUTPUT_VARIABLE included COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "/(fstream|thread)[ \n]" found${flag} "${included}")
endforeach()
if(NOT "${found-U__wasi__}" MATCHES "thread.*fstream" OR found-D__wasi__)
  message(FATAL_ERROR "included elsewhere: ${found-U__wasi__}; on WebAssembly: ${found-D__wasi__}")
endif()
