/* The one rank that receives ends each round by a word to all, but within a round two loops compete. */
#include <mpi.h>

static int take(int count)
{
    int value, sum = 0;
    for (int i = 1; i < count; i++) {
        /* expect: non-deterministic (source), finding order-escapes */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, value, first = 0, second = 0, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++) {
        if (rank) {
            value = rank;
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            value = 100 * rank;
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            first = take(size);
            second = take(size);
            for (int i = 1; i < size; i++)
                MPI_Send(&word, 1, MPI_INT, i, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&second, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 22 to 33, by termination
logged: 9
hook in main: 21
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: any source; non-deterministic
+        ft_hook_at(ID3);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_END_ITERATION(ftcc_ID1);
*/
