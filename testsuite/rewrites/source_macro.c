/* The wildcard and the call both come from macros; what is received is stored by its sender. */
#include <mpi.h>

#define ANYONE MPI_ANY_SOURCE
#define RECEIVE(from) MPI_Recv(&value, 1, MPI_INT, from, 7, MPI_COMM_WORLD, &status)

int main(int argc, char **argv)
{
    int rank, size, value, table[64] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            RECEIVE(ANYONE); /* expect: send-deterministic (source) */
            table[status.MPI_SOURCE] = value;
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Bcast(table, 64, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[1];
}

/* expect:
pattern in main: 14 to 21, by nothing
hook in main: 15
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
