/* transpose: a matrix spread over a grid of ranks is transposed by all-to-all exchanges inside row
 * and column communicators, as a parallel Fourier transform does.
 *
 * arguments: [steps 200] [words to each rank 2000]
 *
 * ranks: 4
 * test: 80 2000
 * soak: 120 2000
 * pace: 6000
 * kill: 1@hook:40
 * kill: 3@call:200:exit
 */
#include "program.h"

static uint64_t *out, *in;

static void exchange(MPI_Comm comm, int words, long number)
{
    int members;

    MPI_Comm_size(comm, &members);
    for (int i = 0; i < words * members; i++)
        out[i] = mix(in[i] + (uint64_t)(number + i));
    MPI_Alltoall(out, words, MPI_UINT64_T, in, words, MPI_UINT64_T, comm);
}

int main(int argc, char **argv)
{
    MPI_Comm row, column;
    long steps;
    int words;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    words = (int)argument(argc, argv, 2, 2000);
    out = calloc((size_t)(words * size), sizeof(*out));
    in = calloc((size_t)(words * size), sizeof(*in));
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    for (long number = 1; number <= steps; number++) {
        step(number);
        exchange(row, words, number);
        exchange(column, words, number);
        if (rank == 0 && number % 20 == 0)
            printf("step %ld: %016llx\n", number,
                   (unsigned long long)digest(0, in, (size_t)words * sizeof(*in)));
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    return program_end("transpose", digest(0, in, (size_t)(words * size) * sizeof(*in)));
}
