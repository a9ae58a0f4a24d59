/* A jump out of the pattern that no text can end: not annotated, and the site is logged. */
#include <mpi.h>
#include <setjmp.h>

static jmp_buf out;

static void check(int value)
{
    if (value > 1000)
        longjmp(out, 1);
}

static int gather(int count)
{
    int value, sum = 0;
    for (int i = 0; i < count; i++) {
        /* expect: unknown (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(value);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    else if (setjmp(out) == 0)
        sum = gather(size - 1);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 31 to 34, by nothing, not annotated, not trusted
logged: 18
hook in gather: 16
not seen: function 25 main
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
