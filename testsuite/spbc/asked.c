/* asked: rank 1 asks for two files in each step, until rank 0 has made one and written the other
 * anew. By then rank 1 may have died and gone back: it asks again, and must find what it had found,
 * although rank 0 has been told that it is through. Rank 0 takes its time, and is at safe points.
 *
 * arguments: [steps 60] [the last step before the change 50] [rounds of rank 0, of 10 ms each 15]
 *
 * ranks: 3
 * test: 60 50 15
 * pace: 20000
 */
#include "program.h"

static void put(const char *name, long value)
{
    FILE *file = fopen(name, "w");

    check(file != NULL && fprintf(file, "%ld\n", value) > 0 && fclose(file) == 0, name, value);
}

static long get(const char *name)
{
    FILE *file = fopen(name, "r");
    long value = -1;

    check(file != NULL && fscanf(file, "%ld", &value) == 1 && fclose(file) == 0, name, 0);
    return value;
}

static void change(long rounds)
{
    int flag;

    while (rounds-- > 0) {
        pause_us(10000);
        MPI_Iprobe(2, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    put("sign", 1);
    put("text", 2);
}

int main(int argc, char **argv)
{
    long steps, last, rounds, token = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    last = argument(argc, argv, 2, 50);
    rounds = argument(argc, argv, 3, 15);
    if (rank == 0)
        put("text", 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 1) {
            check((access("sign", F_OK) == 0) == (number > last), "sign", number);
            check(get("text") == (number > last ? 2 : 1), "text", number);
            MPI_Send(&number, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
        }
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0 && number == last)
            change(rounds);
        if (rank == 0 && number >= last)
            MPI_Send(&token, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD);
        if (rank == 1 && number >= last)
            MPI_Recv(&token, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return program_end("asked", mix((uint64_t)token));
}
