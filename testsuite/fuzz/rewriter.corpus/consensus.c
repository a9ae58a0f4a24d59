#include <mpi.h>
/* ftcc: pattern exchange */
int exchange(int *to, int count, MPI_Comm comm)
{
    MPI_Request send[8], barrier;
    int i, flag, done = 0, entered = 0, x, sum = 0;
    MPI_Status s;
    for (i = 0; i < count; i++)
        MPI_Isend(&to[i], 1, MPI_INT, to[i], 7, comm, &send[i]);
    do {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &flag, &s);
        if (flag) {
            MPI_Recv(&x, 1, MPI_INT, s.MPI_SOURCE, 7, comm, MPI_STATUS_IGNORE);
            sum += x;
        }
        if (entered)
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        else if (MPI_Testall(count, send, &flag, MPI_STATUSES_IGNORE), flag) {
            MPI_Ibarrier(comm, &barrier);
            entered = 1;
        }
        if (sum < 0) goto out;
    } while (!done);
out:
    return sum;
}
