/* MPI_Sendrecv sends to its right neighbour and takes from anybody, who is the left one. It
 * sends the received value on in the next turn: only if nobody overtakes is this a ring. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, mine, theirs = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = rank;
    for (int i = 0; i < size; i++) {
        /* expect: deterministic or unknown or non-deterministic (source), finding capture? */
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &theirs, 1, MPI_INT, MPI_ANY_SOURCE,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine = theirs;
    }
    MPI_Finalize();
    return mine;
}

/* expect:
pattern in main: 14 to 15, by nothing, not trusted
logged: 14
hook in main: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID3); :: any source; unknown
+        FT_END_ITERATION(ftcc_ID1);
*/
