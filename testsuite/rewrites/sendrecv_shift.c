/* MPI_Sendrecv takes from anybody; what came is only added up. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, theirs = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size; i++) {
        /* expect: send-deterministic (source), finding capture? */
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + i) % size, 0, &theirs, 1, MPI_INT, MPI_ANY_SOURCE,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += theirs;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 12 to 13, by nothing, not trusted
logged: 12
hook in main: 10
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
