/* A record of settings is broadcast as bytes, with the gap in a record inside of it. */
#include <mpi.h>

struct settings {
    int steps, size;
    struct {
        double width;
        int kind;
    } shape;
};

int main(int argc, char **argv)
{
    int rank, size;
    struct settings settings;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        settings.steps = 100;
        settings.size = size;
        settings.shape.width = 0.5;
        settings.shape.kind = 2;
    }
    /* expect: finding payload-noise */
    MPI_Bcast(&settings, sizeof settings, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
