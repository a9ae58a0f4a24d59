/* Whether a send is complete decides how much goes into the next message. */
#include <mpi.h>

enum { UPDATES = 1000, END = 1 };

int main(int argc, char **argv)
{
    int rank, size, flag = 1, count = 0, sending[UPDATES], waiting[UPDATES];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < UPDATES; i++) {
            waiting[count++] = i;
            /* expect: non-deterministic (flag), finding poll-steers-sends */
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            if (flag) {
                for (int k = 0; k < count; k++)
                    sending[k] = waiting[k];
                MPI_Isend(sending, count, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                count = 0;
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(waiting, count, MPI_INT, 1, END, MPI_COMM_WORLD);
    } else if (rank == 1) {
        do {
            /* expect: deterministic (tag) */
            MPI_Recv(waiting, UPDATES, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        } while (status.MPI_TAG != END);
    }
    MPI_Finalize();
    return size;
}

/* expect:
logged: 18
hook in main: 15
hook in main: 29
+#include <ft.h>
+            ft_hook_at(ID1);
+            FT_SITE(ID2); :: flag; non-deterministic
+            ft_hook_at(ID3);
+            FT_SITE(ID4); :: any tag; deterministic
*/
