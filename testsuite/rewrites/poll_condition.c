/* The call stands in the loop's condition. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    /* expect: deterministic (flag) */
    while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag)
        continue;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}

/* expect:
no hook
+#include <ft.h>
-    while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag)
+    while ((FT_SITE(ID1) :: flag; deterministic, MPI_Test(&request, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !flag)
*/
