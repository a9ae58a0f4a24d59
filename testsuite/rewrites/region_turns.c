/* The region is a part of the main loop's turn, and left by continue and by break. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0, step = 0;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (;;) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < size; i++)
            MPI_Isend(&step, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
        switch (step % 4) {
        case 0:
            for (int i = 0; i < size; i++)
                /* expect: send-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        default:
            for (int i = 0; i < size; i++) {
                /* expect: send-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += value;
            }
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        if (++step == 8)
            break;
        if (step % 2)
            continue;
        sum++;
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 13 to 27, by collective
hook in main: 11
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+                (FT_SITE(ID3) :: any source; send-deterministic, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
+                FT_SITE(ID4); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
