/* needs: header_function.h */
/* The exchange stands in a header beside the file. */
#include <mpi.h>
#include "header_function.h"

int main(int argc, char **argv)
{
    int rank, size, table[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        header_gather(size - 1, table);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[1];
}

/* expect:
pattern in main: 12 to 15, by nothing
hook in header_gather: 10
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
+#include <ft.h>
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; send-deterministic
*/
