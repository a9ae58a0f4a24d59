/* needs: fragment_names.h fragment_round.h */
/* Parts of a function stand in files of their own: what is inserted into one fits its text. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 3; step++) {
#include "fragment_names.h"
        value = step;
#include "fragment_round.h"
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return total < 0;
}

/* expect:
pattern in main: 5 to 12, by collective
hook in main: 11
+#include <ft.h>
+        ft_hook_at(ID1);
+#include <ft.h>
+        FT_SITE(ID2); :: any source; send-deterministic
*/
