/* Patterns under ftrun: they nest and count, survive a rollback, and a path that misses one end of
 * a region is refused. The argument says which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ft.h"

FT_DECLARE_PATTERN(outer, 0xaa01u);
FT_DECLARE_PATTERN(inner, 0xaa02u);

static long sum(long value)
{
    long all;

    MPI_Allreduce(&value, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Hooks and calls inside the regions: a checkpoint there holds open patterns. */
static long nested(int steps)
{
    MPI_Comm comm;
    long state = 0;

    for (int step = 0; step < steps; step++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        FT_BEGIN_ITERATION(outer, MPI_COMM_WORLD);
        ft_hook();
        state = state * 7 + sum(step);
        FT_BEGIN_ITERATION(inner, comm);
        state += sum(1);
        FT_BEGIN_ITERATION(inner, MPI_COMM_WORLD);
        ft_hook();
        state += sum(2);
        FT_END_ITERATION(inner);
        FT_END_ITERATION(inner);
        FT_END_ITERATION(outer);
        MPI_Comm_free(&comm);
    }
    return state;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "nested";
    int rank;

    FT_BEGIN_ITERATION(outer, MPI_COMM_WORLD); /* before MPI_Init: nothing */
    FT_END_ITERATION(outer);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; strcmp(how, "hooks") == 0 && i < 50; i++) {
        ft_hook_at(0x51u);
        sum(i);
    }
    if (strcmp(how, "end") == 0)
        FT_END_ITERATION(outer);
    if (strcmp(how, "crossed") == 0) {
        FT_BEGIN_ITERATION(outer, MPI_COMM_WORLD);
        FT_BEGIN_ITERATION(inner, MPI_COMM_WORLD);
        FT_END_ITERATION(outer);
    }
    if (strcmp(how, "other") == 0) {
        FT_BEGIN_ITERATION(outer, MPI_COMM_NULL);
        FT_END_ITERATION(inner);
    }
    for (int i = 0; strcmp(how, "deep") == 0 && i < 100; i++)
        FT_BEGIN_ITERATION(inner, MPI_COMM_WORLD);
    long state = nested(argc > 2 ? atoi(argv[2]) : 300);
    if (rank == 0)
        printf("state %ld\n", state);
    MPI_Finalize();
    return 0;
}
