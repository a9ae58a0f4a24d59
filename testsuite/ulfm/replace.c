/* Jacobi's iteration on a square whose rows are dealt out in blocks, where new processes take the
 * places of dead ranks. Each few steps all ranks get the whole square; after a death all go on from
 * the newest such square that somebody has. The result, which each rank prints its rows of, is that
 * of an undisturbed run.
 *
 *     replace SIZE STEPS EVERY [RANK:STEP:REPAIRS:HOW...]
 *
 * The rank dies at a step of the life behind so many repairs, HOW: k(ill), e(xit), r(epair: killed
 * on the way into it). Rank 0 reads a factor from its input. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ft.h"

static int rank, size, repairs, words;
static char **word;
static long n, step, first, count;
static double *saved, *square, *rows;
static long saved_step = -1; /* that `saved` belongs to */
static MPI_Comm comm = MPI_COMM_NULL, alone;
static MPI_Datatype row;
static MPI_Request never = MPI_REQUEST_NULL;

static void wrong(const char *what, int code)
{
    printf("WRONG: rank %d: %s, code %d\n", rank, what, code);
    fflush(stdout);
    _exit(9);
}

static void die_at(long at, char how)
{
    for (int i = 0; i < words; i++) {
        int who, when, behind;
        char by;

        if (sscanf(word[i], "%d:%d:%d:%c", &who, &when, &behind, &by) != 4 || who != rank ||
            when != at || behind != repairs || (by == 'r') != (how == 'r'))
            continue;
        if (by == 'e')
            _exit(3);
        kill(getpid(), SIGKILL);
    }
}

/* All lines of `all` from those of each rank. An MPI code. */
static int gather(double *all)
{
    int *counts = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int));
    int code;

    for (int i = 0; i < size; i++) {
        places[i] = (int)(n * i / size);
        counts[i] = (int)(n * (i + 1) / size) - places[i];
    }
    code = MPI_Allgatherv(rows + n, (int)count, row, all, counts, places, row, comm);
    free(counts);
    free(places);
    return code;
}

/* Every rank has the newest square that one of them has. An MPI code. */
static int begin(void)
{
    struct {
        long step;
        int rank;
    } mine = {saved_step, rank}, newest;
    int most, code;

    code = MPI_Allreduce(&mine, &newest, 1, MPI_LONG_INT, MPI_MAXLOC, comm);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Allreduce(&repairs, &most, 1, MPI_INT, MPI_MAX, comm);
    memcpy(square, saved, (size_t)(n * n) * sizeof(double));
    if (code == MPI_SUCCESS)
        code = MPI_Bcast(square, (int)n, row, newest.rank, comm);
    if (code != MPI_SUCCESS)
        return code;
    memcpy(saved, square, (size_t)(n * n) * sizeof(double));
    repairs = most;
    step = saved_step = newest.step;
    memcpy(rows + n, saved + first * n, (size_t)(count * n) * sizeof(double));
    return MPI_SUCCESS;
}

static int halo(void)
{
    int up = rank ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    int code = MPI_Sendrecv(rows + n, 1, row, up, 1, rows + (count + 1) * n, 1, row, down, 1, comm,
                            MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS)
        return code;
    return MPI_Sendrecv(rows + count * n, 1, row, down, 2, rows, 1, row, up, 2, comm,
                        MPI_STATUS_IGNORE);
}

static void relax(void)
{
    double *next = malloc((size_t)((count + 2) * n) * sizeof(double));

    for (long i = 1; i <= count; i++)
        for (long k = 0; k < n; k++)
            next[i * n + k] =
                0.25 * (rows[(i - 1) * n + k] + rows[(i + 1) * n + k] +
                        (k ? rows[i * n + k - 1] : 0) + (k + 1 < n ? rows[i * n + k + 1] : 0));
    memcpy(rows + n, next + n, (size_t)(count * n) * sizeof(double));
    free(next);
}

/* Messages that nobody receives, which no later communicator may meet. */
static void litter(void)
{
    double nothing = -1;
    MPI_Request request;

    MPI_Isend(&nothing, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    if (never == MPI_REQUEST_NULL)
        MPI_Irecv(square, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &never);
}

/* The steps up to the next gathering, and that. An MPI code. */
static int go(long steps, long every)
{
    int code;

    do {
        litter();
        die_at(step, ' ');
        code = halo();
        if (code != MPI_SUCCESS)
            return code;
        relax();
        step++;
    } while (step % every && step < steps);
    return gather(square);
}

/* The program has its types and groups, and the communicators that it is alone in. */
static void look_around(MPI_Group old)
{
    MPI_Group group;
    int code, flag = 0, alike;

    if (never != MPI_REQUEST_NULL)
        MPI_Error_class(MPI_Wait(&never, MPI_STATUS_IGNORE), &code);
    else
        code = MPIX_ERR_REVOKED;
    if (code != MPIX_ERR_REVOKED)
        wrong("a receive of the life before", code);
    if (comm != MPI_COMM_NULL) {
        MPI_Error_class(MPI_Barrier(comm), &code);
        MPIX_Comm_is_revoked(comm, &flag);
        if (code != MPIX_ERR_REVOKED || !flag)
            wrong("a communicator of the life before", code);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_compare(group, old, &alike);
    if (alike != MPI_IDENT)
        wrong("another world", alike);
    MPI_Group_free(&group);
    if (MPI_Barrier(alone) != MPI_SUCCESS || MPI_Barrier(MPI_COMM_SELF) != MPI_SUCCESS)
        wrong("a communicator of this rank alone", 0);
}

static void repair(void)
{
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (comm != MPI_COMM_NULL)
        MPIX_Comm_revoke(comm);
    die_at(step, 'r');
    if (ft_replace() != MPI_SUCCESS)
        wrong("ft_replace", 0);
    if (ft_is_replacement())
        wrong("a survivor is new", 0);
    look_around(world);
    MPI_Group_free(&world);
    repairs++;
}

static int all_good(int code)
{
    int good = code == MPI_SUCCESS;

    if (!good)
        MPIX_Comm_revoke(comm);
    return MPIX_Comm_agree(comm, &good) == MPI_SUCCESS && good;
}

static int work(long steps, long every)
{
    int code = begin();

    while (all_good(code)) {
        if (saved_step >= steps)
            return 1;
        code = go(steps, every);
        if (!all_good(code))
            return 0;
        memcpy(saved, square, (size_t)(n * n) * sizeof(double));
        saved_step = step;
    }
    return 0;
}

static void create(void)
{
    double factor = 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = n * rank / size;
    count = n * (rank + 1) / size - first;
    saved = calloc((size_t)(n * n), sizeof(double));
    square = calloc((size_t)(n * n), sizeof(double));
    rows = calloc((size_t)((count + 2) * n), sizeof(double));
    MPI_Type_contiguous((int)n, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    if (rank == 0 && scanf("%lf", &factor) != 1)
        wrong("no input", 0);
    for (long i = 0; rank == 0 && i < n * n; i++)
        saved[i] = factor * (double)(i * 31 % 101);
    saved_step = rank == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    n = atol(argv[1]);
    words = argc - 4;
    word = argv + 4;
    create();
    for (;;) {
        int code = MPI_Comm_dup(MPI_COMM_WORLD, &comm);

        if (code == MPI_SUCCESS && work(atol(argv[2]), atol(argv[3])))
            break;
        if (code != MPI_SUCCESS)
            comm = MPI_COMM_NULL;
        repair();
    }
    for (long i = 1; i <= count; i++)
        printf("row %ld %.17g %.17g\n", first + i - 1, rows[i * n], rows[i * n + n / 2]);
    MPI_Finalize();
    return 0;
}
