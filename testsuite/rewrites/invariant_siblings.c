/* Regions under conditions that may differ between ranks, each with a tag of its own. None of them
 * is trusted, but the first and the last. */
#include <mpi.h>
#include <stdio.h>

static int rank, size, value, received[64];
static MPI_Status status;
static MPI_Comm half;

static void send_to_all(int tag)
{
    for (int i = 0; i < size; i++)
        MPI_Send(&rank, 1, MPI_INT, i, tag, MPI_COMM_WORLD);
}

static void told(int n)
{
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (n > 3) {
        send_to_all(1);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void told_to_half(int n)
{
    MPI_Bcast(&n, 1, MPI_INT, 0, half);
    if (n > 3) {
        send_to_all(2);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void sum_of_half(int n)
{
    int sum;
    MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, half);
    if (sum > 3) {
        send_to_all(3);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void set_on_some(int n)
{
    int limit = 3;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 2)
        limit = 4;
    if (n > limit) {
        send_to_all(4);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void received_after(int n)
{
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(&n, 1, MPI_INT, (rank + 1) % size, 9, (rank + size - 1) % size, 9,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (n > 3) {
        send_to_all(5);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void changed_by_pointer(int n)
{
    int *p = &n;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    *p += rank;
    if (n > 3) {
        send_to_all(6);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void read_by_all(void)
{
    int n = 0;
    if (scanf("%d", &n) == 1 && n > 3) {
        send_to_all(7);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

static void read_and_told(void)
{
    int n = 0;
    if (rank == 0)
        scanf("%d", &n);
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (n > 3) {
        send_to_all(8);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status);
            received[status.MPI_SOURCE] = value;
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    told(rank + 4);
    told_to_half(rank);
    sum_of_half(rank);
    set_on_some(rank + 4);
    received_after(rank);
    changed_by_pointer(rank);
    read_by_all();
    read_and_told();
    MPI_Finalize();
    return received[0];
}

/* expect:
pattern in told: 20 to 25, by nothing
pattern in told_to_half: 33 to 38, by nothing, not trusted
pattern in sum_of_half: 47 to 52, by nothing, not trusted
pattern in set_on_some: 63 to 68, by nothing, not trusted
pattern in received_after: 78 to 83, by nothing, not trusted
pattern in changed_by_pointer: 93 to 98, by nothing, not trusted
pattern in read_by_all: 106 to 111, by nothing, not trusted
pattern in read_and_told: 122 to 127, by nothing
logged: 36
logged: 50
logged: 66
logged: 81
logged: 96
logged: 109
no hook in send_to_all: 12
no hook in told: 21
no hook in told_to_half: 34
no hook in sum_of_half: 48
no hook in set_on_some: 64
no hook in received_after: 79
no hook in changed_by_pointer: 94
no hook in read_by_all: 107
hook in read_and_told: 123
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+FT_DECLARE_PATTERN(ftcc_ID2, ID2);
+FT_DECLARE_PATTERN(ftcc_ID3, ID3);
+FT_DECLARE_PATTERN(ftcc_ID4, ID4);
+FT_DECLARE_PATTERN(ftcc_ID5, ID5);
+FT_DECLARE_PATTERN(ftcc_ID6, ID6);
+FT_DECLARE_PATTERN(ftcc_ID7, ID7);
+FT_DECLARE_PATTERN(ftcc_ID8, ID8);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID9); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
+        FT_BEGIN_ITERATION(ftcc_ID2, MPI_COMM_WORLD);
+            FT_SITE(ID10); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID2);
+        FT_BEGIN_ITERATION(ftcc_ID3, MPI_COMM_WORLD);
+            FT_SITE(ID11); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID3);
+        FT_BEGIN_ITERATION(ftcc_ID4, MPI_COMM_WORLD);
+            FT_SITE(ID12); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID4);
+        FT_BEGIN_ITERATION(ftcc_ID5, MPI_COMM_WORLD);
+            FT_SITE(ID13); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID5);
+        FT_BEGIN_ITERATION(ftcc_ID6, MPI_COMM_WORLD);
+            FT_SITE(ID14); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID6);
+        FT_BEGIN_ITERATION(ftcc_ID7, MPI_COMM_WORLD);
+            FT_SITE(ID15); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID7);
+        FT_BEGIN_ITERATION(ftcc_ID8, MPI_COMM_WORLD);
+            ft_hook_at(ID16);
+            FT_SITE(ID17); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID8);
*/
