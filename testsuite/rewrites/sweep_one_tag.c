/* The sweep of sweep.c with one tag for all octants: a rank that is done with an octant may send
 * for the next one before another has all of its faces. */
#include <mpi.h>
#include <math.h>
#include <stdlib.h>

static int rank, size, columns;

static int neighbour(int dx, int dy)
{
    int x = rank % columns + dx, y = rank / columns + dy;
    return x < 0 || x >= columns || y < 0 || y >= size / columns ? MPI_PROC_NULL : y * columns + x;
}

static double sweep(double *flux)
{
    double change = 0, face, faces[2];
    MPI_Status status;
    for (int octant = 0; octant < 4; octant++) {
        int dx = octant % 2 ? 1 : -1, dy = octant / 2 ? 1 : -1;
        int left = neighbour(-dx, 0), below = neighbour(0, -dy);
        int upstream = (left != MPI_PROC_NULL) + (below != MPI_PROC_NULL);
        faces[0] = faces[1] = 1;
        for (int i = 0; i < upstream; i++) {
            /* expect: non-deterministic (source), finding capture */
            MPI_Recv(&face, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            faces[status.MPI_SOURCE == below] = face;
        }
        face = 0.25 * (*flux + faces[0] + faces[1]);
        MPI_Send(&face, 1, MPI_DOUBLE, neighbour(dx, 0), 7, MPI_COMM_WORLD);
        MPI_Send(&face, 1, MPI_DOUBLE, neighbour(0, dy), 7, MPI_COMM_WORLD);
        change += fabs(face - *flux);
        *flux = 0.5 * (*flux + face);
    }
    return change;
}

int main(int argc, char **argv)
{
    double flux = 0, change = 1, all;
    int limit = 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        limit = atoi(argv[1]);
    columns = size % 2 ? size : 2;
    for (int iteration = 0; iteration < limit && change > 1e-6; iteration++) {
        all = sweep(&flux);
        MPI_Allreduce(&all, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return change > 1e-6;
}

/* expect:
pattern in sweep: 24 to 31, by nothing, not trusted
logged: 26
hook in main: 48
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; non-deterministic
+        FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID3);
*/
