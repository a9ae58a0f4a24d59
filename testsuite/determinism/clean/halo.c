/* A plane, cut into blocks by a Cartesian communicator; halos by MPI_Irecv, MPI_Isend, MPI_Waitall,
 * columns as a derived datatype.
 * prints: checksum 2.067704233e+00 4.855991522e+01 */
#include <mpi.h>
#include <math.h>
#include <stdio.h>

enum { N = 64, STEPS = 50 };

static double u[N + 2][N + 2], next[N + 2][N + 2];

struct grid {
    MPI_Comm comm;
    MPI_Datatype column;
    int up, down, left, right;
};

static void grid_create(struct grid *grid, int size)
{
    int extents[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Dims_create(size, 2, extents);
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid->comm);
    MPI_Cart_shift(grid->comm, 0, 1, &grid->up, &grid->down);
    MPI_Cart_shift(grid->comm, 1, 1, &grid->left, &grid->right);
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &grid->column);
    MPI_Type_commit(&grid->column);
}

static void grid_exchange(const struct grid *grid)
{
    MPI_Request requests[8];
    MPI_Irecv(&u[0][1], N, MPI_DOUBLE, grid->up, 0, grid->comm, &requests[0]);
    MPI_Irecv(&u[N + 1][1], N, MPI_DOUBLE, grid->down, 1, grid->comm, &requests[1]);
    MPI_Irecv(&u[1][0], 1, grid->column, grid->left, 2, grid->comm, &requests[2]);
    MPI_Irecv(&u[1][N + 1], 1, grid->column, grid->right, 3, grid->comm, &requests[3]);
    MPI_Isend(&u[N][1], N, MPI_DOUBLE, grid->down, 0, grid->comm, &requests[4]);
    MPI_Isend(&u[1][1], N, MPI_DOUBLE, grid->up, 1, grid->comm, &requests[5]);
    MPI_Isend(&u[1][N], 1, grid->column, grid->right, 2, grid->comm, &requests[6]);
    MPI_Isend(&u[1][1], 1, grid->column, grid->left, 3, grid->comm, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static double relax(void)
{
    double change = 0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
            change = fmax(change, fabs(next[i][j] - u[i][j]));
        }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            u[i][j] = next[i][j];
    return change;
}

int main(int argc, char **argv)
{
    int rank, size;
    double change = 1;
    struct grid grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    grid_create(&grid, size);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            u[i][j] = (i * 31 + j * 17 + rank * 7) % 97;
    for (int step = 0; step < STEPS && change > 1e-3; step++) {
        grid_exchange(&grid);
        change = relax();
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, grid.comm);
    }
    if (rank == 0)
        printf("checksum %.9e %.9e\n", change, u[N / 2][N / 2]);
    MPI_Type_free(&grid.column);
    MPI_Comm_free(&grid.comm);
    MPI_Finalize();
    return 0;
}
