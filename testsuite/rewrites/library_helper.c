/* A file without main that only helps: its loops are parts of other people's turns. */
#include <mpi.h>

void scatter(int *values, int n)
{
    for (int i = 0; i < n; i++) {
        MPI_Send(values + i, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    }
}

int wait_for_end(MPI_Request *request)
{
    int flag = 0;
    while (!flag) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE); /* expect: deterministic (flag) */
    }
    return flag;
}

/* expect:
no hook
+#include <ft.h>
+        FT_SITE(ID1); :: flag; deterministic
*/
