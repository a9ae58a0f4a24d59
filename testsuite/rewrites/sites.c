/* All kinds of sites, and what is none. */
#include <mpi.h>

enum { ANYONE = MPI_ANY_SOURCE };
static const int any_tag = MPI_ANY_TAG;
#define FROM_ANY MPI_ANY_SOURCE
#define RECEIVE(from) MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &status)

static void receive_from(int source)
{
    int value;
    MPI_Status status;
    RECEIVE(source);
}

int main(int argc, char **argv)
{
    int value, flag, index, count, indices[2], anybody = MPI_ANY_SOURCE;
    MPI_Status status, statuses[2];
    MPI_Request request = MPI_REQUEST_NULL, requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, ANYONE, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, 0, any_tag, MPI_COMM_WORLD, &status);
    MPI_Irecv(&value, 1, MPI_INT, FROM_ANY, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Recv(&value, 1, MPI_INT, anybody, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, argc > 1 ? 0 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    PMPI_Recv_init(&value, 1, MPI_INT, -2, 0, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &flag, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 &status);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 0, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    receive_from(3);
    receive_from(FROM_ANY);
    MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
    MPI_Improbe(0, 0, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    MPI_Test(&request, &flag, &status);
    MPI_Testall(2, requests, &flag, statuses);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Waitsome(2, requests, &count, indices, statuses);
    MPI_Waitall(2, requests, statuses);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    MPI_Finalize();
    return 0;
}

/* expect:
report: no hook: main reaches no loop that communicates and can be edited
report:13:5: receive_from: MPI_Recv (maybe any source): unknown
report:25:5: main: MPI_Recv (any source): unknown
report:26:5: main: MPI_Recv (any tag): unknown
report:27:5: main: MPI_Irecv (any source, any tag): unknown
report:28:5: main: MPI_Recv (maybe any source): unknown
report:29:5: main: MPI_Recv (maybe any source): unknown
report:30:5: main: PMPI_Recv_init (any source): unknown
report:31:5: main: MPI_Sendrecv (any source): unknown
report:33:5: main: MPI_Sendrecv_replace (any tag): unknown
report:36:5: main: MPI_Probe: unknown
report:37:5: main: MPI_Iprobe (any source): unknown
report:38:5: main: MPI_Improbe: unknown
report:40:5: main: MPI_Test: unknown
report:41:5: main: MPI_Testall: unknown
report:42:5: main: MPI_Waitany: unknown
report:43:5: main: MPI_Waitsome: unknown
report:46:5: main: MPI_Test_cancelled: unknown
report: 17 sites
*/
