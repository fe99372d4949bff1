# Writes HEADER, if it changes: the commit of SOURCE as GIT names it, with -dirty where files differ from it.

set(commit unknown)
if(GIT)
  execute_process(COMMAND ${GIT} describe --always --dirty --exclude=* WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE found
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define HEDDLE_COMMIT \"${commit}\"\n" @ONLY)
