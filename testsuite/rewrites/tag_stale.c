/* Two loops compete for messages of one tag: one has a copy of an older value. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, a = 0, b = 0, x;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int k = argc, t = k;
    k += 97;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic or unknown (source), finding order-escapes? */
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            a += x;
        }
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, t + 97, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            b += x;
        }
        MPI_Send(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, k, MPI_COMM_WORLD);
        MPI_Send(&size, 1, MPI_INT, 0, k, MPI_COMM_WORLD);
        if (rank < 3)
            MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 12 to 30, by nothing
logged: 15
no hook in main: 13
hook in main: 18
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; non-deterministic
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
