/* needs: header_static.h */
/* A function of a header counts in a variable that the file itself sends. */
#include "header_static.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, done = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    for (; !done; turn())
        /* expect: non-deterministic (flag), finding poll-steers-sends */
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Send(&turns, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD);
    MPI_Recv(&turns, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return value != (rank + size - 1) % size;
}

/* expect:
logged: 18
no hook
+#include <ft.h>
-        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
+        (FT_SITE(ID1) :: flag; non-deterministic, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
*/
