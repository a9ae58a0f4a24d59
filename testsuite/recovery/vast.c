/* vast: messages of more than 2 GiB, by calls of which the runtime keeps a copy.
 *
 * Prints what has come of each message, which does not depend on its way.
 *
 * arguments: a way for each message: replace: sent by MPI_Sendrecv_replace, later: by
 * MPI_Isendrecv_replace, probe: found by MPI_Mprobe
 *
 * ranks: 2
 * test: replace later
 * output: sorted
 */
#include "program.h"

enum { WORDS = (1 << 28) + 1 };

static void words_fill(uint64_t *words, uint64_t seed)
{
    for (long i = 0; i < WORDS; i++)
        words[i] = (seed + (uint64_t)i) * 0x9e3779b97f4a7c15u;
}

static uint64_t words_fold(const uint64_t *words)
{
    uint64_t state = 0;

    for (long i = 0; i < WORDS; i++)
        state = state * 31 + words[i];
    return state;
}

static void words_send(uint64_t *words, const char *way)
{
    MPI_Request request;

    if (!strcmp(way, "replace")) {
        MPI_Sendrecv_replace(words, WORDS, MPI_UINT64_T, 1, 3, MPI_PROC_NULL, 4, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "later")) {
        MPI_Isendrecv_replace(words, WORDS, MPI_UINT64_T, 1, 3, MPI_PROC_NULL, 4, MPI_COMM_WORLD,
                              &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(words, WORDS, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD);
    }
}

static void words_receive(uint64_t *words, const char *way)
{
    MPI_Message message;
    MPI_Status status;
    int count;

    if (!strcmp(way, "probe")) {
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(words, WORDS, MPI_UINT64_T, &message, &status);
    } else {
        MPI_Recv(words, WORDS, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD, &status);
    }
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    check(count == WORDS && status.MPI_TAG == 3, "what has come", count);
}

int main(int argc, char **argv)
{
    uint64_t *words = calloc(WORDS, sizeof(*words)), state = 0;

    program_start(&argc, &argv);
    check(words != NULL, "memory", 0);
    for (int i = 1; i < argc; i++) {
        if (rank == 0) {
            words_fill(words, (uint64_t)i);
            words_send(words, argv[i]);
        } else {
            words_receive(words, argv[i]);
        }
        uint64_t message = words_fold(words);
        if (rank == 1)
            printf("message %d: %016llx\n", i, (unsigned long long)message);
        state = mix(state + message);
    }
    free(words);
    return program_end("vast", state);
}
