/* A server: each answer goes to its asker, and depends on the question and a fixed table. */
#include <mpi.h>

static const double table[4] = {1, 2, 4, 8};

static double answer(int question)
{
    return 0.5 * table[question & 3];
}

int main(int argc, char **argv)
{
    int rank, size, question;
    double reply;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: channel-deterministic (source) */
            MPI_Recv(&question, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            reply = answer(question);
            MPI_Send(&reply, 1, MPI_DOUBLE, status.MPI_SOURCE, 3, MPI_COMM_WORLD);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&reply, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 19 to 29, by nothing
hook in main: 20
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
