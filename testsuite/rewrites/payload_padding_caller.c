/* A function sends the records that its callers have: those of one are dirty. */
#include <mpi.h>
#include <string.h>

struct item {
    short kind;
    int weights[3];
    double value;
};

struct pair {
    int first;
    short second;
};

static void item_send(const struct item *item, int size)
{
    for (int i = 1; i < size; i++)
        /* expect: finding payload-noise */
        MPI_Send(item, sizeof *item, MPI_BYTE, i, 0, MPI_COMM_WORLD);
}

static void pair_send(const struct pair *pair, int to)
{
    MPI_Send(pair, sizeof *pair, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

static void item_fill(struct item *item, int rank)
{
    item->kind = 3;
    for (int i = 0; i < 3; i++)
        item->weights[i] = rank + i;
    item->value = rank;
}

int main(int argc, char **argv)
{
    int rank, size;
    struct item item, other;
    struct pair pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(&item, 0, sizeof item);
    memset(&pair, 0, sizeof pair);
    item_fill(&item, rank);
    item_fill(&other, rank);
    pair.first = pair.second = 1;
    if (rank == 0) {
        item_send(&item, size);
        item_send(&other, size);
        pair_send(&pair, rank);
    } else {
        MPI_Recv(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, sizeof other, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in item_send: 18
+#include <ft.h>
-        MPI_Send(item, sizeof *item, MPI_BYTE, i, 0, MPI_COMM_WORLD);
+        { ft_hook_at(ID1); MPI_Send(item, sizeof *item, MPI_BYTE, i, 0, MPI_COMM_WORLD); }
*/
