/* The end of a program that calls MPI before MPI_Init or after MPI_Finalize (process.h). */
#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"

static int may_be_outside(const char *call)
{
    static const char *const words[] = {"MPI_Init",   "MPI_Session_init", "MPI_Info_",
                                        "MPI_Error_", "rrhandler_free",   "_create_errhandler"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strstr(call, words[i]))
            return 1;
    }
    return 0;
}

/* MPICH's words and its code, once for the calls that would not find it out: after MPI_Finalize
 * the library is still up, and what the runtime answers by itself needs none. */
void ft_outside(struct ft_rank *self)
{
    const char *call = ft_call_name(self->recorder->call);

    if (may_be_outside(call))
        return;
    fprintf(stderr,
            "Attempting to use an MPI routine (internal_%s) before initializing or after "
            "finalizing MPICH\n",
            call + strlen("MPI_"));
    self->recorder->where = FT_WHERE_USER;
    ft_depth = 0;
    exit(1);
}
