/* Integrates a function by a work queue: rank 0 gives the next interval to whoever is ready.
 * prints: checksum 3.141592654 */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 64, WORK = 1, STOP = 2, RESULT = 3 };

static double sums[TASKS];

static void store(const double *result)
{
    sums[(int)result[0]] = result[1];
}

/* The next task goes to whoever answers first: which task a worker gets depends on the order of
 * arrival. */
static void queue_run(int workers)
{
    double result[2];
    int next = 0, active = 0;
    MPI_Status status;
    while (next < TASKS && active < workers) {
        active++;
        MPI_Send(&next, 1, MPI_INT, active, WORK, MPI_COMM_WORLD);
        next++;
    }
    while (next < TASKS) {
        /* expect: non-deterministic (source) */
        MPI_Recv(result, 2, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        store(result);
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
        next++;
    }
    while (active > 0) {
        /* expect: channel-deterministic (source) */
        MPI_Recv(result, 2, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        store(result);
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
        active--;
    }
}

static double integral(int task)
{
    double sum = 0;
    for (int i = 0; i < 20000; i++) {
        double x = (task + (i + 0.5) / 20000) / TASKS;
        sum += 4 / (1 + x * x);
    }
    return sum / 20000 / TASKS;
}

static void worker_run(void)
{
    int task;
    MPI_Status status;
    for (;;) {
        /* expect: deterministic (tag) */
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        double result[2] = {task, integral(task)};
        MPI_Send(result, 2, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    double total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        queue_run(size - 1);
        for (int i = 0; i < TASKS; i++)
            total += sums[i];
        printf("checksum %.9f\n", total);
    } else {
        worker_run();
    }
    MPI_Finalize();
    return 0;
}
