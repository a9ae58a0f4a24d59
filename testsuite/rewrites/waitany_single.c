/* Waitany on one request is Wait. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, index, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    /* expect: deterministic (index), finding waitany-is-wait */
    MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    value += index;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}

/* expect:
no hook
+#include <ft.h>
+    FT_SITE(ID1); :: index; deterministic
*/
