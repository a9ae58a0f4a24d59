/* A file without main, with one clear main loop in a function for other files. */
#include <mpi.h>

static double norm(const double *x, int n)
{
    double sum = 0, all;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void solve(double *x, int n)
{
    while (norm(x, n) > 1e-6) {
        for (int i = 0; i < n; i++)
            x[i] *= 0.9;
    }
}

/* expect:
no hook in solve: 15
no hook
+#include <ft.h>
+        ft_hook_at(ID1);
*/
