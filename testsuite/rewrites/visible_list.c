/* The same list with functions that can be seen, one for each rank: the order is what is sent. */
#include <mpi.h>
#include <stdlib.h>

struct list {
    size_t size, count, room;
    char *items;
};

static void *list_at(struct list *list, size_t number)
{
    return list->items + list->size * number;
}

static void *list_push(struct list *list)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 4;
        list->items = realloc(list->items, list->room * list->size);
    }
    return list_at(list, list->count++);
}

int main(int argc, char **argv)
{
    int rank, size, wanted[2], answer[64];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wanted[0] = rank / 2 + 1;
    wanted[1] = (rank + 1) % size;
    if (rank) {
        MPI_Send(wanted, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(answer, 64, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
    } else {
        struct list *lists = calloc((size_t)size, sizeof *lists);
        for (int i = 0; i < size; i++)
            lists[i].size = sizeof(int);
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(wanted, 2, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
            for (int k = 0; k < 2; k++)
                *(int *)list_push(&lists[wanted[k]]) = status.MPI_SOURCE;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(lists[i].items, (int)lists[i].count, MPI_INT, i, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 33 to 49, by nothing
logged: 42
hook in main: 40
no hook in main: 47
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
