/* The program of poll_drained.c, that sends how often it has polled with each answer. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value, found, left, t = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = size - 1;
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        while (left > 0) {
            t++;
            /* expect: non-deterministic (source, flag), finding poll-steers-sends */
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            while (found) {
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
                MPI_Send(&t, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
                left--;
                /* expect: non-deterministic (source, flag), finding poll-steers-sends */
                MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            }
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 27, by nothing
logged: 18
logged: 24
hook in main: 15
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, flag; non-deterministic
+                FT_SITE(ID4); :: any source, flag; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
