/* A check that ends the program stands in an expression: what follows it runs all the same. */
#include <mpi.h>
#include <stdlib.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

int main(int argc, char **argv)
{
    int rank, size, index[64], buffer[64], sent = 0, left, count, failed;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = size - 1;
    for (int i = 0; i < left; i++)
        MPI_Irecv(&buffer[i], 1, MPI_INT, (rank + i + 1) % size, 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size - 1; i++)
        MPI_Send(&rank, 1, MPI_INT, (rank + i + 1) % size, 1, MPI_COMM_WORLD);
    while (left > 0) {
        /* expect: non-deterministic (index), finding order-escapes? */
        failed = MPI_Waitsome(size - 1, requests, &count, index, MPI_STATUSES_IGNORE);
        CHECK(failed == MPI_SUCCESS);
        count > 0 || (abort(), 0);
        MPI_Send(index, 1, MPI_INT, rank, 2 + sent++, MPI_COMM_WORLD);
        left -= count;
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 21
no hook in main: 15
no hook in main: 17
hook in main: 19
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: index; non-deterministic
*/
