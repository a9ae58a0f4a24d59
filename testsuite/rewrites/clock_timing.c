/* A clock that is only read and printed is nobody's business. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank;
    start = MPI_Wtime();
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        fprintf(stderr, "%g s\n", MPI_Wtime() - start);
    MPI_Finalize();
    return value;
}

/* expect:
hook in main: 14
+#include <ft.h>
-        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
+        { ft_hook_at(ID1); MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
-                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                             MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
*/
