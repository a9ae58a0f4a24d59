/* The whole array is sorted, whatever came. */
#include <mpi.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

int main(int argc, char **argv)
{
    int rank, size, count = 0, values[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&values[count], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            count++;
        }
        qsort(values, sizeof values / sizeof values[0], sizeof values[0], compare);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(values, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return values[0];
}

/* expect:
pattern in main: 16 to 26, by nothing
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
