/* late: a pattern that is executed only behind most of the program's calls, and whose receives rank
 * 0 tells in the order of arrival. Rank 1 sends behind a word of rank 2, so that this one is first
 * whatever the timing; but who gets both messages from a log may find them in another order. Three
 * ranks, and few kinds of calls: each is a death of its own. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { BEFORE = 200, ROUNDS = 8, RANKS = 3, OWN = 5, WORD = 6 };

int main(int argc, char **argv)
{
    long sum = 0, first, one;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < BEFORE; i++) {
        usleep(1000);
        MPI_Bcast(&sum, 1, MPI_LONG, i % RANKS, MPI_COMM_WORLD);
    }
    for (int number = 0; number < ROUNDS; number++) {
        if (rank != 0) {
            one = rank * 1000 + number;
            if (rank == 1) {
                MPI_Recv(NULL, 0, MPI_LONG, 2, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                usleep(3000);
            }
            MPI_Send(&one, 1, MPI_LONG, 0, OWN, MPI_COMM_WORLD);
            if (rank == 2)
                MPI_Send(NULL, 0, MPI_LONG, 1, WORD, MPI_COMM_WORLD);
        } else {
            first = -1;
            for (int i = 1; i < RANKS; i++) {
                MPI_Recv(&one, 1, MPI_LONG, MPI_ANY_SOURCE, OWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                first = first < 0 ? one : first;
                sum += one;
            }
            printf("first %ld\n", first);
        }
        MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
    printf("rank %d has %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
