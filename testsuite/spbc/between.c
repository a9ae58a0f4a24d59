/* between: rank 1 takes a file away, reads another one and makes the first anew, all between the
 * same two calls; rank 0 writes what it reads, and reads what it makes. Rank 2 carries the messages
 * of both, so they are there at once when the two roll back.
 *
 * arguments: [steps 60]
 *
 * ranks: 3
 * test: 60
 * pace: 3000
 */
#include "program.h"

static void put(const char *name, long value)
{
    FILE *file = fopen(name, "w");

    check(file != NULL && fprintf(file, "%ld\n", value) > 0 && fclose(file) == 0, name, value);
}

static void get(const char *name, long value)
{
    FILE *file = fopen(name, "r");
    long got = -1;

    check(file != NULL && fscanf(file, "%ld", &got) == 1 && got == value, name, value);
    fclose(file);
}

static void to(int whom)
{
    MPI_Send(&rank, 1, MPI_INT, whom, 0, MPI_COMM_WORLD);
}

static void from(int whom)
{
    int who;

    MPI_Recv(&who, 1, MPI_INT, whom, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(who == whom, "sender", who);
}

/* One step of each rank. */
static void ask(long number)
{
    put("question", number);
    to(2);
    from(2);
    get("answer", number);
}

static void answer(long number)
{
    from(2);
    check(number == 1 || unlink("answer") == 0, "unlink", number);
    get("question", number);
    put("answer", number);
    to(2);
}

static void carry(void)
{
    from(0);
    to(1);
    from(1);
    to(0);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 0)
            ask(number);
        else if (rank == 1)
            answer(number);
        else
            carry();
    }
    return program_end("between", mix((uint64_t)steps));
}
