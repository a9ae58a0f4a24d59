/* Advice (advise.h). */
#include "ftsim/advise.h"
#include <math.h>
#include <stdlib.h>
#include "ftsim/from.h"

int sim_advise_cluster(const char *profile, struct sim_job *job, const struct sim_effort *effort,
                       char *why)
{
    double best = INFINITY, cluster = 1, growth = NAN;

    for (int size = 1; size <= job->nodes; size *= 2) {
        struct sim_job trial = *job;
        struct sim_sample sample;
        char told[2 * SIM_PATH];

        trial.cluster = size;
        if (trial.distribution == SIM_RECORDED)
            trial.distribution = SIM_EXPONENTIAL;
        if (sim_from_profile(profile, &trial, told, sizeof(told), why))
            return -1;
        if (trial.log_growth == growth) /* the profile knows of no larger clusters */
            break;
        growth = trial.log_growth;
        if (sim_sample_take(&trial, SIM_CLUSTERS, NULL, effort, &sample)) {
            snprintf(why, SIM_WHY, "no memory");
            return -1;
        }
        if (2 * sample.unfinished <= sample.runs && sample.time.mean < best) {
            best = sample.time.mean;
            cluster = size;
        }
    }
    job->cluster = cluster;
    return 0;
}

/* Why ftrun cannot give this protection to the job on its nodes; NULL: it can. */
static const char *lack_of(const struct sim_job *job, enum sim_protection protection)
{
    if (sim_protection_base(protection) == SIM_REPLICATION)
        return sim_protection_has_levels(protection)
                   ? "ftrun does not have it: --replicas takes no --local"
                   : "ftrun has it, on twice the nodes (--replicas all)";
    if (sim_protection_has_levels(protection) && job->level == SIM_LOCAL)
        return "ftrun keeps no checkpoint of a node without a copy elsewhere";
    return protection == SIM_COMBINED ? "ftrun does not have it" : NULL;
}

static int by_time(const void *a, const void *b)
{
    const struct sim_sample *first = a, *second = b;
    double one = 2 * first->unfinished > first->runs ? INFINITY : first->time.mean;
    double two = 2 * second->unfinished > second->runs ? INFINITY : second->time.mean;

    return (one > two) - (one < two);
}

/* The protection, and the line of ftrun for it. */
static void print_choice(FILE *out, const struct sim_job *job, const struct sim_sample *sample)
{
    char time[32], interval[32];

    fprintf(out, "take %s: %s, %.1f %% useful; a checkpoint each %s; %.0f spare nodes are enough\n",
            sim_protection_name(sample->protection), sim_duration(sample->time.mean, time),
            100 * sim_sample_efficiency(job, sample), sim_duration(sample->interval, interval),
            sample->spares_most);
    fputs("  ftrun --hostfile NODES", out);
    if (sample->spares_most > 0)
        fprintf(out, " --spares %.0f", sample->spares_most);
    if (sim_protection_base(sample->protection) == SIM_CLUSTERS)
        fprintf(out, " --clusters %.0f", ceil(job->nodes / job->cluster));
    if (sim_protection_has_levels(sample->protection))
        fprintf(out, " --local FOLDER --levels %s,shared:%.0f",
                job->level == SIM_PARTNER ? "partner" : "rs:K+M", job->local_every);
    fprintf(out, " --checkpoint-interval %.0f -n RANKS PROGRAM\n", fmax(sample->interval, 1));
}

int sim_advise_print(FILE *out, const struct sim_point *point)
{
    struct sim_sample sorted[SIM_PROTECTIONS];
    const struct sim_sample *best = NULL;
    char time[32];
    int others = 0;

    for (int i = 0; i < point->count; i++)
        sorted[i] = point->samples[i];
    qsort(sorted, (size_t)point->count, sizeof(sorted[0]), by_time);
    for (int i = 0; i < point->count && !best; i++) {
        if (!lack_of(&point->job, sorted[i].protection) &&
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
        const char *lack = lack_of(&point->job, sorted[i].protection);

        fprintf(out, "%s %s: %s (%+.1f %%)%s%s\n", others ? "then" : "next",
                sim_protection_name(sorted[i].protection), sim_duration(sorted[i].time.mean, time),
                100 * (sorted[i].time.mean / best->time.mean - 1), lack ? "; " : "",
                lack ? lack : "");
        others++;
    }
    return 0;
}
