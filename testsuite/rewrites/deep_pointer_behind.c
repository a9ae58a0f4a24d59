/* The same behind the receive, whose source is in a local variable. */
#include <mpi.h>

static int a, b, *place = &a;

static void c0(void)
{
    place = &b;
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

int main(int argc, char **argv)
{
    int x, size, last = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        /* expect: non-deterministic or unknown (source), finding order-escapes? */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        last = status.MPI_SOURCE;
    }
    c8();
    *place = last;
    MPI_Send(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 32
hook in main: 30
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; non-deterministic
*/
