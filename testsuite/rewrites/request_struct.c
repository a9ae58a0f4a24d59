/* The request and its status live in a structure; its receive and completion belong together. */
#include <mpi.h>

struct channel {
    MPI_Request request;
    MPI_Status status;
    int value;
};

static void channel_post(struct channel *channel)
{
    /* expect: channel-deterministic or unknown (source) */
    MPI_Irecv(&channel->value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &channel->request);
}

static void channel_answer(struct channel *channel)
{
    MPI_Wait(&channel->request, &channel->status);
    MPI_Send(&channel->value, 1, MPI_INT, channel->status.MPI_SOURCE, 3, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size, value;
    struct channel channel;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            channel_post(&channel);
            channel_answer(&channel);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 29 to 37, by nothing, not trusted
logged: 13
hook in main: 30
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source; channel-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID3);
+    FT_END_ITERATION(ftcc_ID1);
*/
