/* natively: calls that the runtime refuses, and MPI_THREAD_MULTIPLE; then the end that the argument
 * names.
 *
 * ranks: 2
 * test: finalize
 */
#include <signal.h>
#include "program.h"

/* Partitioned communication. */
static int send(void)
{
    int value = 7, flag = 0;
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(&value, 1, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
    } else {
        value = 0;
        MPI_Precv_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!flag)
            MPI_Parrived(request, 0, &flag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    return value;
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "finalize";
    int level, value;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = send();
    if (rank == 1)
        printf("natively: sent %d, level %d\n", value, level);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !strcmp(end, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (rank == 1 && !strcmp(end, "die"))
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
