/* Rounds of one kind of call each, on a communicator that shrinks: in each round one of its ranks dies
 * before, during or behind its calls, by SIGKILL or _exit, the others see an error of the right
 * class, or right data, revoke, agree, shrink, and go on with what is left.
 *
 *     rounds SEED [KIND]     until two ranks are left. Survivors print "ok" and the kinds they met. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "ft.h"

enum { TIMES = 40, LARGE = 1 << 15 };

static MPI_Comm comm;
static int rank, size, world_rank;
static unsigned long long state;
static double *data, *more;

/* The same on all ranks. */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

static void wrong(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(code, text, &length);
    printf("rank %d: %s: code %d (%s)\n", world_rank, what, code, text);
    fflush(stdout);
    _exit(9);
}

static int is_failure(int code)
{
    return code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED ||
           code == MPIX_ERR_PROC_FAILED_PENDING;
}

static int next(void)
{
    return (rank + 1) % size;
}

static int before(void)
{
    return (rank + size - 1) % size;
}

static int count_of(int turn)
{
    return turn % 3 == 0 ? 1 : turn % 3 == 1 ? 500 : LARGE;
}

static void fill(int turn)
{
    for (int i = 0; i < count_of(turn); i++)
        data[i] = turn * 3 + i;
}

static void check(const double *from, int turn, double times)
{
    for (int i = 0; i < count_of(turn); i++)
        if (from[i] != times * (turn * 3 + i))
            wrong("data are wrong", MPI_SUCCESS);
}

/* The two parts of an exchange along the ring fail on their own. */
static int worse(int one, int other)
{
    return one != MPI_SUCCESS ? one : other;
}

static int by_statuses(int code, int count, const MPI_Status statuses[])
{
    if (code != MPI_ERR_IN_STATUS)
        return code;
    for (int i = 0; i < count; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            return statuses[i].MPI_ERROR;
    wrong("MPI_ERR_IN_STATUS without an error", code);
    return code;
}

static int k_send(int turn)
{
    int code;

    fill(turn);
    if (rank % 2 || rank + 1 == size)
        code = MPI_SUCCESS;
    else
        code = MPI_Send(data, count_of(turn), MPI_DOUBLE, rank + 1, 1, comm);
    if (rank % 2 == 0 || code != MPI_SUCCESS)
        return code;
    code = MPI_Recv(more, count_of(turn), MPI_DOUBLE, rank - 1, 1, comm, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        check(more, turn, 1);
    return code;
}

static int k_ssend(int turn)
{
    MPI_Request request;
    MPI_Status status;
    int code, sent;

    fill(turn);
    code = MPI_Irecv(more, count_of(turn), MPI_DOUBLE, before(), 1, comm, &request);
    if (code != MPI_SUCCESS)
        return code;
    sent = MPI_Ssend(data, count_of(turn), MPI_DOUBLE, next(), 1, comm);
    if (sent != MPI_SUCCESS)
        MPI_Comm_call_errhandler(comm, MPIX_ERR_REVOKED), MPIX_Comm_revoke(comm);
    code = MPI_Wait(&request, &status);
    if (code == MPI_SUCCESS)
        check(more, turn, 1);
    return worse(sent, code);
}

static int k_sendrecv(int turn)
{
    int code;

    fill(turn);
    code = MPI_Sendrecv(data, count_of(turn), MPI_DOUBLE, next(), 1, more, count_of(turn),
                        MPI_DOUBLE, before(), 1, comm, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        check(more, turn, 1);
    return code;
}

static int k_waitall(int turn)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int code;

    fill(turn);
    code = MPI_Irecv(more, count_of(turn), MPI_DOUBLE, before(), 1, comm, &request[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Isend(data, count_of(turn), MPI_DOUBLE, next(), 1, comm, &request[1]);
    if (code != MPI_SUCCESS)
        return code;
    code = by_statuses(MPI_Waitall(2, request, status), 2, status);
    if (code == MPI_SUCCESS)
        check(more, turn, 1);
    return code;
}

static int k_waitany(int turn)
{
    MPI_Request request[2];
    int code, index;

    fill(turn);
    code = MPI_Irecv(more, count_of(turn), MPI_DOUBLE, before(), 1, comm, &request[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Isend(data, count_of(turn), MPI_DOUBLE, next(), 1, comm, &request[1]);
    for (int i = 0; i < 2 && code == MPI_SUCCESS; i++)
        code = MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        check(more, turn, 1);
    return code;
}

static int k_any_source(int turn)
{
    int code;

    fill(turn);
    code = MPI_Send(data, 1, MPI_DOUBLE, next(), 1, comm);
    if (code != MPI_SUCCESS)
        return code;
    return MPI_Recv(more, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
}

static int k_any_pending(int turn)
{
    MPI_Request request;
    int code;

    fill(turn);
    code = MPI_Irecv(more, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, &request);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Send(data, 1, MPI_DOUBLE, next(), 1, comm);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (code == MPIX_ERR_PROC_FAILED_PENDING) {
        if (request == MPI_REQUEST_NULL)
            wrong("a pending receive is gone", code);
        MPI_Cancel(&request);
        if (MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS || request != MPI_REQUEST_NULL)
            wrong("a pending receive cannot be cancelled", code);
    }
    return code;
}

static int k_probe(int turn)
{
    MPI_Status status;
    int code;

    fill(turn);
    code = MPI_Send(data, 1, MPI_DOUBLE, next(), 1, comm);
    if (code == MPI_SUCCESS)
        code = MPI_Probe(before(), 1, comm, &status);
    if (code == MPI_SUCCESS)
        code = MPI_Recv(more, 1, MPI_DOUBLE, before(), 1, comm, &status);
    return code;
}

static int k_barrier(int turn)
{
    (void)turn;
    return MPI_Barrier(comm);
}

static int k_bcast(int turn)
{
    int code, root = turn % size;

    if (rank == root)
        fill(turn);
    else
        memset(data, 0, (size_t)count_of(turn) * sizeof(double));
    code = MPI_Bcast(data, count_of(turn), MPI_DOUBLE, root, comm);
    if (code == MPI_SUCCESS)
        check(data, turn, 1);
    return code;
}

static int k_allreduce(int turn)
{
    int code;

    fill(turn);
    code = MPI_Allreduce(data, more, count_of(turn), MPI_DOUBLE, MPI_SUM, comm);
    if (code == MPI_SUCCESS)
        check(more, turn, size);
    return code;
}

static int k_iallreduce(int turn)
{
    MPI_Request request;
    int code;

    fill(turn);
    code = MPI_Iallreduce(data, more, count_of(turn), MPI_DOUBLE, MPI_SUM, comm, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        check(more, turn, size);
    return code;
}

static int k_alltoall(int turn)
{
    int code;

    for (int i = 0; i < size * 100; i++)
        data[i] = rank * 1000 + turn;
    code = MPI_Alltoall(data, 100, MPI_DOUBLE, more, 100, MPI_DOUBLE, comm);
    for (int i = 0; i < size * 100 && code == MPI_SUCCESS; i++)
        if (more[i] != i / 100 * 1000 + turn)
            wrong("data are wrong", code);
    return code;
}

static int k_gather(int turn)
{
    fill(0);
    return MPI_Gather(data, 1, MPI_DOUBLE, more, 1, MPI_DOUBLE, turn % size, comm);
}

static int k_scan(int turn)
{
    fill(turn);
    return MPI_Scan(data, more, count_of(turn), MPI_DOUBLE, MPI_SUM, comm);
}

static int k_agree(int turn)
{
    int flag = 7 & ~(rank == 0 ? turn % 2 : 0), code = MPIX_Comm_agree(comm, &flag);

    if (flag != 7 && flag != 6)
        wrong("the flag is wrong", code);
    if (code == MPI_SUCCESS && flag != (turn % 2 ? 6 : 7))
        wrong("the flag is wrong without a failure", code);
    return code;
}

static int k_iagree(int turn)
{
    MPI_Request request;
    int flag = 1, code = MPIX_Comm_iagree(comm, &flag, &request);

    (void)turn;
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

/* Communicators are made only where all members are known to live. */
static int made_end(int code, MPI_Comm *made)
{
    if (code == MPI_SUCCESS)
        MPI_Comm_free(made);
    return code;
}

static int k_dup(int turn)
{
    MPI_Comm made;

    return turn < 4 ? made_end(MPI_Comm_dup(comm, &made), &made) : MPI_Barrier(comm);
}

static int k_split(int turn)
{
    MPI_Comm made;

    return turn < 4 ? made_end(MPI_Comm_split(comm, rank % 2, 0, &made), &made)
                    : MPI_Barrier(comm);
}

static int k_shrink(int turn)
{
    MPI_Comm made;
    int code, smaller;

    if (turn > 4)
        return MPI_Barrier(comm);
    code = MPIX_Comm_shrink(comm, &made);
    if (code != MPI_SUCCESS)
        wrong("a shrink fails", code);
    MPI_Comm_size(made, &smaller);
    MPI_Comm_free(&made);
    return smaller == size ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED;
}

static const struct kind {
    const char *name;
    int (*call)(int turn);
} kinds[] = {{"send", k_send},           {"ssend", k_ssend},           {"sendrecv", k_sendrecv},
             {"waitall", k_waitall},     {"waitany", k_waitany},       {"any_source", k_any_source},
             {"probe", k_probe},         {"any_pending", k_any_pending},
             {"barrier", k_barrier},     {"bcast", k_bcast},           {"allreduce", k_allreduce},
             {"iallreduce", k_iallreduce}, {"alltoall", k_alltoall},   {"gather", k_gather},
             {"scan", k_scan},           {"agree", k_agree},           {"iagree", k_iagree},
             {"dup", k_dup},             {"split", k_split},           {"shrink", k_shrink}};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int by_exit;

static void die(int number)
{
    (void)number;
    if (by_exit)
        _exit(3);
    kill(getpid(), SIGKILL);
}

/* During: some microseconds from now. */
static void die_soon(unsigned microseconds)
{
    struct itimerval value = {.it_value = {0, (suseconds_t)microseconds + 1}};

    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &value, NULL);
}

static void play(const struct kind *kind)
{
    int victim = (int)draw((unsigned)size), moment = (int)draw(3), code = MPI_SUCCESS;
    unsigned when = draw(3000), turn_of_death = draw(6);

    by_exit = (int)draw(2);
    for (int turn = 0; turn < TIMES && code == MPI_SUCCESS; turn++) {
        if (rank == victim && moment == 0 && turn == (int)turn_of_death)
            die(0);
        if (rank == victim && moment == 1 && turn == (int)turn_of_death)
            die_soon(when);
        code = kind->call(turn);
        if (rank == victim && moment == 2 && turn == (int)turn_of_death)
            die(0);
    }
    if (rank == victim) /* the others may have gone on, or wait for it */
        die(0);
    if (code != MPI_SUCCESS && !is_failure(code))
        wrong(kind->name, code);
    MPIX_Comm_revoke(comm);
}

/* The rest goes on. */
static void shrink(void)
{
    MPI_Comm smaller;
    MPI_Group failed;
    int code, flag = 1, gone, one = 1, all = 0, old = size;

    code = MPIX_Comm_agree(comm, &flag);
    if (code != MPI_SUCCESS && code != MPIX_ERR_PROC_FAILED)
        wrong("agree", code);
    MPIX_Comm_failure_ack(comm);
    code = MPIX_Comm_shrink(comm, &smaller);
    if (code != MPI_SUCCESS)
        wrong("shrink", code);
    MPIX_Comm_get_failed(comm, &failed);
    MPI_Group_size(failed, &gone);
    if (failed != MPI_GROUP_EMPTY)
        MPI_Group_free(&failed);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    comm = smaller;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    code = MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
    if (code != MPI_SUCCESS || all != size || size != old - 1 || gone != 1)
        wrong("the communicator that shrank", code);
    code = MPIX_Comm_agree(comm, &flag); /* the next death is behind all of this */
    if (code != MPI_SUCCESS)
        wrong("agree on the communicator that shrank", code);
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;

    MPI_Init(&argc, &argv);
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    world_rank = rank;
    data = malloc(LARGE * sizeof(double));
    more = malloc(LARGE * sizeof(double));
    while (size > 2) {
        const struct kind *kind = &kinds[draw(KINDS)];

        for (int i = 0; only && i < KINDS; i++)
            if (!strcmp(kinds[i].name, only))
                kind = &kinds[i];
        play(kind);
        shrink();
    }
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
