/* A named probe waits for the one message that can come. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, length = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Send(&i, 1, MPI_INT, i, 8, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, 8, MPI_COMM_WORLD, &status); /* expect: deterministic () */
        MPI_Get_count(&status, MPI_INT, &length);
        int *data = malloc((size_t)length * sizeof *data);
        MPI_Recv(data, length, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(data);
    }
    MPI_Finalize();
    return length;
}

/* expect:
hook in main: 13
+#include <ft.h>
-            MPI_Send(&i, 1, MPI_INT, i, 8, MPI_COMM_WORLD);
+            { ft_hook_at(ID1); MPI_Send(&i, 1, MPI_INT, i, 8, MPI_COMM_WORLD); }
+        FT_SITE(ID2); :: deterministic
*/
