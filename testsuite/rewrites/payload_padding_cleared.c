/* Gaps that were cleared, or that lie in static storage: nothing to find. */
#include <mpi.h>
#include <string.h>

struct item {
    char kind;
    double value;
};

static void clear(struct item *item)
{
    memset(item, 0, sizeof *item);
}

int main(int argc, char **argv)
{
    int rank, size;
    struct item item, other, first = {0};
    static struct item kept, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(&item, 0, sizeof item);
    clear(&other);
    item.kind = other.kind = kept.kind = first.kind = 'a';
    item.value = other.value = kept.value = first.value = rank;
    copy = kept;
    if (rank == 0) {
        MPI_Send(&item, sizeof item, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&other, sizeof other, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&kept, sizeof kept, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&copy, sizeof copy, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&first, sizeof first, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        for (int i = 0; i < 5; i++)
            MPI_Recv(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 35
+#include <ft.h>
-            MPI_Recv(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
+            { ft_hook_at(ID1); MPI_Recv(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
*/
