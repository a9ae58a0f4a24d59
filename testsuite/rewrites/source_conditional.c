/* The source is a wildcard on one branch of ?: only, and in a variable that an if may change. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, most = 0, least = 1 << 20, from = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2)
        from = MPI_ANY_SOURCE;
    if (rank != 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    for (int i = 1; i < size && rank == 0; i++) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, argc > 1 ? i : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        most = value > most ? value : most;
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (value < least)
            least = value;
    }
    MPI_Bcast(&most, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&least, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return most - least;
}

/* expect:
pattern in main: 12 to 25, by nothing
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: maybe any source; send-deterministic
+        FT_SITE(ID4); :: maybe any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
