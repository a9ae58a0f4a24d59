/* options: -std=c89 -pedantic */
/* Sites without braces around them, also behind else, and inside each other. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, i, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank == 1 ? 2 : 1, MPI_COMM_WORLD);
    else
        for (i = 1; i < size; i++)
            if (i == 1)
                MPI_Recv(&sum, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (i < 100)
                /* expect: send-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                value = 0;
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 11 to 21, by nothing
hook in main: 14
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            if (i == 1)
+            { ft_hook_at(ID2); if (i == 1)
-                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                (FT_SITE(ID3) :: any source; send-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
-                value = 0;
+                value = 0; }
+    FT_END_ITERATION(ftcc_ID1);
*/
