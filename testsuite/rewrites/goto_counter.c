/* A loop made of goto that gives numbers in the order of arrival. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, number = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
        goto out;
    }
next:
    if (number == size - 1)
        goto out;
    /* expect: non-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    number = number + 1;
    MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
    goto next;
out:
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 23, by nothing
logged: 20
no hook
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_END_ITERATION(ftcc_ID1);
-        goto out;
+        { FT_END_ITERATION(ftcc_ID1); goto out; }
+    FT_SITE(ID2); :: any source; non-deterministic
*/
