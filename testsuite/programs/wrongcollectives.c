/* wrongcollectives: collectives with a wrong argument answer the class of error that the library
 * answers, without talking to anybody, and the communicator works afterwards.
 *
 * arguments: [steps 8] the second of them has the wrong calls, so that checkpoints follow them
 *
 * ranks: 2
 * test: 8
 * soak: 8
 * pace: 35000
 * kill: 1@hook:6
 */
#include "program.h"

static int in[4] = {1, 2, 3, 4}, out[8];

static void tell(const char *what, int code)
{
    int class = -1;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    printf("%s: class %d\n", what, class);
}

#define TELL(call) tell(#call, call)

static void moves(MPI_Comm comm)
{
    int counts[2] = {1, -1}, places[2] = {0, 1};
    MPI_Request request;

    TELL(MPI_Bcast(in, -1, MPI_INT, 0, comm));
    TELL(MPI_Bcast(in, 1, MPI_INT, 9, comm));
    TELL(MPI_Bcast(in, 1, MPI_INT, -1, comm));
    TELL(MPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm));
    TELL(MPI_Bcast(NULL, 1, MPI_INT, 0, comm));
    TELL(MPI_Ibcast(in, -1, MPI_INT, 0, comm, &request));
    TELL(MPI_Allgather(in, -1, MPI_INT, out, 1, MPI_INT, comm));
    TELL(MPI_Allgather(in, 1, MPI_INT, in, 1, MPI_INT, comm));
    TELL(MPI_Gather(in, 1, MPI_INT, NULL, 1, MPI_INT, 0, comm));
    TELL(MPI_Allgatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, comm));
    TELL(MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm));
}

static void reductions(MPI_Comm comm)
{
    MPI_Request request;

    TELL(MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    TELL(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 7, comm));
    TELL(MPI_Reduce(in, in, 1, MPI_INT, MPI_SUM, 0, comm));
    TELL(MPI_Allreduce(in, in, 1, MPI_INT, MPI_SUM, comm));
    TELL(MPI_Allreduce(in, out, 1, MPI_BYTE, MPI_SUM, comm));
    TELL(MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm));
    TELL(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MINLOC, comm));
    TELL(MPI_Allreduce(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
    TELL(MPI_Iallreduce(in, out, -1, MPI_INT, MPI_SUM, comm, &request));
    TELL(MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, -5, comm, &request));
}

int main(int argc, char **argv)
{
    int sum = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 8);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 0 && number == 2) {
            moves(MPI_COMM_WORLD);
            reductions(MPI_COMM_WORLD);
        }
        in[rank] += sum;
        MPI_Allreduce(&in[rank], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return program_end("wrongcollectives", (uint64_t)sum);
}
