/* link: no */
/* A loop before MPI_Init is never chosen, and a loop over unknown functions only when there is no
 * better one. */
#include <mpi.h>

extern int option_read(char *word);
extern void grid_exchange(double time);

int main(int argc, char **argv)
{
    while (argc > 1) {
        option_read(argv[--argc]);
    }
    MPI_Init(&argc, &argv);
    for (double time = 0; time < 1; time += 0.1) {
        grid_exchange(time);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
hook in main: 15
not seen: callee 12 option_read
not seen: callee 16 grid_exchange
+#include <ft.h>
+        ft_hook_at(ID1);
*/
