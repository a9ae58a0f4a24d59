/* A pointer to more functions than are followed one by one; one of the last sends. */
#include <mpi.h>

static int last;

#define TARGET(name)                                                                               \
    static void name(int source)                                                                   \
    {                                                                                              \
        last += source ? 0 : 0;                                                                    \
    }
TARGET(a0) TARGET(a1) TARGET(a2) TARGET(a3) TARGET(a4) TARGET(a5) TARGET(a6) TARGET(a7) TARGET(a8)
TARGET(a9) TARGET(b0) TARGET(b1) TARGET(b2) TARGET(b3) TARGET(b4) TARGET(b5) TARGET(b6) TARGET(b7)

static void forward(int source)
{
    MPI_Send(&source, 1, MPI_INT, source, 2, MPI_COMM_WORLD);
}

static void (*const targets[])(int) = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
                                       b0, b1, b2, b3, b4, b5, b6, b7, forward};

int main(int argc, char **argv)
{
    int x, size;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        /* expect: unknown (source) */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        targets[argc](status.MPI_SOURCE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 30
hook in main: 28
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
