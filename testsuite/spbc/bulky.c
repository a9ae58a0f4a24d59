/* bulky: broadcasts an element of more than 2 GiB, which the other ranks receive as many small
 * ones.
 *
 * arguments: [megabytes 2100] [steps 12]
 *
 * ranks: 2
 * test: 2100 12
 * pace: 2000
 */
#include "program.h"

enum { MEGABYTE = 1 << 20 };

static uint64_t digest_of(const char *data, long megabytes)
{
    uint64_t sum = 0;

    for (long i = 0; i < megabytes; i++)
        sum = digest(sum, data + i * MEGABYTE + i, 64);
    return sum;
}

/* Sends one megabyte again and again. */
static uint64_t send(long megabytes)
{
    char *data = malloc(MEGABYTE);
    MPI_Datatype element;

    for (long i = 0; i < MEGABYTE; i++)
        data[i] = (char)mix((uint64_t)i);
    MPI_Type_create_hvector((int)megabytes, MEGABYTE, 0, MPI_CHAR, &element);
    MPI_Type_commit(&element);
    MPI_Bcast(data, 1, element, 0, MPI_COMM_WORLD);
    MPI_Type_free(&element);
    free(data);
    return 0;
}

static uint64_t receive(long megabytes)
{
    char *data = malloc((size_t)megabytes * MEGABYTE);
    MPI_Datatype element;
    uint64_t sum;

    check(data != NULL, "memory", megabytes);
    MPI_Type_contiguous(MEGABYTE, MPI_CHAR, &element);
    MPI_Type_commit(&element);
    MPI_Bcast(data, (int)megabytes, element, 0, MPI_COMM_WORLD);
    sum = digest_of(data, megabytes);
    MPI_Type_free(&element);
    free(data);
    return sum;
}

int main(int argc, char **argv)
{
    long megabytes, steps;
    uint64_t state;

    program_start(&argc, &argv);
    megabytes = argument(argc, argv, 1, 2100);
    steps = argument(argc, argv, 2, 12);
    state = rank == 0 ? send(megabytes) : receive(megabytes);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
    }
    return program_end("bulky", state);
}
