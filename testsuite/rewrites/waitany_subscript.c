/* The index only chooses where results are written: the same places whatever the order. */
#include <mpi.h>

enum { NEIGHBOURS = 2 };

int main(int argc, char **argv)
{
    int rank, size, index, halo[NEIGHBOURS], field[NEIGHBOURS] = {0};
    MPI_Request requests[NEIGHBOURS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&halo[0], 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&halo[1], 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD);
    for (int i = 0; i < NEIGHBOURS; i++) {
        /* expect: send-deterministic (index) */
        MPI_Waitany(NEIGHBOURS, requests, &index, MPI_STATUS_IGNORE);
        field[index] = 2 * halo[index];
    }
    MPI_Bcast(field, NEIGHBOURS, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return field[0];
}

/* expect:
no hook
+#include <ft.h>
+        FT_SITE(ID1); :: index; send-deterministic
*/
