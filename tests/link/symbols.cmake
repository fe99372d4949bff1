# A unit that includes everything defines no symbol that a second unit would define again: of strong symbols the objects
# have those of the test alone. Takes NM and OBJECTS.

foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -gC --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [A-TX-Z] [^\n]+" strong "${symbols}")
  list(FILTER strong EXCLUDE REGEX " T (main|checked_bytes\\(\\))$")
  if(strong OR NOT symbols MATCHES " T (main|checked_bytes)")
    message(FATAL_ERROR "${object} defines ${strong}")
  endif()
endforeach()
