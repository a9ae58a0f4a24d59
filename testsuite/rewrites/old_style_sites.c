/* options: -std=gnu89 -w */
/* Definitions of the old style around a pattern. */
#include <mpi.h>

gather(count, table, comm)
    int count, *table;
    MPI_Comm comm;
{
    int value;
    MPI_Status status;
    while (count-- > 0) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &status);
        table[status.MPI_SOURCE] = value;
    }
}

main(argc, argv)
    int argc;
    char **argv;
{
    int rank, size, table[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        gather(size - 1, table, MPI_COMM_WORLD);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    if (rank == 0)
        for (rank = 1; rank < size; rank++)
            MPI_Send(&table[rank], 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    else
        MPI_Recv(table, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 26 to 29, by nothing
no hook in gather: 11
hook in main: 31
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
-            MPI_Send(&table[rank], 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&table[rank], 1, MPI_INT, rank, 3, MPI_COMM_WORLD); }
*/
