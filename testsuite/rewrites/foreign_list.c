/* Sources are appended to a list whose functions are in another file, and return pointers into memory
 * of their own: what they give later may be these sources, in the order of arrival. */
/* link: no */
#include <mpi.h>
#include <stddef.h>

struct list {
    size_t size, count;
    char *items;
};
struct list *list_new(size_t size);
void *list_push(struct list *list);

void answer(int size)
{
    struct list *list = list_new(sizeof(int));
    MPI_Status status;
    int value;
    for (int i = 1; i < size; i++) {
        /* expect: unknown or non-deterministic (source), finding unannotated-callee?, finding order-escapes? */
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
        int *item = (int *)list_push(list);
        *item = status.MPI_SOURCE;
    }
    for (int i = 1; i < size; i++)
        MPI_Send(list->items, (int)list->count, MPI_INT, i, 2, MPI_COMM_WORLD);
}

/* expect:
logged: 21
no hook
not seen: callee 16 list_new
not seen: callee 23 list_push
+#include <ft.h>
+        FT_SITE(ID1); :: any source; unknown
*/
