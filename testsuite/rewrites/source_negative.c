/* MPI_PROC_NULL and MPI_ANY_TAG are both -1 here: the argument's position decides which it is. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, none = MPI_PROC_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, none, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, -1, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 1, &value, 1,
                 MPI_INT, rank > 0 ? rank - 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0 && size > 1)
        /* expect: deterministic (tag) */
        MPI_Recv(&value, 1, MPI_INT, 1, -1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 44, MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}

/* expect:
no hook
+#include <ft.h>
-        MPI_Recv(&value, 1, MPI_INT, 1, -1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+        (FT_SITE(ID1) :: any tag; deterministic, MPI_Recv(&value, 1, MPI_INT, 1, -1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
*/
