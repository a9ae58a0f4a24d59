/* rivals: two loops of receives compete for the messages of one tag, and a comment says that no
 * message depends on which loop gets which. That is not true: the sum of each loop goes to another
 * rank. A rank that rolls back and sums up other messages than before must not go unnoticed: the
 * two sums would not be of one execution.
 *
 * Ranks 1 and 2 remember the sums to the end, and then hold them together: in each step they are
 * those of all messages. Rank 3, if there is one, sends last.
 *
 * arguments: [steps 12]
 *
 * ranks: 4
 * test: 12
 * pace: 20000
 */
#include "program.h"

enum { PART = 1, SUM = 2, OWN = 3 };

static long part_of(long number, int source, int which)
{
    return number * 1000 + source * 10 + which;
}

static void exchange(long number)
{
    long part, a = 0, b = 0;

    /* ftcc: pattern exchange */
    {
        for (int i = 0; i < 2 && rank > 0; i++) {
            part = part_of(number, rank, i);
            pause_us((size - rank) * 700);
            MPI_Send(&part, 1, MPI_LONG, 0, PART, MPI_COMM_WORLD);
        }
        for (int i = 1; i < size && rank == 0; i++) {
            /* ftcc: send-deterministic */
            MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            a += part;
        }
        for (int i = 1; i < size && rank == 0; i++) {
            /* ftcc: send-deterministic */
            MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            b += part;
        }
    }
    if (rank == 0) {
        MPI_Send(&a, 1, MPI_LONG, 1, SUM, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_LONG, 2, SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    long steps, *mine, *other;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    check(size >= 3, "ranks", size);
    mine = calloc((size_t)steps, sizeof *mine);
    other = calloc((size_t)steps, sizeof *other);
    for (long number = 0; number < steps; number++) {
        step(number + 1);
        exchange(number);
        if (rank == 1 || rank == 2)
            MPI_Recv(&mine[number], 1, MPI_LONG, 0, SUM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1 || rank == 2)
        MPI_Sendrecv(mine, (int)steps, MPI_LONG, 3 - rank, OWN, other, (int)steps, MPI_LONG,
                     3 - rank, OWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long number = 0; number < steps && (rank == 1 || rank == 2); number++) {
        long sum = 0;

        for (int source = 1; source < size; source++)
            sum += part_of(number, source, 0) + part_of(number, source, 1);
        check(mine[number] + other[number] == sum, "the sums are not of one execution", number);
    }
    return program_end("rivals", (uint64_t)steps);
}
