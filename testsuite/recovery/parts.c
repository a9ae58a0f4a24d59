/* Several programs in one job: each rank says who it is, and all of them reckon together.
 *
 * ranks: 4
 */
#include "program.h"

int main(int argc, char **argv)
{
    int sum = 0;

    program_start(&argc, &argv);
    for (int i = 1; i <= 300; i++) {
        int mine = (argc > 1 ? (int)strlen(argv[1]) : 9) * i + rank, all;

        pause_us(getenv("FT_TEST_PACE") ? 1000 : 0);
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += (int)ring_shift((uint64_t)all, 3) & 0xffff;
    }
    for (int r = 0; r < size; r++) {
        if (r == rank)
            printf("%d %s %s %d\n", rank, strrchr(argv[0], '/') + 1, argc > 1 ? argv[1] : "-", sum);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
