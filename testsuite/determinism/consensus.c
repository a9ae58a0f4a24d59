/* Sparse exchanges by non-blocking consensus (Hoefler, Siebert, Lumsdaine, 2010): nobody knows how
 * many messages will come. A barrier keeps one exchange from taking messages of the next.
 * prints: checksum 1646557 */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 20, MOST = 3, NEWS = 7 };

static void exchange(const int *targets, int count, int value, int *values, int size)
{
    int done = 0, waiting = 0, arrived, sent, got;
    MPI_Request sends[MOST], barrier;
    MPI_Status status;
    for (int i = 0; i < size; i++)
        values[i] = 0;
    for (int i = 0; i < count; i++)
        MPI_Issend(&value, 1, MPI_INT, targets[i], NEWS, MPI_COMM_WORLD, &sends[i]);
    while (!done) {
        /* expect: send-deterministic (source, flag) */
        MPI_Iprobe(MPI_ANY_SOURCE, NEWS, MPI_COMM_WORLD, &arrived, &status);
        if (arrived) {
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, NEWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            values[status.MPI_SOURCE] = got;
        }
        if (waiting) {
            /* expect: deterministic or send-deterministic (flag) */
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
            MPI_Testall(count, sends, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                waiting = 1;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, targets[MOST], values[64];
    long sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        int count = (rank + round) % (MOST + 1);
        for (int i = 0; i < count; i++)
            targets[i] = (rank + i * round + 1 + i) % size;
        for (int i = 1; i < count; i++)
            for (int k = 0; k < i; k++)
                if (targets[i] == targets[k])
                    count = i;
        exchange(targets, count, 100 * round + rank + 1, values, size);
        for (int i = 0; i < size; i++)
            sum = (sum * 31 + values[i]) % 1000003;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %ld\n", total);
    MPI_Finalize();
    return 0;
}
