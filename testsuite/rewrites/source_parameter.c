/* A wrapper with a parameter for the source: a site is where the program calls it with a wildcard,
 * not where it names a rank. */
#include <mpi.h>

static int my_recv(int *value, int source, int tag, MPI_Status *status)
{
    return MPI_Recv(value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, status);
}

static void my_send(int value, int target, int tag)
{
    MPI_Send(&value, 1, MPI_INT, target, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size, value, counts[64] = {0};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: channel-deterministic (source) */
            my_recv(&value, MPI_ANY_SOURCE, 5, &status);
            my_send(2 * value, status.MPI_SOURCE, 6);
        }
    } else {
        my_send(rank, 0, 5);
        my_recv(&counts[rank], 0, 6, &status);
    }
    MPI_Finalize();
    return counts[1];
}

/* expect:
pattern in main: 22 to 31, by nothing, not annotated, not trusted
logged: 25
hook in main: 23
+#include <ft.h>
+            ft_hook_at(ID1);
+            FT_SITE(ID2); :: any source; channel-deterministic
*/
