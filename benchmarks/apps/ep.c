/* ep: embarrassingly parallel, in the manner of the NAS parallel benchmarks (report RNR-94-007,
 * section 2.1): pairs of Gaussian deviates by the polar method, counted in square annuli.
 *
 * Communication: nothing but sums. The batches of a rank are cut into steps, and the counts so far
 * are summed by a non-blocking reduction while the next step computes; the final sums are three
 * reductions.
 *
 * Verification: the sums of X and Y against the published ones of classes S, W and A, to 1e-8, and
 * the running counts against the final ones.
 *
 * Points for faults are those of Parchman et al., FTXS'16 (../faults): FaultRecover at the
 * beginning of a step, which a plan reaches in a recovery by its second pass, because ftrun rolls
 * back and computes the step again; FaultReduce before the final sums. */
#include "../../runtime/ft.h"
#include "app.h"

#include <math.h>

enum { BATCH = 1 << 16, ANNULI = 10 };

static const struct {
    char letter;
    int log_pairs;
    double x, y;
} classes[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4},
};

static const uint64_t multiplier = 1220703125, seed = 271828183;

struct sums {
    double x, y, counts[ANNULI];
};

/* Batch `number` of the one sequence that all ranks share. */
static void batch_add(uint64_t number, struct sums *sums)
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
        sums->counts[(int)fmax(fabs(x), fabs(y))] += 1.0;
        sums->x += x;
        sums->y += y;
    }
}

static bool is_close(double value, double truth)
{
    return fabs((value - truth) / truth) <= 1e-8;
}

/* All batches of this rank in `steps` steps; returns the running total of all ranks' counts. */
static double batches_run(long batches, long steps, struct sums *sums)
{
    double running[ANNULI] = {0}, mine[ANNULI], total = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    for (long step = 0; step < steps; step++) {
        FT_FAULT("FaultRecover", step, 0, 0);
        for (long i = app_first(batches, (int)step, (int)steps);
             i < app_first(batches, (int)step + 1, (int)steps); i++)
            if (i % app_ranks == app_rank)
                batch_add((uint64_t)i, sums);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < ANNULI; i++)
            mine[i] = sums->counts[i];
        MPI_Iallreduce(mine, running, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ANNULI; i++)
        total += running[i];
    return total;
}

int main(int argc, char **argv)
{
    long steps = 16;
    const struct app_option options[] = {
        {"steps", &steps, 1, 4096, "parts of the run, with a running sum after each"}, {0}};
    char letter = app_start(argc, argv, "ep", options, "SWA");
    struct sums sums = {0}, all;
    double running, pairs = 0;
    int class = 0;

    while (letter && classes[class].letter != letter)
        class ++;
    app_begin();
    running = batches_run(1L << (classes[class].log_pairs - 16), steps, &sums);
    FT_FAULT("FaultReduce", 0, 0, 0);
    MPI_Allreduce(&sums.x, &all.x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&sums.y, &all.y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(sums.counts, all.counts, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ANNULI; i++)
        pairs += all.counts[i];
    app_print("class %c: sums %.17g %.17g, %.0f pairs", classes[class].letter, all.x, all.y, pairs);
    for (int i = 0; i < ANNULI; i++)
        app_print("annulus %d: %.0f", i, all.counts[i]);
    return app_end(is_close(all.x, classes[class].x) && is_close(all.y, classes[class].y) &&
                   running == pairs);
}
