/* Each question gets the answer and a number: the number tells who was first. */
#include <mpi.h>
#include <stdbool.h>

enum { QUESTION = 1, ANSWER };

struct server {
    int answered;
};

static void question_serve(struct server *server)
{
    int answer[2], found;
    MPI_Status status;
    /* expect: non-deterministic or unknown (source, flag), finding poll-steers-sends? */
    MPI_Iprobe(MPI_ANY_SOURCE, QUESTION, MPI_COMM_WORLD, &found, &status);
    if (!found)
        return;
    MPI_Recv(&answer[0], 1, MPI_INT, status.MPI_SOURCE, QUESTION, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    answer[1] = ++server->answered;
    MPI_Send(answer, 2, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size, answer[2];
    struct server server = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, QUESTION, MPI_COMM_WORLD);
        MPI_Recv(answer, 2, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        while (server.answered < size - 1)
            question_serve(&server);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 32 to 38, by nothing
logged: 16
hook in main: 36
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source, flag; non-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            question_serve(&server);
+            { ft_hook_at(ID3); question_serve(&server); }
+    FT_END_ITERATION(ftcc_ID1);
*/
