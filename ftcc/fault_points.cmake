# Writes OUT: a macro around each MPI call of the table CALLS, with a point of FT_FAULT before and behind it.
file(STRINGS ${CALLS} lines REGEX "^FT_(CALL|REFUSED)\\(MPIX?_")
set(text "/* Fault points around MPI calls (ftcc --ft-fault-points), named FILE:LINE:CALL:before and :after. */
#ifndef FT_FAULT_POINTS_H
#define FT_FAULT_POINTS_H
#pragma GCC system_header
#include <mpi.h>
#include \"ft.h\"
#define FT_AROUND(ft_call, ...) \\
    __extension__({ \\
        FT_FAULT(__FILE__ \":\" FT_FAULT_LINE(__LINE__) \":\" #ft_call \":before\", 0, 0, 0); \\
        __typeof__(ft_call(__VA_ARGS__)) ft_result = ft_call(__VA_ARGS__); \\
        FT_FAULT(__FILE__ \":\" FT_FAULT_LINE(__LINE__) \":\" #ft_call \":after\", 0, 0, 0); \\
        ft_result; \\
    })
")
foreach(line ${lines})
  string(REGEX REPLACE "^FT_[A-Z]+\\(([A-Za-z0-9_]+),.*" "\\1" call "${line}")
  string(APPEND text "#ifndef ${call}\n#define ${call}(...) FT_AROUND(${call}, ##__VA_ARGS__)\n#endif\n")
endforeach()
string(APPEND text "#endif\n")
file(WRITE ${OUT}.new "${text}")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUT}.new)
