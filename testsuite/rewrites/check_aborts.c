/* A check in an expression ends in a function that does not return: what follows is still done. */
#include <mpi.h>
#include <stdlib.h>

void die(const char *text) __attribute__((noreturn));
#define CHECK(result) ((result) == MPI_SUCCESS ? (void)0 : die("MPI error"))

static int arm_else(int turns)
{
    int who, sum = 0;
    for (int i = 0; i < turns; i++) {
        /* expect: non-deterministic (source) */
        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(result);
        sum = 2 * sum + who;
        CHECK(MPI_Send(&sum, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
    }
    return sum;
}

static int arm_then(int turns)
{
    int who, sum = 0;
    for (int i = 0; i < turns; i++) {
        /* expect: non-deterministic (source) */
        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        result != MPI_SUCCESS ? (void)MPI_Abort(MPI_COMM_WORLD, 1) : (void)0;
        sum = 2 * sum + who;
        MPI_Send(&sum, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    }
    return sum;
}

static int side(int turns)
{
    int who, sum = 0;
    for (int i = 0; i < turns; i++) {
        /* expect: non-deterministic (source) */
        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        (void)(result == MPI_SUCCESS || (die("MPI error"), 0));
        (void)(result != MPI_SUCCESS && (exit(1), 1));
        sum = 2 * sum + who;
        MPI_Send(&sum, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        for (int tag = 1; tag < 7; tag += 2)
            CHECK(MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD));
    if (rank == 0)
        arm_else(size - 1), arm_then(size - 1), side(size - 1);
    for (int i = 0; rank == 1 && i < 3 * (size - 1); i++)
        MPI_Recv(&got, 1, MPI_INT, 0, 2 + 2 * (i / (size - 1)), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

void die(const char *text)
{
    (void)text;
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* expect:
pattern in main: 54 to 58, by collective
logged: 13
logged: 26
logged: 39
no hook in main: 55
no hook in arm_else: 11
no hook in arm_then: 24
hook in side: 37
no hook in main: 59
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
-        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        int result = (FT_SITE(ID2) :: any source; non-deterministic, MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
-        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        int result = (FT_SITE(ID3) :: any source; non-deterministic, MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
-        int result = MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        int result = (FT_SITE(ID4) :: any source; non-deterministic, MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
+        ft_hook_at(ID5);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
