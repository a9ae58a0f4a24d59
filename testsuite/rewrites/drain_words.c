/* A farm in rounds, as pmandel has it: the limits of a round are told by broadcasts, answers to the last results
 * of a round are the word to stop. A worker sends no result of the next round before it has the limits. */
#include <mpi.h>

enum { WORK = 100, RESULT = 200, PIECES = 40 };

int main(int argc, char **argv)
{
    int rank, size, who, limit = 1, task[2], result[2], next, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (;;) {
            limit *= 2;
            MPI_Bcast(&limit, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (limit > 100)
                break;
            next = 0;
            for (int i = 1; i < size; i++) {
                task[0] = ++next;
                MPI_Send(task, 2, MPI_INT, i, WORK, MPI_COMM_WORLD);
            }
            while (next < PIECES) {
                /* expect: non-deterministic (source) */
                MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                who = result[0];
                sum += result[1];
                task[0] = ++next;
                MPI_Send(task, 2, MPI_INT, who, WORK, MPI_COMM_WORLD);
            }
            for (int i = 1; i < size; i++) {
                /* expect: channel-deterministic (source) */
                MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                who = result[0];
                sum += result[1];
                task[0] = 0;
                MPI_Send(task, 2, MPI_INT, who, WORK, MPI_COMM_WORLD);
            }
        }
    } else {
        for (;;) {
            MPI_Bcast(&limit, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (limit > 100)
                break;
            MPI_Recv(task, 2, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            while (task[0] != 0) {
                result[0] = rank;
                result[1] = task[0] * limit;
                MPI_Send(result, 2, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
                MPI_Recv(task, 2, MPI_INT, 0, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Finalize();
    return sum < 0;
}

/* expect:
pattern in main: 13 to 54, by nothing
logged: 26
logged: 34
hook in main: 14
hook in main: 42
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+                FT_SITE(ID3); :: any source; non-deterministic
+                FT_SITE(ID4); :: any source; channel-deterministic
+            ft_hook_at(ID5);
+    FT_END_ITERATION(ftcc_ID1);
*/
