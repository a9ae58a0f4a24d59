/* Minimum, maximum, or, exclusive or: the order of arrival cannot be seen in them. */
#include <mpi.h>
#include <math.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))

int main(int argc, char **argv)
{
    int rank, size;
    double value, most = 0, least = 1e9;
    unsigned seen = 0, parity = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = 1.0 / (rank + 1);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            most = MAX(most, value);
            if (value < least)
                least = value;
            seen |= 1u << status.MPI_SOURCE;
            parity ^= (unsigned)status.MPI_SOURCE;
        }
    } else {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(&most, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&least, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&seen, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    MPI_Bcast(&parity, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 17 to 29, by nothing
hook in main: 18
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
