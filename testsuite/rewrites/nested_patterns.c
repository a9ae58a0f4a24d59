/* A pattern inside another: while it waits for the outer answers it runs an inner exchange. */
#include <mpi.h>

enum { OUTER = 1, INNER = 2 };

static int inner(int size, int value)
{
    int sum = 0, got;
    MPI_Request requests[64];
    for (int i = 0; i < size; i++)
        MPI_Isend(&value, 1, MPI_INT, i, INNER, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source), pattern collective */
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, INNER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

static int outer(int size, int value)
{
    int sum = 0, got;
    MPI_Request requests[64];
    for (int i = 0; i < size; i++)
        MPI_Isend(&value, 1, MPI_INT, i, OUTER, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source), pattern collective */
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, OUTER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += inner(size, 1) + got;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 3; step++)
        sum += outer(size, sum + rank);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in inner: 10 to 16, by collective
pattern in outer: 26 to 32, by collective
hook in main: 44
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+FT_DECLARE_PATTERN(ftcc_ID2, ID2);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+    FT_BEGIN_ITERATION(ftcc_ID2, MPI_COMM_WORLD);
+        FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID2);
-        sum += outer(size, sum + rank);
+        { ft_hook_at(ID5); sum += outer(size, sum + rank); }
*/
