/* A request that is made through a pointer to one of MPI's functions is a send, too. */
#include <mpi.h>

typedef int init(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

int main(int argc, char **argv)
{
    int rank, size, value, last = 0;
    MPI_Request request;
    init *make = argc > 1 ? MPI_Send_init : MPI_Ssend_init;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        make(&size, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            last = value;
        }
        if (last == 1) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 14 to 28, by nothing
logged: 18
hook in main: 16
not seen: callee 15 make
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
