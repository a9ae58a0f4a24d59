/* ep_ft: ep, which handles failures itself (ftrun --ulfm), after algorithms 1 and 2 of Parchman et
 * al.: "Adding Fault Tolerance to NPB Benchmarks Using ULFM" (FTXS'16). Nothing is saved: a dead
 * rank's batches are dealt out to the others by a table that all have, and computed again.
 *
 * Communication: one sum at the end, an agreement on its success, and after a failure shrink.
 *
 * Verification: as ep, on whatever ranks are left. */
#include "app.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16, ANNULI = 10, SUMS = ANNULI + 2 };
enum { IN_WORK, AT_SUM }; /* points of death */

static const struct {
    char letter;
    int log_pairs;
    double x, y;
} classes[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4},
    {'B', 30, 4.033815542441498e4, -2.660669192809235e4},
};

static const uint64_t multiplier = 1220703125, seed = 271828183;

static MPI_Comm comm;
static int *worker; /* [batches] world rank that computes, or has computed it */
static char *done;  /* [batches] by this rank */
static long batches, deaths, point;
static double sums[SUMS]; /* x, y, counts of this rank */
static int failures;      /* survived so far */

/* Batch `number` of the one sequence that all ranks share. */
static void batch_add(uint64_t number)
{
    uint64_t state = app_nas_jump(seed, multiplier, 2 * BATCH * number);

    for (int i = 0; i < BATCH; i++) {
        double x = 2.0 * app_nas_random(&state, multiplier) - 1.0;
        double y = 2.0 * app_nas_random(&state, multiplier) - 1.0;
        double square = x * x + y * y;

        if (square > 1.0)
            continue;
        square = sqrt(-2.0 * log(square) / square);
        x *= square;
        y *= square;
        sums[2 + (int)fmax(fabs(x), fabs(y))] += 1.0;
        sums[0] += x;
        sums[1] += y;
    }
}

/* Ranks 1, 2, ... die, one after each failure that was survived. */
static void may_die(int where, int share)
{
    if (where == point && share && app_rank == failures + 1 && app_rank <= deaths)
        raise(SIGKILL);
}

static void work(void)
{
    long mine = 0, at = 0;

    for (long i = 0; i < batches; i++)
        mine += worker[i] == app_rank && !done[i];
    for (long i = 0; i < batches; i++) {
        if (worker[i] != app_rank || done[i])
            continue;
        may_die(IN_WORK, at++ == mine / 2);
        batch_add((uint64_t)i);
        done[i] = 1;
    }
}

/* 1 when all ranks have it. */
static int sum_up(double all[SUMS])
{
    int code, good;

    may_die(AT_SUM, 1);
    code = MPI_Allreduce(sums, all, SUMS, MPI_DOUBLE, MPI_SUM, comm);
    if (code != MPI_SUCCESS)
        MPIX_Comm_revoke(comm);
    good = code == MPI_SUCCESS;
    return MPIX_Comm_agree(comm, &good) == MPI_SUCCESS && good;
}

/* The batches of who is not there any more are dealt out anew, on all ranks alike. */
static void deal_out(MPI_Comm smaller)
{
    int size, next = 0, *alive;
    MPI_Group group, world;
    char *lives = app_alloc((size_t)app_ranks, 1);

    MPI_Comm_size(smaller, &size);
    alive = app_alloc((size_t)size, 2 * sizeof(int));
    MPI_Comm_group(smaller, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < size; i++)
        alive[size + i] = i;
    MPI_Group_translate_ranks(group, size, alive + size, world, alive);
    for (int i = 0; i < size; i++)
        lives[alive[i]] = 1;
    for (long i = 0; i < batches; i++)
        if (!lives[worker[i]])
            worker[i] = alive[next++ % size];
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(alive);
    free(lives);
}

static void recover(void)
{
    MPI_Comm smaller;
    int before, after;

    MPIX_Comm_revoke(comm);
    if (MPIX_Comm_shrink(comm, &smaller) != MPI_SUCCESS)
        app_fail("cannot shrink");
    MPI_Comm_size(comm, &before);
    MPI_Comm_size(smaller, &after);
    failures += before - after;
    MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
    deal_out(smaller);
    comm = smaller;
}

static bool is_close(double value, double truth)
{
    return fabs((value - truth) / truth) <= 1e-8;
}

int main(int argc, char **argv)
{
    const struct app_option options[] = {
        {"deaths", &deaths, 0, 7, "ranks 1, 2, ... that die"},
        {"point", &point, 0, 1, "where: 0: in the middle of their work, 1: at the sum"},
        {0}};
    char letter = app_start(argc, argv, "ep_ft", options, "SWAB");
    double all[SUMS], begun, pairs = 0;
    int class = 0, rank;
    bool good;

    while (letter && classes[class].letter != letter)
        class ++;
    batches = 1L << (classes[class].log_pairs - 16);
    worker = app_alloc((size_t)batches, sizeof(int));
    done = app_alloc((size_t)batches, 1);
    for (long i = 0; i < batches; i++)
        worker[i] = (int)(i % app_ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    begun = MPI_Wtime();
    for (work(); !sum_up(all); work())
        recover();
    for (int i = 0; i < ANNULI; i++)
        pairs += all[2 + i];
    good = is_close(all[0], classes[class].x) && is_close(all[1], classes[class].y);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        printf("class %c: %.0f pairs, %d failures\nep_ft: %s\nseconds %.3f\n",
               classes[class].letter, pairs, failures, good ? "verified" : "WRONG",
               MPI_Wtime() - begun);
    printf("ok\n");
    MPI_Finalize();
    return !good;
}
