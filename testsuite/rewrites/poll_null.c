/* The flag is not read, but the request is compared, which tells the same. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value, flag, word = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD);
    /* expect: non-deterministic (flag), finding poll-steers-sends */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (request == MPI_REQUEST_NULL)
        word = 2;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return value;
}

/* expect:
logged: 13
no hook
+#include <ft.h>
+    FT_SITE(ID1); :: flag; non-deterministic
*/
