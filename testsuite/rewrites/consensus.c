/* Non-blocking consensus (Hoefler and others, 2010), once: nobody knows how many will send. */
#include <mpi.h>

static int exchange(const int *targets, int count, int *received)
{
    int done = 0, barrier_active = 0, flag, found, value, sent;
    MPI_Request sends[8], barrier;
    MPI_Status status;
    for (int i = 0; i < count; i++)
        MPI_Issend(&targets[i], 1, MPI_INT, targets[i], 6, MPI_COMM_WORLD, &sends[i]);
    while (!done) {
        /* expect: send-deterministic (source, flag) */
        MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status);
        if (flag) {
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received[status.MPI_SOURCE] = value;
        }
        if (barrier_active) {
            /* expect: deterministic or send-deterministic (flag) */
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
            MPI_Testall(count, sends, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                barrier_active = 1;
            }
        }
    }
    found = 0;
    for (int i = 0; i < 64; i++)
        found += received[i] != 0;
    return found;
}

int main(int argc, char **argv)
{
    int rank, size, targets[2], found, received[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    targets[0] = (rank + 1) % size;
    targets[1] = (rank * rank + 2) % size;
    found = exchange(targets, 2, received);
    MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return found;
}

/* expect:
pattern in exchange: 9 to 32, by nothing
no hook in exchange: 9
hook in exchange: 11
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, flag; send-deterministic
+            FT_SITE(ID4); :: flag; send-deterministic
+            FT_SITE(ID5); :: flag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
