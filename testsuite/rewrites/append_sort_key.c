/* Sorted by a key that several messages share: between equals the order of arrival remains. */
#include <mpi.h>
#include <stdlib.h>

struct entry {
    int key, value;
};

static int compare(const void *left, const void *right)
{
    return ((const struct entry *)left)->key - ((const struct entry *)right)->key;
}

int main(int argc, char **argv)
{
    int rank, size, count = 0;
    struct entry entries[64] = {{0, 0}}, mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine.key = rank % 2;
    mine.value = rank;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic or unknown (source), finding order-escapes? */
            MPI_Recv(&entries[count], 2, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            count++;
        }
        qsort(entries, (size_t)count, sizeof entries[0], compare);
    } else {
        MPI_Send(&mine, 2, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(entries, 128, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return entries[0].value;
}

/* expect:
pattern in main: 23 to 33, by nothing
logged: 26
hook in main: 24
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
