/* A program with a main loop, so that ftcc compiles a copy; with names, lines and warnings. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include "local.h"
#include "sub/part.h"

static int unused_function(int unused)
{
    return 1;
}

int main(int argc, char **argv)
{
    int step, size, never;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (step = 0; step < 3; step++) {
        int before = size;
        MPI_Allreduce(&before, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        printf("%s:%d %s\n", __FILE__, __LINE__, __BASE_FILE__);
    }
    printf("%s:%d %s %s %s\n", __FILE__, __LINE__, __BASE_FILE__, local_name(), part_name());
    assert(size > 0);
    MPI_Finalize();
#ifdef WRONG
    return undeclared;
#endif
    return 0;
}
