/* Many runs (sample.h). Runs are taken in batches of a fixed size, and the decision to stop is made
 * between batches, so it does not depend on how many threads there are. */
#include "ftsim/sample.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 5, THREADS_MOST = 64, SEARCH_RUNS = 5, SEARCH_STEPS = 12 };

struct work { /* what the threads of a batch share */
    const struct sim_job *job;
    const struct sim_log *log;
    enum sim_protection protection;
    double interval;
    uint64_t seed;
    int end; /* run numbers below this one are to be simulated */
    atomic_int next;
    atomic_int failed; /* 1: no memory */
    struct sim_result *results;
};

void sim_effort_default(struct sim_effort *effort)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    *effort = (struct sim_effort){.seed = 1,
                                  .threads = cores > 0 ? (int)cores : 1,
                                  .runs_least = 5,
                                  .runs_most = 200,
                                  .precision = 0.05};
}

static void *simulate(void *context)
{
    struct work *work = context;

    for (int run; (run = atomic_fetch_add(&work->next, 1)) < work->end;) {
        if (sim_run(work->job, work->protection, work->interval, work->log, work->seed,
                    (uint64_t)run, &work->results[run]))
            atomic_store(&work->failed, 1);
    }
    return NULL;
}

/* A thread that cannot be started is not missed: the others take its runs. */
static int run_batch(struct work *work, int begin, int end, int threads)
{
    pthread_t others[THREADS_MOST];
    int started = 0;

    atomic_store(&work->next, begin);
    work->end = end;
    while (started < threads - 1 && started < THREADS_MOST && started < end - begin - 1 &&
           !pthread_create(&others[started], NULL, simulate, work))
        started++;
    simulate(work);
    while (started > 0)
        pthread_join(others[--started], NULL);
    return atomic_load(&work->failed) ? -1 : 0;
}

/* The 97.5 % quantile of Student's t with n degrees of freedom (Hill's expansion, 1970, two terms;
 * exact values for few degrees). */
static double student(int n)
{
    static const double few[] = {0,     12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365,  2.306, 2.262, 2.228};
    const double z = 1.959964;

    if (n <= 10)
        return few[n];
    return z + (z * z * z + z) / (4. * n) +
           (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96. * n * n);
}

static struct sim_mean mean_of(const struct sim_result *results, int runs, size_t field)
{
    double sum = 0, squares = 0;
    int count = 0;

    for (int i = 0; i < runs; i++) {
        if (!results[i].finished)
            continue;
        sum += *(const double *)((const char *)&results[i] + field);
        count++;
    }
    if (count == 0)
        return (struct sim_mean){INFINITY, INFINITY};
    for (int i = 0; i < runs; i++) {
        double value = *(const double *)((const char *)&results[i] + field) - sum / count;

        if (results[i].finished)
            squares += value * value;
    }
    double half = count > 1 ? student(count - 1) * sqrt(squares / (count - 1) / count) : INFINITY;
    return (struct sim_mean){sum / count, half};
}

#define MEAN(field) mean_of(results, runs, offsetof(struct sim_result, field))

static void summarize(const struct sim_result *results, int runs, struct sim_sample *sample)
{
    sample->runs = runs;
    sample->unfinished = 0;
    sample->spares_most = 0;
    sample->time = MEAN(time);
    sample->checkpoints = MEAN(checkpoints);
    sample->stalled = MEAN(stalled);
    sample->failures = MEAN(failures);
    sample->restarts = MEAN(restarts);
    sample->contained = MEAN(contained);
    sample->absorbed = MEAN(absorbed);
    sample->spares = MEAN(spares);
    for (int i = 0; i < runs; i++) {
        sample->unfinished += !results[i].finished;
        sample->spares_most = fmax(sample->spares_most, results[i].spares);
    }
}

/* Simulation of a job stops once more than half of its runs have not finished. */
static bool is_known(const struct sim_sample *sample, const struct sim_effort *effort)
{
    if (sample->runs >= effort->runs_most || 2 * sample->unfinished > sample->runs)
        return true;
    return sample->runs >= effort->runs_least &&
           sample->time.half <= effort->precision * sample->time.mean;
}

static int take(struct work *work, const struct sim_effort *effort, struct sim_sample *sample)
{
    int runs = 0, code = 0;

    do {
        int end = runs + BATCH < effort->runs_most ? runs + BATCH : effort->runs_most;

        code = run_batch(work, runs, end, effort->threads);
        runs = end;
        summarize(work->results, runs, sample);
        if (effort->progress)
            effort->progress(effort->context, (double)runs / effort->runs_most);
    } while (!code && !is_known(sample, effort));
    return code;
}

/* The mean time of the first runs at an interval; INFINITY where they do not finish. */
static double try_interval(struct work *work, double interval, int threads)
{
    struct sim_sample sample;

    work->interval = interval;
    if (run_batch(work, 0, SEARCH_RUNS, threads))
        return INFINITY;
    summarize(work->results, SEARCH_RUNS, &sample);
    return sample.unfinished ? INFINITY : sample.time.mean;
}

/* Golden section between a tenth of Daly's interval and ten times it, by logarithms; all trials
 * have the same failures. */
static double search_interval(struct work *work, double start, int threads)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double low = log(start / 10), high = log(start * 10);
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double time_a = try_interval(work, exp(a), threads),
           time_b = try_interval(work, exp(b), threads);

    for (int i = 0; i < SEARCH_STEPS; i++) {
        if (time_a <= time_b) {
            high = b, b = a, time_b = time_a;
            a = high - ratio * (high - low);
            time_a = try_interval(work, exp(a), threads);
        } else {
            low = a, a = b, time_a = time_b;
            b = low + ratio * (high - low);
            time_b = try_interval(work, exp(b), threads);
        }
    }
    return exp((low + high) / 2);
}

int sim_sample_take(const struct sim_job *job, enum sim_protection protection,
                    const struct sim_log *log, const struct sim_effort *effort,
                    struct sim_sample *sample)
{
    int room = effort->runs_most > SEARCH_RUNS ? effort->runs_most : SEARCH_RUNS;
    struct work work = {.job = job,
                        .log = log,
                        .protection = protection,
                        .seed = effort->seed,
                        .results = calloc((size_t)room, sizeof(*work.results))};
    int code = -1;

    *sample = (struct sim_sample){.protection = protection};
    if (work.results) {
        work.interval = sim_job_interval(job, protection);
        if (job->interval == SIM_SEARCH)
            work.interval = search_interval(&work, work.interval, effort->threads);
        code = take(&work, effort, sample);
        sample->interval = work.interval;
        sample->reserved = sim_job_reserved(job, protection);
    }
    free(work.results);
    return code;
}

double sim_sample_efficiency(const struct sim_job *job, const struct sim_sample *sample)
{
    return job->work / sample->time.mean;
}

double sim_sample_socket_hours(const struct sim_job *job, const struct sim_sample *sample)
{
    return sample->reserved * job->sockets * sample->time.mean / SIM_HOUR;
}
