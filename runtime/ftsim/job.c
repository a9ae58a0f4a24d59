/* Values derived from a job's fields (job.h). */
#include "ftsim/job.h"
#include <math.h>
#include <string.h>
#include "ftsim/forms.h"

static const char *const names[SIM_PROTECTIONS] = {"coordinated", "levels", "clusters", "combined",
                                                   "replication"};

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
                            .spares = 0.05,
                            .loggers = 0.01,
                            .cluster = 64,
                            .rework = 1,
                            .local_every = 10,
                            .local_covers = 0.95,
                            .degree = 1,
                            .recreate = INFINITY};
    for (int i = 0; i < SIM_PROTECTIONS; i++)
        job->protections[i] = true;
}

const char *sim_protection_name(enum sim_protection protection)
{
    return names[protection];
}

bool sim_protection_find(const char *name, enum sim_protection *protection)
{
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        if (!strcmp(name, names[i])) {
            *protection = (enum sim_protection)i;
            return true;
        }
    }
    return false;
}

/* Seconds for `nodes` nodes that write or read at the same time. */
static double transfer(const struct sim_job *job, double nodes, double shared)
{
    return fmax(job->bytes / job->node_bandwidth, nodes * job->bytes / shared);
}

/* A node of the combined protocol writes to its logger, and a level beside the nodes to the
 * partner: both as fast as a node can write. */
double sim_job_write(const struct sim_job *job, enum sim_protection protection)
{
    if (protection == SIM_COMBINED || protection == SIM_LEVELS)
        return job->bytes / job->node_bandwidth;
    return transfer(job, job->nodes, job->shared_bandwidth);
}

double sim_job_read(const struct sim_job *job, enum sim_protection protection)
{
    double shared = job->read_bandwidth > 0 ? job->read_bandwidth : job->shared_bandwidth;

    if (protection == SIM_COMBINED || protection == SIM_LEVELS)
        return job->bytes / job->node_bandwidth;
    return transfer(job, protection == SIM_CLUSTERS ? job->cluster : job->nodes, shared);
}

double sim_job_pause(const struct sim_job *job, enum sim_protection protection)
{
    return job->pause > 0 ? job->pause : sim_job_write(job, protection);
}

double sim_job_exposed(const struct sim_job *job, enum sim_protection protection)
{
    return protection == SIM_REPLICATION ? job->nodes + round(job->nodes * job->degree)
                                         : job->nodes;
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

    return protection == SIM_REPLICATION ? replicated_mtti(job, node) : node / job->nodes;
}

/* The combined protocol keeps the interval of coordinated checkpoints, to which it falls back
 * (Riesen et al., section II). */
double sim_job_interval(const struct sim_job *job, enum sim_protection protection)
{
    double pause = sim_job_pause(job, protection == SIM_COMBINED ? SIM_COORDINATED : protection);
    double mtti = sim_job_mtti(job, protection);

    if (job->interval == SIM_GIVEN)
        return job->seconds;
    return job->interval == SIM_YOUNG ? sim_form_young_interval(pause, mtti)
                                      : sim_form_daly_interval(pause, mtti);
}
