/* A pointer to more variables than one set of places holds. */
#include <mpi.h>

static int g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, g10, g11, g12, g13, g14, g15, g16, g17, g18, g19,
    g20, g21, g22, g23, g24, g25, g26, g27, g28, g29, g30, g31, g32, g33, g34, g35, g36, g37, g38,
    g39, g40, g41, g42, g43, g44, g45, g46, g47, g48, g49, g50, g51, g52, g53, g54, g55, g56, g57,
    g58, g59, g60, g61, g62, g63, g64, g65, g66, g67, g68, g69, g70, g71, g72, g73, g74, g75, g76,
    g77, g78, g79;
static int *const places[] = {
    &g0,  &g1,  &g2,  &g3,  &g4,  &g5,  &g6,  &g7,  &g8,  &g9,  &g10, &g11, &g12, &g13, &g14, &g15,
    &g16, &g17, &g18, &g19, &g20, &g21, &g22, &g23, &g24, &g25, &g26, &g27, &g28, &g29, &g30, &g31,
    &g32, &g33, &g34, &g35, &g36, &g37, &g38, &g39, &g40, &g41, &g42, &g43, &g44, &g45, &g46, &g47,
    &g48, &g49, &g50, &g51, &g52, &g53, &g54, &g55, &g56, &g57, &g58, &g59, &g60, &g61, &g62, &g63,
    &g64, &g65, &g66, &g67, &g68, &g69, &g70, &g71, &g72, &g73, &g74, &g75, &g76, &g77, &g78, &g79};

int main(int argc, char **argv)
{
    int x, size;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        /* expect: non-deterministic or unknown (source), finding order-escapes? */
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        *places[argc] = status.MPI_SOURCE;
    }
    MPI_Send(&g79, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
logged: 24
hook in main: 22
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: any source; unknown
*/
