/* ring: a token of changing size goes round; every rank changes it. Blocking sends and receives,
 * standard and synchronous in turns.
 *
 * arguments: [steps 300]
 *
 * ranks: 3
 * test: 150
 * soak: 220
 * pace: 4000
 * kill: 1@hook:70
 * kill: 0@call:200:exit
 */
#include "program.h"

#define WORDS 20000

static uint64_t token[WORDS];

static int token_words(long number)
{
    return (int)(mix((uint64_t)number) % WORDS) + 1;
}

static void token_change(int words)
{
    for (int i = 0; i < words; i += 97)
        token[i] = mix(token[i] + (uint64_t)rank);
}

static void token_receive(int words)
{
    MPI_Status status;
    int count;

    MPI_Recv(token, WORDS, MPI_UINT64_T, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    check(count == words && status.MPI_TAG == 5, "size of the token", words);
}

static void token_send(int words, long number)
{
    int next = (rank + 1) % size;

    if (number % 3)
        MPI_Send(token, words, MPI_UINT64_T, next, 5, MPI_COMM_WORLD);
    else
        MPI_Ssend(token, words, MPI_UINT64_T, next, 5, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 300);
    for (long number = 1; number <= steps; number++) {
        int words = token_words(number);

        step(number);
        if (rank > 0)
            token_receive(words);
        token_change(words);
        token_send(words, number);
        if (rank == 0)
            token_receive(words);
        if (rank == 0 && number % 25 == 0)
            printf("round %ld: %016llx\n", number,
                   (unsigned long long)digest(0, token, sizeof(token)));
    }
    return program_end("ring", digest(0, token, sizeof(token)));
}
