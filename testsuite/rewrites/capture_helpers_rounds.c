/* One function looks, another takes, and nothing separates two rounds. */
#include <mpi.h>

static int look(void)
{
    int found;
    /* expect: unknown or send-deterministic (source, flag), finding capture */
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    return found;
}

static void take(int *table)
{
    int value;
    MPI_Status status;
    /* expect: send-deterministic or non-deterministic (source), finding capture */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    table[status.MPI_SOURCE] = value;
}

int main(int argc, char **argv)
{
    int rank, size, table[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        int left = size, next = 0;
        while (left > 0 || next < size) {
            if (next < size)
                MPI_Send(&rank, 1, MPI_INT, next++, 5, MPI_COMM_WORLD);
            if (look()) {
                take(table);
                left--;
            }
        }
    }
    MPI_Finalize();
    return table[0];
}

/* expect:
pattern in main: 29 to 36, by nothing, not trusted
logged: 8
logged: 17
hook in main: 27
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source, flag; unknown
+    FT_SITE(ID3); :: any source; send-deterministic
+        ft_hook_at(ID4);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_END_ITERATION(ftcc_ID1);
*/
