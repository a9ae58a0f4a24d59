/* A clock decides how many messages are sent. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, step = 0, go_on = 1;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    while (MPI_Wtime() - start < 0.5) {
        /* expect: finding clock-steers-sends */
        MPI_Sendrecv_replace(&step, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        step++;
    }
    MPI_Finalize();
    return go_on;
}

/* expect:
hook in main: 12
+#include <ft.h>
+        ft_hook_at(ID1);
*/
