/* Values derived from a job's fields (job.h). */
#include "ftsim/job.h"
#include <math.h>
#include <string.h>
#include "ftsim/forms.h"

static const double copy_bandwidth = 5e9; /* bytes/s at which a core copies a message into a log */

static const struct {
    const char *name;
    enum sim_protection base;
    bool levels;
} kinds[SIM_PROTECTIONS] = {
    {"coordinated", SIM_COORDINATED, false},
    {"levels", SIM_COORDINATED, true},
    {"clusters", SIM_CLUSTERS, false},
    {"clusters-levels", SIM_CLUSTERS, true},
    {"combined", SIM_COMBINED, false},
    {"replication", SIM_REPLICATION, false},
    {"replication-levels", SIM_REPLICATION, true},
};

/* `written`: how many times its bytes a node writes. A local checkpoint is of use when the node
 * comes back by a reboot; a partner's copy unless both are lost; Reed-Solomon's (8 nodes, any 2 of
 * which may be lost) nearly always. The shares are guesses, for jobs that say nothing better. */
static const struct {
    const char *name;
    double written, covered;
} level_kinds[SIM_LEVEL_KINDS] = {
    {"local", 1, NAN}, {"partner", 2, 0.95}, {"reed-solomon", 1.25, 0.99}};

void sim_job_default(struct sim_job *job)
{
    *job = (struct sim_job){.work = 168. * SIM_HOUR,
                            .nodes = 10000,
                            .mtbf = 5 * SIM_YEAR,
                            .sockets = 1,
                            .shape = 0.7,
                            .bytes = 16e9,
                            .node_bandwidth = 5e9,
                            .shared_bandwidth = 0.5e12,
                            .reboot_chance = 0.5,
                            .reboot = 300,
                            .repair = INFINITY,
                            .spares = 0.05,
                            .loggers = 0.01,
                            .rework = 1,
                            .level = SIM_PARTNER,
                            .local_every = 10,
                            .local_covers = NAN,
                            .degree = 1,
                            .recreate = INFINITY};
    for (int i = 0; i < SIM_PROTECTIONS; i++)
        job->protections[i] = true;
}

void sim_job_settle(struct sim_job *job)
{
    if (job->cluster == 0)
        job->cluster = 64;
    job->cluster = fmin(job->cluster, job->nodes);
}

const char *sim_protection_name(enum sim_protection protection)
{
    return kinds[protection].name;
}

bool sim_protection_find(const char *name, enum sim_protection *protection)
{
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        if (!strcmp(name, kinds[i].name)) {
            *protection = (enum sim_protection)i;
            return true;
        }
    }
    return false;
}

bool sim_protection_has_levels(enum sim_protection protection)
{
    return kinds[protection].levels;
}

enum sim_protection sim_protection_base(enum sim_protection protection)
{
    return kinds[protection].base;
}

bool sim_level_find(const char *name, enum sim_level *level)
{
    for (int i = 0; i < SIM_LEVEL_KINDS; i++) {
        if (!strcmp(name, level_kinds[i].name)) {
            *level = (enum sim_level)i;
            return true;
        }
    }
    return false;
}

double sim_job_covered(const struct sim_job *job)
{
    if (!isnan(job->local_covers))
        return job->local_covers;
    return job->level == SIM_LOCAL ? job->reboot_chance : level_kinds[job->level].covered;
}

double sim_job_slowness(const struct sim_job *job, enum sim_protection protection)
{
    enum sim_protection base = sim_protection_base(protection);
    double share = job->overhead[protection] > 0 ? job->overhead[protection] : job->overhead[base];

    return 1 + share + (base == SIM_CLUSTERS ? job->log_growth / copy_bandwidth : 0);
}

/* Seconds for `nodes` nodes that write or read at the same time. */
static double transfer(const struct sim_job *job, double nodes, double shared)
{
    return fmax(job->bytes / job->node_bandwidth, nodes * job->bytes / shared);
}

/* A node of the combined protocol writes to its logger, and a level beside the nodes to itself or
 * to others: as fast as a node can write. */
double sim_job_write(const struct sim_job *job, enum sim_protection protection)
{
    if (sim_protection_has_levels(protection))
        return level_kinds[job->level].written * job->bytes / job->node_bandwidth;
    if (protection == SIM_COMBINED)
        return job->bytes / job->node_bandwidth;
    return transfer(job, job->nodes, job->shared_bandwidth);
}

double sim_job_read(const struct sim_job *job, enum sim_protection protection)
{
    double shared = job->read_bandwidth > 0 ? job->read_bandwidth : job->shared_bandwidth;

    if (protection == SIM_COMBINED || sim_protection_has_levels(protection))
        return job->bytes / job->node_bandwidth;
    return transfer(job, protection == SIM_CLUSTERS ? job->cluster : job->nodes, shared);
}

double sim_job_pause(const struct sim_job *job, enum sim_protection protection)
{
    return job->pause > 0 ? job->pause : sim_job_write(job, protection);
}

double sim_job_exposed(const struct sim_job *job, enum sim_protection protection)
{
    bool copies = sim_protection_base(protection) == SIM_REPLICATION;

    return job->nodes + (copies ? round(job->nodes * job->degree) : 0);
}

double sim_job_reserved(const struct sim_job *job, enum sim_protection protection)
{
    return sim_job_exposed(job, protection) + round(job->nodes * job->spares) +
           (protection == SIM_COMBINED ? ceil(job->nodes * job->loggers) : 0);
}

/* Ranks without a copy interrupt the job at each failure; ranks with one when both are dead. A copy
 * that is made again after h seconds dies in them with probability h / mtbf. */
static double replicated_mtti(const struct sim_job *job, double node)
{
    double pairs = round(job->nodes * job->degree), alone = job->nodes - pairs;
    double rate = alone / node;

    if (pairs > 0 && isfinite(job->recreate) && job->recreate * pairs < node)
        rate += 2 * pairs * job->recreate / (node * node);
    else if (pairs > 0)
        rate += 2 * pairs / (node * sim_form_casanova(pairs));
    return 1 / rate;
}

double sim_job_mtti(const struct sim_job *job, enum sim_protection protection)
{
    double node = job->mtbf / job->sockets;

    return sim_protection_base(protection) == SIM_REPLICATION ? replicated_mtti(job, node)
                                                              : node / job->nodes;
}

/* How long a checkpoint stops the job in the mean: with levels each n-th is a shared one. */
static double mean_pause(const struct sim_job *job, enum sim_protection protection)
{
    double pause = sim_job_pause(job, protection);
    double shared = sim_job_pause(job, SIM_COORDINATED);

    return sim_protection_has_levels(protection) ? pause + (shared - pause) / job->local_every
                                                 : pause;
}

/* The combined protocol keeps the interval of coordinated checkpoints, to which it falls back
 * (Riesen et al., section II). */
double sim_job_interval(const struct sim_job *job, enum sim_protection protection)
{
    double pause = mean_pause(job, protection == SIM_COMBINED ? SIM_COORDINATED : protection);
    double mtti = sim_job_mtti(job, protection);

    if (job->interval == SIM_GIVEN)
        return job->seconds;
    double best = job->interval == SIM_YOUNG ? sim_form_young_interval(pause, mtti)
                                             : sim_form_daly_interval(pause, mtti);
    /* one that is written in the background is complete before the next one begins */
    return job->pause > 0 ? fmax(best, sim_job_write(job, protection)) : best;
}
