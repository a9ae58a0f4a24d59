/* p2p: two ranks; latency (half a round trip), bandwidth in one and in both directions (a window of
 * messages and one answer), message rate (a window of 64), each from 0 B to 8 MB. Times are those
 * of one message. Ranks beyond the second only wait.
 *
 * "window-tested" is the window of 8 bytes whose receives end by calls that do not wait: natively,
 * what a wait costs that can be left, without anything of ours.
 *
 * With --warm FILE some sizes only, with a log of messages as a long run has it (warm.h). */
#include "micro.h"

#include <stdio.h>

#include "../warm.h"

enum { WINDOW = 64, MOST = 64 << 20 }; /* messages and bytes in flight */

static char *out, *in;

static void pong(size_t bytes, void *state)
{
    int peer = 1 - micro_rank, count = (int)bytes;

    (void)state;
    if (micro_rank == 0) {
        MPI_Send(out, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(in, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (micro_rank == 1) {
        MPI_Recv(in, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
}

static void pong_nonblocking(size_t bytes, void *state)
{
    MPI_Request requests[2];

    (void)state;
    if (micro_rank > 1)
        return;
    MPI_Irecv(in, (int)bytes, MPI_BYTE, 1 - micro_rank, 1, MPI_COMM_WORLD, &requests[0]);
    if (micro_rank == 1)
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isend(out, (int)bytes, MPI_BYTE, 1 - micro_rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int window_of(size_t bytes)
{
    return bytes * WINDOW > MOST ? (int)(MOST / bytes) : WINDOW;
}

static void sends_start(size_t bytes, int window, MPI_Request *requests)
{
    for (int i = 0; i < window; i++)
        MPI_Isend(out + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1 - micro_rank, 2, MPI_COMM_WORLD,
                  &requests[i]);
}

static void receives_start(size_t bytes, int window, MPI_Request *requests)
{
    for (int i = 0; i < window; i++)
        MPI_Irecv(in + (size_t)i * bytes, (int)bytes, MPI_BYTE, 1 - micro_rank, 2, MPI_COMM_WORLD,
                  &requests[i]);
}

/* One message more behind each window. UCX's queue has 64 places, which its reader gives back by
 * the half, so a window of 64 would begin at the same place each time, and how many of its messages
 * find no place depends on where that is: natively 75 to 95 ns a message of 8 bytes, by how many
 * messages the start of the library and what was measured before took. So it begins everywhere. */
static void shift(bool sends, bool receives)
{
    int peer = 1 - micro_rank;

    MPI_Sendrecv(NULL, 0, MPI_BYTE, sends ? peer : MPI_PROC_NULL, 4, NULL, 0, MPI_BYTE,
                 receives ? peer : MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end_by_tests(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int ended = 0;

    while (!ended)
        MPI_Request_get_status(requests[count - 1], &ended, MPI_STATUS_IGNORE);
    for (ended = 0; !ended;)
        MPI_Testall(count, requests, &ended, statuses);
}

/* state: NULL, or the receives end by tests. */
static void stream(size_t bytes, void *state)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    int window = window_of(bytes);

    if (micro_rank == 0) {
        sends_start(bytes, window, requests);
        MPI_Waitall(window, requests, statuses);
        shift(true, false);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (micro_rank == 1) {
        receives_start(bytes, window, requests);
        if (state)
            end_by_tests(window, requests, statuses);
        else
            MPI_Waitall(window, requests, statuses);
        shift(false, true);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
}

static void stream_both(size_t bytes, void *state)
{
    MPI_Request requests[2 * WINDOW];
    MPI_Status statuses[2 * WINDOW];
    int window = window_of(bytes);

    (void)state;
    if (micro_rank > 1)
        return;
    receives_start(bytes, window, requests);
    sends_start(bytes, window, requests + window);
    MPI_Waitall(2 * window, requests, statuses);
    shift(true, true);
}

/* The window is for the program's own pages, which the images have write-protected. */
static void warm(void)
{
    warm_log(micro_events);
    stream_both(1 << 20, NULL);
}

static void points(size_t bytes)
{
    micro_measure_each("latency", bytes, 2, pong, NULL);
    if (!micro_events)
        micro_measure_each("latency-nonblocking", bytes, 2, pong_nonblocking, NULL);
    micro_measure_each("window", bytes, window_of(bytes), stream, NULL);
    if (bytes == 8)
        micro_measure_each("window-tested", bytes, WINDOW, stream, &bytes);
    micro_measure_each("window-both", bytes, window_of(bytes), stream_both, NULL);
}

int main(int argc, char **argv)
{
    static const size_t warm_sizes[] = {8, 64 << 10, 1 << 20};
    const size_t *sizes;
    int count = micro_sizes(&sizes);

    micro_start(argc, argv);
    out = micro_alloc(MOST);
    in = micro_alloc(MOST);
    if (micro_events) {
        sizes = warm_sizes;
        count = sizeof(warm_sizes) / sizeof(*warm_sizes);
        warm();
    }
    for (int i = 0; i < count && micro_ranks > 1; i++)
        points(sizes[i]);
    if (micro_ranks < 2 && micro_rank == 0)
        fprintf(stderr, "p2p: two ranks are needed\n");
    MPI_Finalize();
    return micro_ranks < 2 ? 2 : 0;
}
