/* How often an outer loop has polled is sent with each answer; an inner loop drains what has come. */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value, found, over = 0, begun = 0, sent = 0, t = 0;
    MPI_Status status;
    MPI_Request request, barrier, answer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &answer);
    MPI_Issend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
    while (!over) {
        t++;
        for (;;) {
            int got;
            /* expect: non-deterministic (source, flag), finding poll-steers-sends, finding capture? */
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            if (!found)
                break;
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Send(&t, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        }
        if (begun) {
            /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
            MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        } else {
            /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
            MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                begun = 1;
            }
        }
    }
    MPI_Wait(&answer, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return value;
}

/* expect:
pattern in main: 11 to 35, by nothing
logged: 18
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source, flag; non-deterministic
+            FT_SITE(ID4); :: flag; send-deterministic
+            FT_SITE(ID5); :: flag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
