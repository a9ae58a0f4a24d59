/* One loop sends answers and the last word to the same rank: the two tags may swap, each tag by
 * itself may not. */
#include <mpi.h>

enum { QUESTION = 1, ANSWER = 2, READY = 3, END = 4 };

/* Rank 0 asks one question, and waits until everybody has told rank 1 to be ready. */
static void serve(int clients)
{
    int word, ready = 0, answered = 0;
    MPI_Status status;
    while (ready < clients || !answered) {
        /* expect: channel-deterministic (source, tag) */
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(&word, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (status.MPI_TAG == QUESTION) {
            word = -word;
            answered = 1;
            MPI_Send(&word, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
        } else if (++ready == clients) {
            MPI_Send(&clients, 1, MPI_INT, 0, END, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, word;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1) {
        serve(size - 2);
    } else if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, QUESTION, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 1, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, 1, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 1, READY, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 33 to 41, by nothing
hook in serve: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, any tag; channel-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
