/* Functions of the C library do not send. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    char word[32], table[64][32];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(table, 0, sizeof table);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(word, 32, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            strcpy(table[status.MPI_SOURCE], word);
        }
    } else {
        memset(word, 0, sizeof word);
        snprintf(word, sizeof word, "rank %d", rank);
        MPI_Send(word, 32, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(table, sizeof table, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return table[0][0];
}

/* expect:
pattern in main: 15 to 25, by nothing
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
