/* Waitany until all are done, and nobody reads which was first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, halo[2], index;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&halo[0], 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&halo[1], 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        /* expect: deterministic or send-deterministic (index) */
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Bcast(halo, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return halo[0];
}

/* expect:
no hook
+#include <ft.h>
-        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
+        (FT_SITE(ID1) :: index; deterministic, MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
*/
