/* Records in a block that was just allocated, filled by a function, and sent as bytes. */
#include <mpi.h>
#include <stdlib.h>

struct cell {
    double mass;
    int kind;
};

static void fill(struct cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        cells[i].mass = i;
        cells[i].kind = i % 3;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct cell *cells = malloc(8 * sizeof *cells);
    struct cell *others = calloc(8, sizeof *others);
    int bytes = (int)(8 * sizeof *cells);
    if (rank == 0) {
        fill(cells, 8);
        fill(others, 8);
        MPI_Send(cells, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
        MPI_Send(others, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(cells, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(others, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(cells);
    free(others);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
