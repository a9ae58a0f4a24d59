/* Everybody's bodies travel around a ring, and meet everybody else's.
 * prints: checksum 2.618390388e+03 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 32 };

struct body {
    double x, y, mass;
};

static void attract(const struct body *mine, const struct body *theirs, double (*force)[2])
{
    for (int i = 0; i < BODIES; i++)
        for (int k = 0; k < BODIES; k++) {
            double dx = theirs[k].x - mine[i].x, dy = theirs[k].y - mine[i].y;
            double weight = theirs[k].mass / (1 + dx * dx + dy * dy);
            force[i][0] += weight * dx;
            force[i][1] += weight * dy;
        }
}

int main(int argc, char **argv)
{
    int rank, size;
    struct body mine[BODIES], travelling[BODIES];
    double force[BODIES][2] = {{0}}, sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < BODIES; i++) {
        mine[i].x = (rank * BODIES + i) * 0.37;
        mine[i].y = i * i * 0.11;
        mine[i].mass = 1 + i % 3;
    }
    memcpy(travelling, mine, sizeof mine);
    for (int turn = 0; turn < size; turn++) {
        attract(mine, travelling, force);
        MPI_Sendrecv_replace(travelling, sizeof travelling, MPI_BYTE, (rank + 1) % size, turn,
                             (rank + size - 1) % size, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < BODIES; i++)
        sum += force[i][0] * force[i][0] + force[i][1] * force[i][1];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %.9e\n", total);
    MPI_Finalize();
    return 0;
}
