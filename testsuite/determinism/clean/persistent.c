/* Halos by persistent requests: started and completed together in each step.
 * prints: checksum 2.364215158e+05 */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 256, STEPS = 100 };

static double u[CELLS + 2], v[CELLS + 2];

int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, total;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Recv_init(&u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&u[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(&u[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&u[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    for (int i = 0; i < CELLS + 2; i++)
        u[i] = (rank * CELLS + i) % 31;
    for (int step = 0; step < STEPS; step++) {
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int i = 1; i <= CELLS; i++)
            v[i] = (u[i - 1] + 2 * u[i] + u[i + 1]) / 4;
        for (int i = 1; i <= CELLS; i++)
            u[i] = v[i];
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    for (int i = 1; i <= CELLS; i++)
        sum += u[i] * u[i];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.9e\n", total);
    MPI_Finalize();
    return 0;
}
