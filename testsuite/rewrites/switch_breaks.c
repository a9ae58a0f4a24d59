/* The last message chooses a constant, by the labels of a switch. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, chosen = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank % 3;
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            switch (value) {
            case 1:
                chosen = 10;
                break;
            case 2:
                chosen = 20;
                break;
            default:
                chosen = 30;
                break;
            }
        }
    else
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Bcast(&chosen, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 28, by nothing
logged: 14
hook in main: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
