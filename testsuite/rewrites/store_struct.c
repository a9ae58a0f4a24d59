/* Stored at the sender's place, through a structure and a pointer. */
#include <mpi.h>

struct part {
    int value;
    double weight;
};

struct gather {
    struct part parts[64];
    MPI_Status status;
};

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    struct gather gather = {0}, *all = &gather;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int left = size - 1; left > 0; left--) {
            int value;
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &all->status);
            struct part *part = &all->parts[all->status.MPI_SOURCE];
            part->value = value;
            part->weight = 1.0 / value;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(&all->parts[i].value, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&sum, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 21 to 35, by nothing
no hook in main: 22
hook in main: 30
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; send-deterministic
-            MPI_Send(&all->parts[i].value, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&all->parts[i].value, 1, MPI_INT, i, 3, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
