/* Advice (advise.h). */
#include "ftsim/advise.h"
#include <math.h>
#include <stdlib.h>

/* ftrun's options for a protection; NULL: ftrun does not have it. */
static const char *options_of(const struct sim_job *job, enum sim_protection protection, char *text,
                              size_t size)
{
    switch (protection) {
    case SIM_COORDINATED:
        return "";
    case SIM_CLUSTERS:
        snprintf(text, size, "--clusters %.0f ", ceil(job->nodes / job->cluster));
        return text;
    default:
        return NULL;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct sim_sample *first = a, *second = b;
    double one = 2 * first->unfinished > first->runs ? INFINITY : first->time.mean;
    double two = 2 * second->unfinished > second->runs ? INFINITY : second->time.mean;

    return (one > two) - (one < two);
}

static void print_choice(FILE *out, const struct sim_job *job, const struct sim_sample *sample)
{
    char time[32], interval[32], options[64];

    fprintf(out, "take %s: %s, %.1f %% useful; a checkpoint each %s; %.0f spare nodes are enough\n",
            sim_protection_name(sample->protection), sim_duration(sample->time.mean, time),
            100 * sim_sample_efficiency(job, sample), sim_duration(sample->interval, interval),
            ceil(sample->spares));
    fprintf(out, "  ftrun %s--checkpoint-interval %.0f ...\n",
            options_of(job, sample->protection, options, sizeof(options)),
            fmax(sample->interval, 1));
}

int sim_advise_print(FILE *out, const struct sim_point *point)
{
    struct sim_sample sorted[SIM_PROTECTIONS];
    const struct sim_sample *best = NULL;
    char options[64], time[32];
    int others = 0;

    for (int i = 0; i < point->count; i++)
        sorted[i] = point->samples[i];
    qsort(sorted, (size_t)point->count, sizeof(sorted[0]), by_time);
    for (int i = 0; i < point->count && !best; i++) {
        if (options_of(&point->job, sorted[i].protection, options, sizeof(options)) &&
            2 * sorted[i].unfinished <= sorted[i].runs)
            best = &sorted[i];
    }
    if (!best) {
        fputs("no protection of ftrun brings this job to its end: fewer nodes, more bandwidth, or "
              "smaller "
              "checkpoints are needed\n",
              out);
        return -1;
    }
    print_choice(out, &point->job, best);
    for (int i = 0; i < point->count && others < 2; i++) {
        if (&sorted[i] == best || 2 * sorted[i].unfinished > sorted[i].runs)
            continue;
        fprintf(out, "%s %s: %s (%+.1f %%)%s\n", others ? "then" : "next",
                sim_protection_name(sorted[i].protection), sim_duration(sorted[i].time.mean, time),
                100 * (sorted[i].time.mean / best->time.mean - 1),
                options_of(&point->job, sorted[i].protection, options, sizeof(options))
                    ? ""
                    : "; ftrun does not have it");
        others++;
    }
    return 0;
}
