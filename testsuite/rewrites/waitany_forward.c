/* Each message that completes is sent on at once, to a rank of its own: the order of the sends
 * varies, the sequence of each channel does not. */
#include <mpi.h>

enum { PEERS = 3 };

int main(int argc, char **argv)
{
    int rank, size, index, value[PEERS];
    MPI_Request requests[PEERS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < PEERS; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, i + 1, 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < PEERS; i++) {
            /* expect: channel-deterministic (index) */
            MPI_Waitany(PEERS, requests, &index, MPI_STATUS_IGNORE);
            MPI_Send(&value[index], 1, MPI_INT, index + 1, 2, MPI_COMM_WORLD);
        }
    } else if (rank <= PEERS) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return size;
}

/* expect:
no hook in main: 15
hook in main: 17
+#include <ft.h>
+            ft_hook_at(ID1);
+            FT_SITE(ID2); :: index; channel-deterministic
*/
