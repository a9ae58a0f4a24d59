/* How often Testsome found nothing is counted and sent: that is a clock. */
#include <mpi.h>

enum { PEERS = 2 };

int main(int argc, char **argv)
{
    int rank, size, done = 0, turns = 0, count, indices[PEERS], value[PEERS];
    MPI_Request requests[PEERS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < PEERS; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, (rank + i) % size, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < PEERS; i++)
        MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD);
    while (done < PEERS) {
        /* expect: non-deterministic (index, flag), finding poll-steers-sends */
        MPI_Testsome(PEERS, requests, &count, indices, MPI_STATUSES_IGNORE);
        done += count;
        turns++;
    }
    MPI_Send(&turns, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD);
    MPI_Recv(&turns, 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return value[0];
}

/* expect:
logged: 19
no hook in main: 13
hook in main: 15
+#include <ft.h>
-        MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD);
+        { ft_hook_at(ID1); MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD); }
+        FT_SITE(ID2); :: index, flag; non-deterministic
*/
