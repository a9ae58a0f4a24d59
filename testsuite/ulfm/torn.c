/* Deaths in the middle of a send. UCX, below this MPI library, passes messages through a queue in
 * the receiver's shared memory: the sender takes a slot, fills it, and then marks it as full. The
 * victims die between the first and the last of these steps, so the receivers wait for a slot that
 * nobody fills; all that others send them lies behind it.
 *
 *     torn VICTIMS    the last so many ranks die, one after the other */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ft.h"

enum { HEAD_ARMED = 63, PID_AT = 0x88, LEAST = 0x2000, MOST = 0x4000 };

static int taken;

/* Takes a slot of the queue at `at`, if it is that of process `pid`. */
static void slot_take(char *at, int pid)
{
    uint64_t *head = (uint64_t *)(void *)at;
    int32_t owner;

    memcpy(&owner, at + PID_AT, sizeof(owner));
    if (owner != pid || *head >> HEAD_ARMED)
        return;
    __atomic_fetch_add(head, 1, __ATOMIC_SEQ_CST);
    taken++;
}

static void slots_take(int pid)
{
    char line[512], mode[8];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof(line), maps)) {
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) == 3 && strcmp(mode, "rw-s") == 0 &&
            end - begin >= LEAST && end - begin <= MOST)
            slot_take((char *)begin, pid);
    }
    fclose(maps);
}

/* Each rank sends to each other one. An MPI code. */
static int talk(MPI_Comm comm)
{
    char *out, *in;
    int size, code;

    MPI_Comm_size(comm, &size);
    out = calloc((size_t)size, 800);
    in = calloc((size_t)size, 800);
    code = MPI_Alltoall(out, 800, MPI_CHAR, in, 800, MPI_CHAR, comm);
    free(in);
    free(out);
    return code;
}

static void die(const int *pids, int rank, int size)
{
    for (int i = 0; i < size; i++)
        if (i != rank)
            slots_take(pids[i]);
    if (!taken) {
        printf("WRONG: no queue was found\n");
        fflush(stdout);
    }
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, smaller;
    int rank, size, victims, pid = getpid(), *pids;

    MPI_Init(&argc, &argv);
    victims = atoi(argv[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pids = calloc((size_t)size, sizeof(int));
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, comm);
    for (int i = 0; i < victims; i++) {
        for (int k = 0; k < 20 + 7 * i; k++)
            talk(comm);
        if (rank == size - 1 - i)
            die(pids, rank, size - i);
        while (talk(comm) == MPI_SUCCESS)
            ;
        MPIX_Comm_revoke(comm);
        MPIX_Comm_shrink(comm, &smaller);
        comm = smaller;
        if (talk(comm) != MPI_SUCCESS)
            printf("WRONG: the shrunken communicator fails\n");
    }
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
