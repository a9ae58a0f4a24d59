/* options: -std=gnu89 -w */
/* Definitions of the old style, without prototypes and types. */
#include <mpi.h>

run(steps, comm)
    int steps;
    MPI_Comm comm;
{
    int i;
    for (i = 0; i < steps; i++)
    {
        MPI_Barrier(comm);
    }
    undeclared(i);
}

main(argc, argv)
    int argc;
    char **argv;
{
    MPI_Init(&argc, &argv);
    run(3, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

undeclared(i)
{
    return i;
}

/* expect:
hook in run: 10
+#include <ft.h>
+        ft_hook_at(ID1);
*/
