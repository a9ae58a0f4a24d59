/* One death; then each call that it concerns, and each that it does not, has the class that it must
 * have.
 *
 *     classes first|last     who dies */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ft.h"

#define MUST(call, wanted) must(#call, call, wanted)

static int world_rank;

static void must(const char *call, int code, int wanted)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;

    MPI_Error_class(code, &class);
    if (class == wanted)
        return;
    MPI_Error_string(code, text, &length);
    printf("rank %d: %s: code %d (%s), not %d\n", world_rank, call, code, text, wanted);
    fflush(stdout);
    _exit(9);
}

/* Messages that came before the death count, and later ones can never come. */
static void receives(MPI_Comm comm, int dead)
{
    int got = 0, flag;
    MPI_Request request;
    MPI_Status status;

    MUST(MPI_Recv(&got, 1, MPI_INT, dead, 1, comm, &status), MPI_SUCCESS);
    if (got != 41)
        must("what was sent before the death", MPI_ERR_OTHER, MPI_SUCCESS);
    MUST(MPI_Recv(&got, 1, MPI_INT, dead, 1, comm, &status), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Probe(dead, 1, comm, &status), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Iprobe(dead, 1, comm, &flag, &status), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Send(&got, 1, MPI_INT, dead, 1, comm), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Ssend(&got, 1, MPI_INT, dead, 1, comm), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status), MPIX_ERR_PROC_FAILED);
    MUST(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request), MPI_SUCCESS);
    MUST(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
    MUST(MPI_Test(&request, &flag, &status), MPIX_ERR_PROC_FAILED_PENDING);
    MUST(MPIX_Comm_failure_ack(comm), MPI_SUCCESS);
    MUST(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    if (flag)
        must("a receive without a message ends", MPI_ERR_OTHER, MPI_SUCCESS);
    MUST(MPI_Cancel(&request), MPI_SUCCESS);
    MUST(MPI_Wait(&request, &status), MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    if (!flag)
        must("a cancelled receive", MPI_ERR_OTHER, MPI_SUCCESS);
}

static void groups(MPI_Comm comm, int dead)
{
    MPI_Group failed, acknowledged, all;
    int size, place = 0, theirs = -1, acked = -1;

    MUST(MPIX_Comm_get_failed(comm, &failed), MPI_SUCCESS);
    MUST(MPIX_Comm_ack_failed(comm, 1, &acked), MPI_SUCCESS);
    MUST(MPIX_Comm_failure_get_acked(comm, &acknowledged), MPI_SUCCESS);
    MPI_Group_size(failed, &size);
    MPI_Comm_group(comm, &all);
    MPI_Group_translate_ranks(acknowledged, 1, &place, all, &theirs);
    if (size != 1 || acked != 1 || theirs != dead)
        must("the groups of failed processes", MPI_ERR_OTHER, MPI_SUCCESS);
    MPI_Group_free(&failed);
    MPI_Group_free(&acknowledged);
    MPI_Group_free(&all);
}

/* Two living ranks of a communicator with a dead one. */
static void living(MPI_Comm comm, int rank, int size, int dead)
{
    int one = (dead + 1) % size, other = (dead + 2) % size, got = 0;

    if (rank == one)
        MUST(MPI_Send(&rank, 1, MPI_INT, other, 5, comm), MPI_SUCCESS);
    if (rank == other)
        MUST(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank == other && got != one)
        must("a message of a living rank", MPI_ERR_OTHER, MPI_SUCCESS);
}

static void agreements(MPI_Comm comm, int rank, int dead)
{
    int flag = rank == (dead ? 0 : 1) ? 6 : 3;
    MPI_Request request;

    MUST(MPIX_Comm_agree(comm, &flag), MPI_SUCCESS); /* acknowledged by all */
    if (flag != 2)
        must("the flag of an agreement", MPI_ERR_OTHER, MPI_SUCCESS);
    flag = 1;
    MUST(MPIX_Comm_iagree(comm, &flag, &request), MPI_SUCCESS);
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void revoked(MPI_Comm comm, int rank, int dead)
{
    int flag = 1, got;
    MPI_Request request;

    if (rank == (dead ? 0 : 1))
        MUST(MPIX_Comm_revoke(comm), MPI_SUCCESS);
    MUST(MPI_Recv(&got, 1, MPI_INT, rank, 77, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    MUST(MPI_Irecv(&got, 1, MPI_INT, rank, 77, comm, &request), MPI_SUCCESS);
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    MUST(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    MUST(MPIX_Comm_is_revoked(comm, &flag), MPI_SUCCESS);
    if (!flag)
        must("a revoked communicator", MPI_ERR_OTHER, MPI_SUCCESS);
    MUST(MPIX_Comm_agree(comm, &flag), MPI_SUCCESS);
}

static void shrunk(MPI_Comm comm, int size)
{
    MPI_Comm smaller[2], made;
    MPI_Request request;
    int left, sum, one = 1;

    MUST(MPIX_Comm_shrink(comm, &smaller[0]), MPI_SUCCESS);
    MUST(MPIX_Comm_ishrink(comm, &smaller[1], &request), MPI_SUCCESS);
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_size(smaller[i], &left);
        MUST(MPI_Comm_dup(smaller[i], &made), MPI_SUCCESS);
        MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made), MPI_SUCCESS);
        if (left != size - 1 || sum != left)
            must("a communicator that shrank", MPI_ERR_OTHER, MPI_SUCCESS);
        MUST(MPI_Comm_free(&made), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    int rank, size, dead, value = 41, sum;
    MPI_Comm comm, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    world_rank = rank;
    dead = !strcmp(argv[1], "first") ? 0 : size - 1;
    MPI_Comm_split(comm, rank == dead, 0, &other);
    for (int i = 0; i < size && rank == dead; i++)
        MPI_Send(&value, 1, MPI_INT, i, 1, comm);
    if (rank == dead)
        raise(SIGKILL);
    MUST(MPI_Barrier(comm), MPIX_ERR_PROC_FAILED);
    receives(comm, dead);
    groups(comm, dead);
    living(comm, rank, size, dead);
    MUST(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other), MPI_SUCCESS);
    agreements(comm, rank, dead);
    revoked(comm, rank, dead);
    shrunk(comm, size);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
