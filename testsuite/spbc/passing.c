/* passing: in each step a name comes and goes twice: rank 0 makes a file and removes it, rank 1
 * makes it, and rank 0 removes that, too. In between nothing is left of it.
 *
 * arguments: [steps 60]
 *
 * ranks: 3
 * test: 60
 * pace: 3000
 */
#include "program.h"

static void make(long number)
{
    int fd = open("name", O_WRONLY | O_CREAT | O_EXCL, 0644);

    check(fd >= 0 && close(fd) == 0, "make", number);
}

static void take_away(long number)
{
    check(unlink("name") == 0, "unlink", number);
}

static void hand(int from, int to)
{
    if (rank == from)
        MPI_Send(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(&from, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 0) {
            make(number);
            take_away(number);
        }
        hand(0, 1);
        if (rank == 1)
            make(number);
        hand(1, 0);
        if (rank == 0)
            take_away(number);
        hand(0, 2); /* rank 2 is not ahead of the others: so it is seen to roll back */
        unlink("never");
    }
    return program_end("passing", mix((uint64_t)steps));
}
