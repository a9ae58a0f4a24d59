/* A recursive function with an anonymous receive at each level; the level is the tag. */
#include <mpi.h>

static int reduce(int rank, int size, int level, int sum)
{
    int value, width = 1 << level;
    if (width >= size)
        return sum;
    if (rank % (2 * width) == 0) {
        if (rank + width < size) {
            /* expect: deterministic or send-deterministic or unknown (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, level, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        return reduce(rank, size, level + 1, sum);
    }
    MPI_Send(&sum, 1, MPI_INT, rank - width, level, MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = reduce(rank, size, 0, rank);
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in reduce: 7 to 17, by nothing, not annotated, not trusted
logged: 12
no hook
+#include <ft.h>
+            FT_SITE(ID1); :: any source; unknown
*/
