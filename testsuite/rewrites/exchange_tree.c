/* Questions, answers and the end of a round as hypre_DataExchangeList has them: the poll, and the loop that
 * answers and polls again; empty messages up and down a tree. Two rounds have other tags. */
#include <mpi.h>
#include <stdlib.h>
enum { QUESTION = 1000, ANSWER = 1002, WORD = 1004 };
struct tree { int parent, count, child[2]; };
static void exchange(int count, const int *who, const int *questions, int *answers, const int *table, int round, MPI_Comm comm)
{
    int rank, size, found, heard = 1, complete = !count, over = 1, from, key, value;
    struct tree tree = {0};
    MPI_Request asked[8], told[8], words[2], up, down;
    MPI_Status status;
    const int question_tag = QUESTION * round, answer_tag = ANSWER * round, word_tag = WORD * round;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++)
        MPI_Irecv(&answers[i], 1, MPI_INT, who[i], answer_tag, comm, &told[i]);
    for (int i = 0; i < count; i++)
        MPI_Isend(&questions[i], 1, MPI_INT, who[i], question_tag, comm, &asked[i]);
    if (size > 1) {
        tree.parent = (rank - 1) / 2;
        for (int c = 2 * rank + 1; c <= 2 * rank + 2; c++)
            if (c < size)
                tree.child[tree.count++] = c;
        for (int i = 0; i < tree.count; i++)
            MPI_Irecv(NULL, 0, MPI_INT, tree.child[i], word_tag, comm, &words[i]);
        over = heard = 0;
    }
    while (!over) {
        /* expect: channel-deterministic (source, flag) */
        MPI_Iprobe(MPI_ANY_SOURCE, question_tag, comm, &found, &status);
        while (found) {
            from = status.MPI_SOURCE;
            MPI_Recv(&key, 1, MPI_INT, from, question_tag, comm, MPI_STATUS_IGNORE);
            value = table[key];
            MPI_Send(&value, 1, MPI_INT, from, answer_tag, comm);
            /* expect: channel-deterministic (source, flag) */
            MPI_Iprobe(MPI_ANY_SOURCE, question_tag, comm, &found, &status);
        }
        if (!complete) {
            /* expect: channel-deterministic (flag) */
            MPI_Testall(count, told, &complete, MPI_STATUSES_IGNORE);
        } else if (!heard) {
            /* expect: channel-deterministic (flag) */
            MPI_Testall(tree.count, words, &heard, MPI_STATUSES_IGNORE);
            if (heard & (rank > 0)) {
                MPI_Isend(NULL, 0, MPI_INT, tree.parent, word_tag, comm, &up);
                MPI_Irecv(NULL, 0, MPI_INT, tree.parent, word_tag, comm, &down);
            }
        } else {
            if (rank == 0)
                over = 1;
            else
                /* expect: channel-deterministic (flag) */
                MPI_Test(&down, &over, MPI_STATUS_IGNORE);
            if (over) {
                if (rank > 0)
                    MPI_Wait(&up, MPI_STATUS_IGNORE);
                for (int i = 0; i < tree.count; i++)
                    MPI_Send(NULL, 0, MPI_INT, tree.child[i], word_tag, comm);
            }
        }
    }
    MPI_Waitall(count, asked, MPI_STATUSES_IGNORE);
}
int main(int argc, char **argv)
{
    int rank, size, who[2], questions[2], answers[2], table[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 64; i++)
        table[i] = rank + i;
    who[0] = (rank + 1) % size;
    who[1] = (rank + 3) % size;
    questions[0] = rank;
    questions[1] = 2 * rank;
    exchange(2, who, questions, answers, table, 1, MPI_COMM_WORLD);
    exchange(2, who, answers, questions, table, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return questions[0] + questions[1] > 100;
}

/* expect:
pattern in exchange: 14 to 64, by nothing
no hook in exchange: 16
no hook in exchange: 18
no hook in exchange: 25
hook in exchange: 29
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, comm);
-            MPI_Irecv(NULL, 0, MPI_INT, tree.child[i], word_tag, comm, &words[i]);
+            (FT_SITE(ID2) :: maybe any source; send-deterministic, MPI_Irecv(NULL, 0, MPI_INT, tree.child[i], word_tag, comm, &words[i]));
+        ft_hook_at(ID3);
+        FT_SITE(ID4); :: any source, flag; channel-deterministic
+            FT_SITE(ID5); :: any source, flag; channel-deterministic
+            FT_SITE(ID6); :: flag; channel-deterministic
+            FT_SITE(ID7); :: flag; channel-deterministic
+                FT_SITE(ID8); :: maybe any source; send-deterministic
-                MPI_Test(&down, &over, MPI_STATUS_IGNORE);
+                (FT_SITE(ID9) :: flag; channel-deterministic, MPI_Test(&down, &over, MPI_STATUS_IGNORE));
+    FT_END_ITERATION(ftcc_ID1);
*/
