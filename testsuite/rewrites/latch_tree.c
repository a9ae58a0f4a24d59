/* Questions from anybody are answered until a tree of reports and ends says that nobody asks any
 * more. Each rank reports once, when its own answers and the reports of its children have come. */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

enum { QUESTION, ANSWER, REPORT, END };

struct exchange {
    int rank, ranks, table[16];
    int answers, reports; /* that are still to come */
    bool reported, ended;
};

static void question_serve(struct exchange *exchange)
{
    int key, value, found;
    MPI_Status status;
    /* expect: channel-deterministic (source, flag) */
    MPI_Iprobe(MPI_ANY_SOURCE, QUESTION, MPI_COMM_WORLD, &found, &status);
    if (!found)
        return;
    MPI_Recv(&key, 1, MPI_INT, status.MPI_SOURCE, QUESTION, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = exchange->table[key & 15];
    MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
}

static void reports_take(struct exchange *exchange)
{
    int found;
    /* expect: channel-deterministic (source, flag) */
    MPI_Iprobe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!found)
        return;
    /* expect: channel-deterministic (source) */
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    exchange->reports--;
}

static void end_tell(struct exchange *exchange)
{
    for (int child = 2 * exchange->rank + 1; child <= 2 * exchange->rank + 2; child++)
        if (child < exchange->ranks)
            MPI_Send(NULL, 0, MPI_BYTE, child, END, MPI_COMM_WORLD);
    exchange->ended = true;
}

static void termination_advance(struct exchange *exchange)
{
    int parent = (exchange->rank - 1) / 2, found;
    if (exchange->reports > 0)
        reports_take(exchange);
    if (exchange->answers > 0 || exchange->reports > 0)
        return;
    if (exchange->rank == 0) {
        end_tell(exchange);
        return;
    }
    if (!exchange->reported) {
        MPI_Send(NULL, 0, MPI_BYTE, parent, REPORT, MPI_COMM_WORLD);
        exchange->reported = true;
    }
    /* expect: channel-deterministic (flag) */
    MPI_Iprobe(parent, END, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!found)
        return;
    MPI_Recv(NULL, 0, MPI_BYTE, parent, END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end_tell(exchange);
}

int main(int argc, char **argv)
{
    struct exchange exchange;
    MPI_Request request;
    int other, answer, found;
    MPI_Init(&argc, &argv);
    memset(&exchange, 0, sizeof exchange);
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &exchange.ranks);
    other = exchange.rank * 7 % exchange.ranks;
    exchange.answers = 1;
    exchange.reports = (2 * exchange.rank + 1 < exchange.ranks) +
                       (2 * exchange.rank + 2 < exchange.ranks);
    MPI_Irecv(&answer, 1, MPI_INT, other, ANSWER, MPI_COMM_WORLD, &request);
    MPI_Send(&other, 1, MPI_INT, other, QUESTION, MPI_COMM_WORLD);
    while (!exchange.ended) {
        question_serve(&exchange);
        if (exchange.answers > 0) {
            /* expect: channel-deterministic (flag) */
            MPI_Test(&request, &found, MPI_STATUS_IGNORE);
            if (found)
                exchange.answers = 0;
        }
        termination_advance(&exchange);
    }
    MPI_Finalize();
    return answer;
}

/* expect:
pattern in main: 84 to 95, by nothing
hook in main: 86
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: any source, flag; channel-deterministic
+    FT_SITE(ID3); :: any source, flag; channel-deterministic
+    FT_SITE(ID4); :: any source; channel-deterministic
+    FT_SITE(ID5); :: flag; channel-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID6);
+            FT_SITE(ID7); :: flag; channel-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
