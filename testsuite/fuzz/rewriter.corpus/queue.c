#include <mpi.h>
int main(int argc, char **argv)
{
    int x, n = 0;
    MPI_Status s;
    MPI_Init(&argc, &argv);
    while (n++ < 9) {
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
        if (x)
            MPI_Send(&x, 1, MPI_INT, s.MPI_SOURCE, 2, MPI_COMM_WORLD);
        else
            break;
    }
    return MPI_Finalize();
}
