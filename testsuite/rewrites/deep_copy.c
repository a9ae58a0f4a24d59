/* More calls deep than are followed, a value moves from one variable to another. */
#include <mpi.h>

static int kept, got;

static void c0(void)
{
    kept = got;
}
#define THROUGH(name, next)                                                                        \
    static void name(void)                                                                         \
    {                                                                                              \
        next();                                                                                    \
    }
THROUGH(c1, c0)
THROUGH(c2, c1)
THROUGH(c3, c2)
THROUGH(c4, c3)
THROUGH(c5, c4)
THROUGH(c6, c5)
THROUGH(c7, c6)
THROUGH(c8, c7)
THROUGH(c9, c8)
THROUGH(c10, c9)
THROUGH(c11, c10)
THROUGH(c12, c11)
THROUGH(c13, c12)
THROUGH(c14, c13)
THROUGH(c15, c14)
THROUGH(c16, c15)
THROUGH(c17, c16)
THROUGH(c18, c17)
THROUGH(c19, c18)
THROUGH(c20, c19)
THROUGH(c21, c20)
THROUGH(c22, c21)
THROUGH(c23, c22)
THROUGH(c24, c23)
THROUGH(c25, c24)
THROUGH(c26, c25)
THROUGH(c27, c26)
THROUGH(c28, c27)
THROUGH(c29, c28)
THROUGH(c30, c29)

int main(int argc, char **argv)
{
    int x, size;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        /* expect: non-deterministic or unknown (source), finding order-escapes? */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        got = status.MPI_SOURCE;
        c30();
    }
    MPI_Send(&kept, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 54
hook in main: 52
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
