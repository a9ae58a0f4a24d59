/* options: -std=c11 -Wno-comment */
/* Comments that go on in the next line: nothing may stand between the two lines. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int total = 0, rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 3; step++) { // by a trigraph ??/
        total += 100;
        if (rank == 0)
            /* expect: non-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); // by a backslash, behind one \\
        total += 100;
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return total;
}

/* expect:
pattern in main: 12 to 16, by termination
logged: 14
hook in main: 10
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
-    for (int step = 0; step < 3; step++) { // by a trigraph ??/
+    for (int step = 0; step < 3; step++) { ft_hook_at(ID2); // by a trigraph ??/
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            (FT_SITE(ID3) :: any source; non-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
-            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); // by a backslash, behind one \\
+            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); FT_END_ITERATION(ftcc_ID1); // by a backslash, behind one \\
*/
