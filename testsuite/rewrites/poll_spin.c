/* Waiting by hand: nobody can see how often it turned. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, flag = 0, found;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* expect: deterministic (flag) */
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    do {
        /* expect: deterministic (flag) */
        MPI_Iprobe((rank + size - 1) % size, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    } while (!found);
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return value;
}

/* expect:
no hook
+#include <ft.h>
-        MPI_Test(&request, &flag, MPI_STATUS_IGNORE); (* expect: deterministic (flag) *)
+        (FT_SITE(ID1) :: flag; deterministic, MPI_Test(&request, &flag, MPI_STATUS_IGNORE)); (* expect: deterministic (flag) *)
+        FT_SITE(ID2); :: flag; deterministic
*/
