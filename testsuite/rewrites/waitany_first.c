/* Only the first that completes is used: a race, and its winner is told to all. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, winner, value[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&value[1], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &requests[1]);
        /* expect: non-deterministic (index) */
        MPI_Waitany(2, requests, &winner, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Bcast(&winner, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return winner;
}

/* expect:
logged: 14
no hook
+#include <ft.h>
+        FT_SITE(ID1); :: index; non-deterministic
*/
