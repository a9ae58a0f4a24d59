/* The same in a library, whose callers are not here: nobody can know. */
#include <mpi.h>

int comm_irecv(int *value, int *source, int tag, MPI_Request *request);

int comm_irecv(int *value, int *source, int tag, MPI_Request *request)
{
    int from = *source;
    if (from < 0)
        from = MPI_ANY_SOURCE;
    /* expect: unknown (source, tag) */
    return MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request);
}

/* expect:
logged: 12
no hook
+#include <ft.h>
-    return MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request);
+    return (FT_SITE(ID1) :: maybe any source, maybe any tag; unknown, MPI_Irecv(value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, request));
*/
