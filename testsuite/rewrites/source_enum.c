/* Wildcards behind an enumerator and a constant; a constant that is none. */
#include <mpi.h>

enum { ANYONE = MPI_ANY_SOURCE, SOMEONE = 1 };
static const int any_tag = MPI_ANY_TAG;

int main(int argc, char **argv)
{
    int rank, size, value, kinds[3] = {0, 0, 0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, SOMEONE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source, tag) */
            MPI_Recv(&value, 1, MPI_INT, ANYONE, any_tag, MPI_COMM_WORLD,
                     &status);
            kinds[status.MPI_TAG]++;
        }
    } else {
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, rank % 3, MPI_COMM_WORLD);
    }
    MPI_Bcast(kinds, 3, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return kinds[0];
}

/* expect:
pattern in main: 14 to 26, by nothing
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, any tag; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
