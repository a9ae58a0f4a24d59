/* needs: plain_names.h */
/* Macros of the program that are called like what ft.h might call something. */
#include <mpi.h>
#include "plain_names.h"

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &size);
    for (int step = 0; step < id; step++) {
        if (rank == 0)
            for (int i = 1; i < size; i++) {
                /* expect: send-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, pattern, communicator,
                         MPI_STATUS_IGNORE);
            }
        else
            MPI_Send(&rank, 1, MPI_INT, 0, pattern, communicator);
        MPI_Barrier(communicator);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 13 to 20, by collective
hook in main: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+                FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
