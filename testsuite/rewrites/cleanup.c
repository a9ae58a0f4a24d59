/* A cleanup function is called where its scope ends, before each return, too, though nothing of
 * that is in the text. */
#include <mpi.h>

static int last;

static void tell(int *to)
{
    MPI_Send(&last, 1, MPI_INT, *to, 7, MPI_COMM_WORLD);
}

static int take(void)
{
    __attribute__((cleanup(tell))) int to = 1;
    if (last < 0)
        return 0;
    /* expect: unknown (source) */
    MPI_Recv(&last, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return last;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 9; i++) {
        if (!take())
            break;
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 18
hook in main: 25
+#include <ft.h>
+    FT_SITE(ID1); :: any source; unknown
+        ft_hook_at(ID2);
*/
