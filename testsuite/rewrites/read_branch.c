/* Two numbers are read in the order that the first message says. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, who, other, one = 0, two = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        /* expect: unknown (source) */
        MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (who == 1) {
            fread(&one, sizeof one, 1, stdin);
            fread(&two, sizeof two, 1, stdin);
        } else {
            fread(&two, sizeof two, 1, stdin);
            fread(&one, sizeof one, 1, stdin);
        }
        for (int i = 1; i < size; i++)
            if (i != who)
                MPI_Recv(&other, 1, MPI_INT, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return two < 0;
}

/* expect:
pattern in main: 11 to 26, by nothing
logged: 13
hook in main: 21
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; unknown
-            if (i != who)
+            { ft_hook_at(ID3); if (i != who)
-                MPI_Recv(&other, 1, MPI_INT, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                MPI_Recv(&other, 1, MPI_INT, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
+    FT_END_ITERATION(ftcc_ID1);
*/
