/* needs: header_macro.h */
/* The call of a macro is marked in a header, too, where nothing else is. */
#include <mpi.h>

#include "header_macro.h"

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    int code = wait_for(&request);
    MPI_Finalize();
    return code;
}

/* expect:
no hook
+#include <ft.h>
+        FT_SITE(ID1); :: flag; send-deterministic
*/
