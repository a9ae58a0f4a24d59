/* Conjugate gradients for a tridiagonal matrix, rows in blocks.
 * prints: checksum 25 3.385444883e+04 */
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 500 };

static int rank, size;

static double dot(const double *x, const double *y)
{
    double sum = 0, total;
    for (int i = 0; i < ROWS; i++)
        sum += x[i] * y[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* y = A x, with 3 on the diagonal and -1 beside it. */
static void multiply(const double *x, double *y)
{
    double low = 0, high = 0;
    int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, below, 1, &high, 1, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[ROWS - 1], 1, MPI_DOUBLE, above, 2, &low, 1, MPI_DOUBLE, below, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROWS; i++)
        y[i] = 3 * x[i] - (i > 0 ? x[i - 1] : low) - (i + 1 < ROWS ? x[i + 1] : high);
}

int main(int argc, char **argv)
{
    static double x[ROWS], r[ROWS], p[ROWS], q[ROWS];
    int turns = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROWS; i++)
        p[i] = r[i] = 1 + (rank * ROWS + i) % 7;
    double rho = dot(r, r);
    while (rho > 1e-18 && turns++ < 1000) {
        multiply(p, q);
        double alpha = rho / dot(p, q), old = rho;
        for (int i = 0; i < ROWS; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        for (int i = 0; i < ROWS; i++)
            p[i] = r[i] + rho / old * p[i];
    }
    double norm = dot(x, x);
    if (rank == 0)
        printf("checksum %d %.9e\n", turns, norm);
    MPI_Finalize();
    return 0;
}
