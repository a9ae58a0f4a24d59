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
+extern void ft_hook(void);
-            if (rank == 0)
+            { ft_hook(); if (rank == 0)
-                MPI_Recv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                MPI_Recv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
report:10: hook in the main loop of main
report: 0 sites
*/
