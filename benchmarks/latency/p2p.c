/* p2p: two ranks; latency (half a round trip), bandwidth in one and in both directions (a window of
 * messages and one answer), message rate (a window of 64), each from 0 B to 8 MB. Times are those
 * of one message. Ranks beyond the second only wait. */
#include "micro.h"

#include <stdio.h>

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

static void stream(size_t bytes, void *state)
{
    MPI_Request requests[WINDOW];
    MPI_Status statuses[WINDOW];
    int window = window_of(bytes);

    (void)state;
    if (micro_rank == 0) {
        sends_start(bytes, window, requests);
        MPI_Waitall(window, requests, statuses);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (micro_rank == 1) {
        receives_start(bytes, window, requests);
        MPI_Waitall(window, requests, statuses);
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
}

int main(int argc, char **argv)
{
    const size_t *sizes;
    int count = micro_sizes(&sizes);

    micro_start(argc, argv);
    out = micro_alloc(MOST);
    in = micro_alloc(MOST);
    for (int i = 0; i < count && micro_ranks > 1; i++) {
        micro_measure_each("latency", sizes[i], 2, pong, NULL);
        micro_measure_each("latency-nonblocking", sizes[i], 2, pong_nonblocking, NULL);
        micro_measure_each("window", sizes[i], window_of(sizes[i]), stream, NULL);
        micro_measure_each("window-both", sizes[i], window_of(sizes[i]), stream_both, NULL);
    }
    if (micro_ranks < 2 && micro_rank == 0)
        fprintf(stderr, "p2p: two ranks are needed\n");
    MPI_Finalize();
    return micro_ranks < 2 ? 2 : 0;
}
