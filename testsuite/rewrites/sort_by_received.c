/* The comparison of a sort reads what the receives have left. */
#include <mpi.h>
#include <stdlib.h>

static int modulus;

static int compare(const void *one, const void *other)
{
    return *(const int *)one % (modulus + 2) - *(const int *)other % (modulus + 2);
}

int main(int argc, char **argv)
{
    int rank, size, value, table[64] = {5, 3, 8, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++) {
        /* expect: unknown or non-deterministic (source), finding order-escapes? */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        modulus = (3 * modulus + value) % 7;
    }
    qsort(table, 64, sizeof *table, compare);
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 18 to 23, by nothing
logged: 21
hook in main: 19
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
