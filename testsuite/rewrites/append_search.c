/* Appended as they come, and only ever found by their key. */
#include <mpi.h>

struct entry {
    int key, value;
};

static int find(const struct entry *entries, int count, int key)
{
    for (int i = 0; i < count; i++)
        if (entries[i].key == key)
            return entries[i].value;
    return -1;
}

int main(int argc, char **argv)
{
    int rank, size, count = 0, value;
    struct entry entries[64];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic or unknown (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            entries[count].key = status.MPI_SOURCE;
            entries[count++].value = value;
        }
        for (int i = 1; i < size; i++) {
            value = find(entries, count, i);
            MPI_Send(&value, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return value;
}

/* expect:
pattern in main: 24 to 38, by nothing
no hook in main: 25
hook in main: 31
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; send-deterministic
+            ft_hook_at(ID3);
+    FT_END_ITERATION(ftcc_ID1);
*/
