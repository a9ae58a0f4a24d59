#include "warm.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MESSAGES = 64, BYTES = 1 << 20, FILL = 8 }; /* windows of so many, each rank to its peer */
enum { TURNS = 2, PATIENCE = 60 };                 /* seconds */

static void exchange(char *out, char *in, int peer)
{
    MPI_Request requests[2 * MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        size_t at = (size_t)i * BYTES;

        MPI_Irecv(in + at, BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out + at, BYTES, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[MESSAGES + i]);
    }
    MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
}

static int commits(const char *events)
{
    FILE *file = fopen(events, "r");
    char line[4096];
    int count = 0;

    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, "\"checkpoint-commit\"") != NULL;
    if (file)
        fclose(file);
    return count;
}

/* A checkpoint of each rank, until so many are committed in all. */
static void checkpoint(void (*hook)(void), const char *events, int rank, int wanted)
{
    int done = 0;

    for (int i = 0; i < WARM_HOOKS; i++)
        hook();
    for (int turn = 0; turn < PATIENCE * 50 && !done; turn++) {
        usleep(20000); /* most of the time for those who write the images */
        done = rank == 0 && commits(events) >= wanted;
        MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* ft_hook is found when the program runs: ftcc puts no hooks of its own where a program calls it.
 */
void warm_log(const char *events)
{
    const size_t bytes = (size_t)MESSAGES * BYTES;
    char *room = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    void (*hook)(void);
    int rank, ranks, peer;

    *(void **)&hook = dlsym(RTLD_DEFAULT, "ft_hook");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    peer = (rank ^ 1) < ranks ? rank ^ 1 : MPI_PROC_NULL;
    if (room == MAP_FAILED) {
        fprintf(stderr, "warm: no memory for %zu bytes\n", 2 * bytes);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (int turn = 0; turn <= TURNS; turn++) {
        for (int i = 0; i < FILL && turn < TURNS; i++)
            exchange(room, room + bytes, peer);
        if (hook)
            checkpoint(hook, events, rank, (turn + 2) * ranks); /* each has the one of its start */
    }
    munmap(room, 2 * bytes);
}
