/* Two polls let one send go each, on one channel: one of them is started, and has its tag from the
 * call that made it. */
#include <mpi.h>

static int poll(int tag)
{
    int flag, got;
    /* expect: non-deterministic (flag), finding poll-steers-sends */
    MPI_Iprobe(1, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (flag)
        MPI_Recv(&got, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return flag;
}

int main(int argc, char **argv)
{
    int rank, size, one = 0, two = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Send_init(&size, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        while (!one || !two) {
            if (!one && (one = poll(5)))
                MPI_Start(&request);
            if (!two && (two = poll(6)))
                MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
        for (int i = 0; i < 2; i++)
            MPI_Recv(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 9
hook in main: 24
hook in main: 35
+#include <ft.h>
+    FT_SITE(ID1); :: flag; non-deterministic
+            ft_hook_at(ID2);
-            MPI_Recv(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            { ft_hook_at(ID3); MPI_Recv(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
*/
