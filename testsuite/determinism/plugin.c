/* A plug-in handles each message; it is chosen when the program runs.
 * prints: checksum 12 */
#include <mpi.h>
#include <dlfcn.h>
#include <stdio.h>

typedef int work(int value, int source);

static int work_default(int value, int source)
{
    return value + source;
}

static work *work_find(const char *library)
{
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    void *found = handle ? dlsym(handle, "work") : NULL;
    work *function = work_default;
    if (found)
        *(void **)&function = found;
    return function;
}

/* The plug-in may count, send, or do nothing of the kind. */
static int serve(int clients, work *function)
{
    int value, sum = 0;
    MPI_Status status;
    while (clients-- > 0) {
        /* expect: unknown (source), finding unannotated-callee */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        value = function(value, status.MPI_SOURCE);
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        printf("checksum %d\n", serve(size - 1, work_find(argc > 1 ? argv[1] : NULL)));
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
