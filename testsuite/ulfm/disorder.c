/* Programs that are wrong: they must end, and be told why.
 *
 *     disorder kinds       one rank agrees, the other one shrinks
 *     disorder replace     ranks are to be replaced, and ftrun was not asked for that
 *     disorder probed      the same, asked for, with a message that was found and not received
 *     disorder other       one rank agrees, the other one replaces
 *     disorder deadlock    behind a death two ranks wait for messages that nobody sends */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include "ft.h"

int main(int argc, char **argv)
{
    int rank, flag = 1, word;
    MPI_Comm made;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "kinds")) {
        if (rank)
            MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
        else
            MPIX_Comm_shrink(MPI_COMM_WORLD, &made);
    } else if (!strcmp(argv[1], "replace")) {
        ft_replace();
    } else if (!strcmp(argv[1], "probed")) {
        MPI_Message message;

        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Mprobe(1 - rank, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        ft_replace();
    } else if (!strcmp(argv[1], "other")) {
        if (rank)
            ft_replace();
        else
            MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    } else if (rank == 2) {
        raise(SIGKILL);
    } else {
        MPI_Recv(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
