/* A loop made of goto, left by another goto. */
#include <mpi.h>

static int gather(int count, int *table)
{
    int value, left = count;
    MPI_Status status;
    if (count > 64)
        goto failed;
again:
    if (left == 0)
        goto done;
    /* expect: send-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    table[status.MPI_SOURCE] = value;
    left--;
    goto again;
failed:
    return -1;
done:
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, code = 0, table[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        code = gather(size - 1, table);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}

/* expect:
pattern in main: 30 to 33, by nothing
no hook
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
