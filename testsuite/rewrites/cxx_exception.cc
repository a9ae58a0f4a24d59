/* An exception is not followed: no class is better than unknown, and no pattern is made. What is
 * found is the site, and the main loop. */
#include <mpi.h>

static int checked(int value)
{
    if (value < 0)
        throw value;
    return value;
}

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 10; step++) {
        try {
            for (int i = 1; rank == 0 && i < size; i++) {
                /* expect: unknown (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += checked(value);
            }
        } catch (int wrong) {
            MPI_Abort(MPI_COMM_WORLD, wrong);
        }
        if (rank > 0)
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 22
hook in main: 18
not seen: function 8
+#include <ft.h>
+        ft_hook_at(ID1);
+                FT_SITE(ID2); :: any source; unknown
*/
