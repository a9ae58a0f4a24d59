/* nodes: for benchmarks/nodes.
 *
 *   nodes pingpong     two ranks: half a round trip of 8 B, with a named receive and with one by
 *                      wildcard, and the bandwidth of 1 MB; prints "KEY VALUE" lines, in
 *                      microseconds and MB/s: medians of several parts
 *   nodes steps N MB   any number of ranks, each with MB of memory: N steps of 2 ms, each with an
 *                      exchange around the ring; prints "seconds VALUE" and a digest */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS = 15, TURNS = 300, LARGE = 1 << 20, LARGE_TURNS = 16, TAG = 1 };

static int rank, size;

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *values)
{
    qsort(values, PARTS, sizeof *values, by_value);
    return values[PARTS / 2];
}

static void turn(char *data, int bytes, int source)
{
    if (rank == 0) {
        MPI_Send(data, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MPI_Recv(data, bytes, MPI_BYTE, source, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, bytes, MPI_BYTE, source, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

/* Half a round trip, microseconds. */
static double measure(char *data, int bytes, int turns, int source)
{
    double parts[PARTS];

    for (int part = 0; part < PARTS; part++) {
        double begun = MPI_Wtime();

        for (int i = 0; i < turns; i++)
            turn(data, bytes, source);
        parts[part] = (MPI_Wtime() - begun) / turns / 2 * 1e6;
    }
    return median(parts);
}

static void pingpong(void)
{
    char *data = calloc(1, LARGE);
    int other = 1 - rank;
    double named = measure(data, 8, TURNS, other);
    double any = measure(data, 8, TURNS / 3, MPI_ANY_SOURCE);
    double large = measure(data, LARGE, LARGE_TURNS, other);

    if (rank == 0)
        printf("named %.3f\nany %.3f\nbandwidth %.1f\n", named, any, LARGE / large);
    free(data);
}

static void steps(long count, size_t bytes)
{
    uint64_t *ballast = malloc(bytes), mine = (uint64_t)rank, other;
    double begun;

    for (size_t i = 0; i < bytes / sizeof *ballast; i++)
        ballast[i] = (i + (uint64_t)rank) * 0x9e3779b97f4a7c15u;
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    for (long step = 0; step < count; step++) {
        MPI_Sendrecv(&mine, 1, MPI_UINT64_T, (rank + 1) % size, TAG, &other, 1, MPI_UINT64_T,
                     (rank + size - 1) % size, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine = mine * 31 + other + ballast[(size_t)step % (bytes / sizeof *ballast)];
        usleep(2000);
    }
    if (rank == 0)
        printf("digest %llx\n", (unsigned long long)mine);
    if (rank == 0)
        fprintf(stderr, "seconds %.3f\n", MPI_Wtime() - begun);
    free(ballast);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 2 && !strcmp(argv[1], "pingpong") && size == 2)
        pingpong();
    else if (argc == 4 && !strcmp(argv[1], "steps"))
        steps(atol(argv[2]), (size_t)atol(argv[3]) << 20);
    else if (rank == 0)
        fprintf(stderr, "usage: nodes pingpong | nodes steps N MB\n");
    MPI_Finalize();
    return 0;
}
