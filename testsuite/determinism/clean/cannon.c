/* Cannon's multiplication of matrices on a ring of columns and rows.
 * prints: checksum 1.583816400e+08 */
#include <mpi.h>
#include <stdio.h>

enum { N = 24 };

static double a[N][N], b[N][N], c[N][N];

static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

/* Sends the block `distance` places down the dimension, and takes the one that comes. */
static void shift(double (*block)[N], MPI_Comm comm, int dimension, int distance)
{
    int from, to;
    MPI_Cart_shift(comm, dimension, -distance, &from, &to);
    MPI_Sendrecv_replace(block, N * N, MPI_DOUBLE, to, dimension, from, dimension, comm,
                         MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, side = 1, place[2], extents[2], periods[2] = {1, 1};
    double sum = 0, total;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while ((side + 1) * (side + 1) <= size)
        side++;
    extents[0] = extents[1] = side;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Comm_rank(grid, &rank);
        MPI_Cart_coords(grid, rank, 2, place);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                a[i][j] = (place[0] * N + i + place[1] * N + j) % 5;
                b[i][j] = (place[0] * N + i) * 2 - (place[1] * N + j);
            }
        shift(a, grid, 1, place[0]);
        shift(b, grid, 0, place[1]);
        for (int turn = 0; turn < side; turn++) {
            multiply();
            shift(a, grid, 1, 1);
            shift(b, grid, 0, 1);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += c[i][j] * (i + 2 * j);
        MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
        if (rank == 0)
            printf("checksum %.9e\n", total);
        MPI_Comm_free(&grid);
    }
    MPI_Finalize();
    return 0;
}
