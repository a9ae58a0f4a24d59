/* The single statement is an if with an else, inside an if with an else. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int step, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        for (step = 0; step < 4; step++)
            if (rank == 0)
                MPI_Send(&step, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        rank = 1;
    MPI_Finalize();
    return rank;
}

/* expect:
hook in main: 10
+#include <ft.h>
-            if (rank == 0)
+            { ft_hook_at(ID1); if (rank == 0)
-                MPI_Recv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                MPI_Recv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
*/
