/* options: -ldl */
/* A pointer that comes from a shared library may do anything. */
#include <mpi.h>
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    int (*handle)(int value);
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *(void **)&handle = library ? dlsym(library, "handle") : NULL;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: unknown (source), finding unannotated-callee */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (handle)
                sum += handle(value);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 16 to 25, by nothing
logged: 19
hook in main: 17
not seen: callee 21 handle
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
