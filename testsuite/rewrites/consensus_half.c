/* The rounds of consensus_rounds.c, but what separates them has only half of the ranks. */
#include <mpi.h>

static int rank, size;
static MPI_Comm half;

static int exchange(const int *targets, int count, int *received)
{
    int done = 0, entered = 0, flag, sent, value, found = 0;
    MPI_Request sends[8], barrier;
    MPI_Status status;
    for (int i = 0; i < count; i++)
        MPI_Issend(&targets[i], 1, MPI_INT, targets[i], 6, MPI_COMM_WORLD, &sends[i]);
    while (!done) {
        /* expect: non-deterministic (source, flag), finding capture, finding poll-steers-sends, finding order-escapes */
        MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status);
        if (flag) {
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received[status.MPI_SOURCE] = value;
        }
        if (entered) {
            /* expect: deterministic or send-deterministic (flag) */
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
            MPI_Testall(count, sends, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                entered = 1;
            }
        }
    }
    for (int i = 0; i < 64; i++)
        found += received[i] != 0;
    return found;
}

int main(int argc, char **argv)
{
    int targets[2], found, more = 1, received[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int round = 0; more; round++) {
        targets[0] = (rank + round) % size;
        targets[1] = (rank * rank + round) % size;
        found = exchange(targets, round % 2 + 1, received);
        more = found < size && round < 9;
        MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MAX, half);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in exchange: 12 to 34, by nothing, not trusted
logged: 16
hook in main: 45
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source, flag; non-deterministic
+            FT_SITE(ID3); :: flag; send-deterministic
+            FT_SITE(ID4); :: flag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID5);
*/
