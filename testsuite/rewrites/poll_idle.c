/* The messages sent depend on whether something has already come: the number of reports varies. */
#include <mpi.h>

enum { STOP = 1, REPORT = 2, LAST = 3 };

int main(int argc, char **argv)
{
    int rank, size, stop = 0, reports = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Send(&stop, 1, MPI_INT, i, STOP, MPI_COMM_WORLD);
        for (int left = size - 1; left > 0;) {
            /* expect: deterministic or send-deterministic (source, tag) */
            MPI_Recv(&reports, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            left -= status.MPI_TAG == LAST;
        }
    } else {
        for (;;) {
            /* expect: non-deterministic (flag), finding poll-steers-sends */
            MPI_Iprobe(0, STOP, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE);
            if (stop)
                break;
            MPI_Send(&reports, 1, MPI_INT, 0, REPORT, MPI_COMM_WORLD);
            reports++;
        }
        MPI_Recv(&stop, 1, MPI_INT, 0, STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&reports, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 13 to 32, by nothing
logged: 24
no hook in main: 14
hook in main: 16
hook in main: 22
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, any tag; send-deterministic
+            ft_hook_at(ID4);
+            FT_SITE(ID5); :: flag; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
