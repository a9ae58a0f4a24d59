/* The tag names the sender, so that only one message can match. */
#include <mpi.h>

enum { BASE = 100 };

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0, other;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int mask = 1; mask < size; mask <<= 1) {
        other = rank ^ mask;
        if (other >= size)
            continue;
        if (rank > other) {
            MPI_Send(&rank, 1, MPI_INT, other, BASE + rank, MPI_COMM_WORLD);
            /* expect: deterministic (source) */
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, BASE + other, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            /* expect: deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, BASE + other, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            MPI_Send(&rank, 1, MPI_INT, other, BASE + rank, MPI_COMM_WORLD);
        }
        sum = 3 * sum + value;
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 13
+#include <ft.h>
+        ft_hook_at(ID1);
+            FT_SITE(ID2); :: any source; deterministic
+            FT_SITE(ID3); :: any source; deterministic
*/
