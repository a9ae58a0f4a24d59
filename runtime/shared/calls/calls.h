/* calls: a number for every MPI function, for the recorder, kill orders and messages; and which
 * functions the runtime refuses.
 *
 * The numbers are those of one build; they are never stored in a file. Thread rule: constants. */
#ifndef FT_CALLS_H
#define FT_CALLS_H

#include <stdint.h>

enum ft_call {
    FT_CALL_NONE, /* before the first call */
#define FT_REASON(reason, text)
#define FT_CALL(name, class) FT_CALL_##name,
#define FT_REFUSED(name, reason) FT_CALL_##name,
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
    FT_CALLS /* how many */
};

/* The function's name, "MPI_Send"; "no call" for FT_CALL_NONE and numbers out of range. */
const char *ft_call_name(uint32_t call);
/* The number of a name, or FT_CALL_NONE. */
uint32_t ft_call_find(const char *name);
/* Why the runtime ends a run at this call, as the user reads it; NULL: the call is carried. */
const char *ft_call_refusal(uint32_t call);
/* The call behind a symbol of an object file: MPI_Send, mpi_send_, mpi_send_f08ts_. *fortran tells
 * whether it is one of a Fortran binding. FT_CALL_NONE: it is no MPI function. */
uint32_t ft_call_of_symbol(const char *symbol, int *fortran);

#endif
