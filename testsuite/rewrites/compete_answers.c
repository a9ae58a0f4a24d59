/* A function answers the messages that it takes, and is called twice in one round with another factor:
 * which of the two calls takes a message decides the answer. */
#include <mpi.h>

static void serve(int clients, int factor)
{
    int value;
    MPI_Status status;
    for (int i = 0; i < clients; i++) {
        /* expect: non-deterministic (source), finding order-escapes? */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        value *= factor;
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, answers[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&size, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        for (int i = 0; i < 2; i++)
            MPI_Recv(&answers[i], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        serve(size - 1, 2);
        serve(size - 1, 3);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 23 to 31, by nothing
logged: 11
hook in main: 26
hook in serve: 9
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; non-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Recv(&answers[i], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            { ft_hook_at(ID4); MPI_Recv(&answers[i], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
+    FT_END_ITERATION(ftcc_ID1);
*/
