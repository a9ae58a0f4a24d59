/* A value moves on with each return of a recursive function. */
#include <mpi.h>

static int kept, middle, got;

static void move(int count)
{
    if (count)
        move(count - 1);
    kept = middle;
    middle = got;
}

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
    }
    move(5);
    MPI_Send(&kept, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 22
hook in main: 20
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
