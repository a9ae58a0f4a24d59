/* Waitsome in a loop: the indices only say what to unpack. */
#include <mpi.h>

enum { PEERS = 3 };

int main(int argc, char **argv)
{
    int rank, size, done = 0, count, indices[PEERS], value[PEERS], place[PEERS];
    MPI_Request requests[PEERS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < PEERS; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, (rank + i) % size, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < PEERS; i++)
        MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD);
    while (done < PEERS) {
        /* expect: send-deterministic (index) */
        MPI_Waitsome(PEERS, requests, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            place[indices[i]] = value[indices[i]] + 1;
        done += count;
    }
    MPI_Bcast(place, PEERS, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return place[0];
}

/* expect:
no hook in main: 13
hook in main: 15
+#include <ft.h>
-        MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD);
+        { ft_hook_at(ID1); MPI_Send(&rank, 1, MPI_INT, (rank + PEERS * size - i) % size, i, MPI_COMM_WORLD); }
+        FT_SITE(ID2); :: index; send-deterministic
*/
