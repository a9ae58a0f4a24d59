/* Two sets of messages compete, and the function that receives is called through more functions than
 * are followed. */
#include <mpi.h>

static int collect(int size)
{
    int sum = 0, x;
    for (int i = 1; i < size; i++) {
        /* expect: non-deterministic or unknown (source) */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += x;
    }
    return sum;
}

#define THROUGH(name, next)                                                                        \
    static int name(int size)                                                                      \
    {                                                                                              \
        return next(size);                                                                         \
    }
THROUGH(c1, collect)
THROUGH(c2, c1)
THROUGH(c3, c2)
THROUGH(c4, c3)
THROUGH(c5, c4)
THROUGH(c6, c5)
THROUGH(c7, c6)
THROUGH(c8, c7)
THROUGH(c9, c8)

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int a = c9(size), b = c9(size);
        MPI_Send(&a, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&b, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&size, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        if (rank < 3)
            MPI_Recv(&size, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 10
hook in collect: 8
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
