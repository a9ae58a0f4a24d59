/* needs: two_files.h two_files_part.c */
/* Wrappers in another file: the link step sees through them. */
#include "two_files.h"

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: channel-deterministic (source) */
            comm_receive(&value, MPI_ANY_SOURCE, 5, &status);
            MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD);
        }
        comm_gather(&sum, size - 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        comm_receive(&value, 0, 6, &status);
        MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 12 to 23, by nothing, not annotated, not trusted
logged: 15
logged: 14
hook in main: 13
no hook in comm_gather: 12
+#include <ft.h>
+            ft_hook_at(ID1);
+#include <ft.h>
+        FT_SITE(ID2); :: any source; send-deterministic
*/
