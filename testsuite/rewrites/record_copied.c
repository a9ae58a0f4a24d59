/* Two loops compete for messages of one tag: the record that has the tag is copied into. */
#include <mpi.h>
#include <string.h>
struct job {
    int tag, other;
};
int main(int argc, char **argv)
{
    int rank, size, a = 0, b = 0, x;
    struct job job, two = {102, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    job.tag = 5;
    memcpy(&job, &two, sizeof job);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 102, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            a += x;
        }
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, job.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            b += x;
        }
        MPI_Send(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 102, MPI_COMM_WORLD);
        MPI_Send(&size, 1, MPI_INT, 0, 102, MPI_COMM_WORLD);
        if (rank < 3)
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}

/* expect:
pattern in main: 16 to 34, by nothing
logged: 19
no hook in main: 17
hook in main: 22
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; non-deterministic
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: any source, maybe any tag; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
