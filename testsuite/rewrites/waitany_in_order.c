/* Each request is waited for by Waitany before the next is posted: there is never a choice. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, index, value[2], sum = 0;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&value[i], 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
        /* expect: deterministic (index), finding waitany-is-wait */
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        sum += value[index] << index;
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
hook in main: 11
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: index; deterministic
*/
