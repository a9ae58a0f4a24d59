/* options: -fopenmp */
/* The loop is not inside what the threads run, but around it. */
#include <mpi.h>
#include <omp.h>

int main(int argc, char **argv)
{
    double x[100] = {0}, sum = 0;
    MPI_Init(&argc, &argv);
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        x[i] = omp_get_thread_num();
    }
    for (int step = 0; step < 10; step++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 100; i++)
            sum += x[i];
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 14
+#include <ft.h>
+        ft_hook_at(ID1);
*/
