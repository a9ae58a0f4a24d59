/* One of the handlers behind a pointer gives numbers in the order of arrival: that decides. */
#include <mpi.h>

typedef void handler(int source, int value);

static int counted;

static void negate(int source, int value)
{
    value = -value;
    MPI_Send(&value, 1, MPI_INT, source, 10, MPI_COMM_WORLD);
}

static void number(int source, int value)
{
    value = counted++;
    MPI_Send(&value, 1, MPI_INT, source, 10, MPI_COMM_WORLD);
}

static void serve(int clients, handler *handle)
{
    int value;
    MPI_Status status;
    while (clients-- > 0) {
        /* expect: non-deterministic or unknown (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        handle(status.MPI_SOURCE, value);
    }
}

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        serve(size - 1, argc > 1 ? number : negate);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return counted > 0;
}

/* expect:
pattern in main: 37 to 42, by nothing
logged: 26
hook in serve: 24
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; non-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
