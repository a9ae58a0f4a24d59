/* Nobody reads which request is complete, or whether one is. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value[2], flag, which, word = 1;
    MPI_Request request, requests[2], sending;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value[0], 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value[1], 1, MPI_INT, (rank + 2) % size, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &sending);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 2 * size - 2) % size, 2, MPI_COMM_WORLD, &request);
    /* expect: deterministic (flag) */
    MPI_Test(&sending, &flag, &status);
    for (int i = 0; i < 2; i++)
        /* expect: deterministic (index) */
        MPI_Waitany(2, requests, &which, &status);
    word += value[0] + value[1];
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, &status);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
+#include <ft.h>
+    FT_SITE(ID1); :: flag; deterministic
-        MPI_Waitany(2, requests, &which, &status);
+        (FT_SITE(ID2) :: index; deterministic, MPI_Waitany(2, requests, &which, &status));
*/
