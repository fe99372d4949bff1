# The lines that a program prints compile:  cmake -D PROGRAM=… -D WORK=… -D COMPILER="nvcc;…" -P lines.cmake

file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${PROGRAM} OUTPUT_FILE ${WORK}/lines.cu COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPILER} -ptx ${WORK}/lines.cu -o ${WORK}/lines.ptx COMMAND_ERROR_IS_FATAL ANY)
