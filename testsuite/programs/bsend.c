/* bsend: buffered sends that are received some steps later, with the buffer attached and detached
 * again during the run, and the other send modes besides.
 *
 * arguments: [steps 300]
 *
 * ranks: 3
 * test: 150
 * soak: 220
 * pace: 3000
 * kill: 1@hook:80
 * kill: 0@call:500:exit
 */
#include "program.h"

#define WORDS 500
#define LAG 3

static uint64_t out[WORDS], in[WORDS];

static void buffer_renew(void)
{
    int bytes = (LAG + 3) * (WORDS * 8 + MPI_BSEND_OVERHEAD);
    void *old;

    MPI_Buffer_detach(&old, &bytes);
    free(old);
    MPI_Buffer_attach(malloc((size_t)bytes), bytes);
}

/* No buffer has room for it, and its data are not looked at. */
static void too_long(int next)
{
    int class;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Bsend(out, 1 << 29, MPI_UINT64_T, next, 1, MPI_COMM_WORLD), &class);
    check(class == MPI_ERR_BUFFER, "the class of a message of 4 GiB", class);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static uint64_t late(long number, int previous)
{
    MPI_Recv(in, WORDS, MPI_UINT64_T, previous, (int)number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < WORDS; i++)
        check(in[i] == mix((uint64_t)(number * WORDS + i + previous)), "buffered", number);
    return in[0];
}

int main(int argc, char **argv)
{
    int bytes = (LAG + 3) * (WORDS * 8 + MPI_BSEND_OVERHEAD), next, previous;
    uint64_t state = 0;
    MPI_Request request;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Buffer_attach(malloc((size_t)bytes), bytes);
    for (long number = 1; number <= steps; number++) {
        step(number);
        for (int i = 0; i < WORDS; i++)
            out[i] = mix((uint64_t)(number * WORDS + i + rank));
        MPI_Bsend(out, WORDS, MPI_UINT64_T, next, (int)number, MPI_COMM_WORLD);
        memset(out, 0, sizeof(out));
        if (number > LAG)
            state = mix(state + late(number - LAG, previous));
        MPI_Irecv(in, 1, MPI_UINT64_T, previous, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Rsend(&state, 1, MPI_UINT64_T, next, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        state ^= in[0];
    }
    for (long number = steps - LAG + 1; number <= steps; number++)
        state = mix(state + late(number, previous));
    buffer_renew();
    too_long(next);
    return program_end("bsend", state);
}
