/* A message is passed on once, at some moment between other sends: each channel sees the same. */
#include <mpi.h>

enum { NEWS = 1, TICK = 2, STEPS = 10 };

int main(int argc, char **argv)
{
    int rank, size, news = 0, passed, arrived;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    passed = rank == 0;
    if (rank == 0)
        MPI_Send(&news, 1, MPI_INT, 1 % size, NEWS, MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv_replace(&step, 1, MPI_INT, (rank + 1) % size, TICK, (rank + size - 1) % size,
                             TICK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!passed) {
            /* expect: channel-deterministic (flag) */
            MPI_Iprobe(rank - 1, NEWS, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
            if (arrived) {
                MPI_Recv(&news, 1, MPI_INT, rank - 1, NEWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&news, 1, MPI_INT, (rank + 1) % size, NEWS, MPI_COMM_WORLD);
                passed = 1;
            }
        }
    }
    if (!passed) {
        MPI_Recv(&news, 1, MPI_INT, rank - 1, NEWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&news, 1, MPI_INT, (rank + 1) % size, NEWS, MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Recv(&news, 1, MPI_INT, size - 1, NEWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return news;
}

/* expect:
hook in main: 15
+#include <ft.h>
+        ft_hook_at(ID1);
+            FT_SITE(ID2); :: flag; channel-deterministic
*/
