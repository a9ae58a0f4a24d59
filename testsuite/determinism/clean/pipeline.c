/* A wavefront: each rank needs its left neighbour's column of the row it works on, and passes its
 * own on. The sends of the row before are still under way.
 * prints: checksum 22320 */
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 200, WIDTH = 50 };

static long table[ROWS + 1][WIDTH + 1];

static long best(long a, long b, long c)
{
    long most = a > b ? a : b;
    return most > c ? most : c;
}

int main(int argc, char **argv)
{
    int rank, size;
    long out[2], mine = 0, total;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int row = 1; row <= ROWS; row++) {
        if (rank > 0)
            MPI_Recv(&table[row][0], 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= WIDTH; i++) {
            int same = (row * 7) % 5 == ((rank * WIDTH + i) * 3) % 5;
            table[row][i] = best(table[row - 1][i], table[row][i - 1],
                                 table[row - 1][i - 1] + (same ? 2 : -1));
        }
        if (rank + 1 < size) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            out[row % 2] = table[row][WIDTH];
            MPI_Isend(&out[row % 2], 1, MPI_LONG, rank + 1, 0, MPI_COMM_WORLD, &request);
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i <= WIDTH; i++)
        mine += table[ROWS][i];
    MPI_Reduce(&mine, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %ld\n", total);
    MPI_Finalize();
    return 0;
}
