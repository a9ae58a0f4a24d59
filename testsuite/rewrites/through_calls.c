/* The loop stands in a function that main calls; what communicates stands in another. */
#include <mpi.h>
#include <stdio.h>

static void exchange(double *field, int left, int right)
{
    MPI_Sendrecv(field, 1, MPI_DOUBLE, left, 0, field + 1, 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run(double *field, int steps)
{
    for (int step = 0; step < steps; step++) {

        exchange(field, 0, 0);
        for (int i = 0; i < 2; i++)
            field[i] *= 0.5;
    }
}

int main(int argc, char **argv)
{
    double field[2] = {1, 2};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++)
        field[i] += i;
    run(field, 100);
    printf("%g\n", field[0]);
    MPI_Finalize();
    return 0;
}

/* expect:
hook in run: 13
+#include <ft.h>
+        ft_hook_at(ID1);
*/
