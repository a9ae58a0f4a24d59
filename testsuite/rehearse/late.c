/* late: a pattern that is executed only behind most of the program's calls, and whose receives rank
 * 0 tells in the order of arrival. Rank 1 sends behind a word of rank 2, so that this one is first
 * whatever the timing; but who gets both messages from a log may find them in another order.
 * With a FILE both ranks change it again and again, so that both clusters go back together wherever
 * the first checkpoint is; only one rank sends then, and there is only one order. Few kinds of
 * calls: each is a death of its own.
 *
 * arguments: [FILE] */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { BEFORE = 200, ROUNDS = 8, OWN = 5, WORD = 6 };

static void change(const char *path, int rank)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (pwrite(fd, "a", 1, rank) != 1)
        perror(path);
    close(fd);
}

int main(int argc, char **argv)
{
    long sum = 0, first, one;
    int rank, senders = argc > 1 ? 1 : 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < BEFORE; i++) {
        usleep(1000);
        if (argc > 1 && i % 20 == 0)
            change(argv[1], rank);
        MPI_Bcast(&sum, 1, MPI_LONG, i % (senders + 1), MPI_COMM_WORLD);
    }
    for (int number = 0; number < ROUNDS; number++) {
        if (rank != 0) {
            one = rank * 1000 + number;
            if (rank == 1 && senders == 2) {
                MPI_Recv(NULL, 0, MPI_LONG, 2, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                usleep(3000);
            }
            MPI_Send(&one, 1, MPI_LONG, 0, OWN, MPI_COMM_WORLD);
            if (rank == 2)
                MPI_Send(NULL, 0, MPI_LONG, 1, WORD, MPI_COMM_WORLD);
        } else {
            first = -1;
            for (int i = 0; i < senders; i++) {
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
