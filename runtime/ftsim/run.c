/* One simulated run (run.h), from failure to failure.
 *
 * The job's progress is the work that is done, in seconds. It grows while the job computes,
 * stands while a checkpoint stops it or somebody is waited for, and falls when all ranks roll
 * back. A node or a cluster that rolls back alone does its lost work again beside the others,
 * which wait for it: the job is tightly coupled. */
#include "ftsim/run.h"
#include <math.h>
#include <stdlib.h>

struct life {
    const struct sim_job *job;
    enum sim_protection protection;
    bool levels;
    struct sim_machine *machine;
    struct sim_result *result;
    double interval, pause, write, read;
    double slow;              /* seconds that a second of work takes, 1 or more */
    double now;               /* seconds since the start */
    double progress;          /* seconds of work done */
    double saved;             /* progress at the last checkpoint of all that is complete */
    double shared;            /* with levels: the same of the shared file system */
    double due;               /* progress at which the next checkpoint begins */
    double pausing;           /* time until which a checkpoint stops the job */
    double pending;           /* progress of a checkpoint that is being written; negative: none */
    double committed;         /* time at which it is complete */
    bool to_shared;           /* it goes to the shared file system */
    unsigned long checkpoint; /* number of the last one */
    double waiting;           /* time until which the job waits for restarts */
    uint32_t *dead;           /* by slot: the generation in which this copy died */
    long unreplaced;          /* dead copies for which no node was taken yet */
    double *revived;          /* by slot: when the dead copy is there again */
    uint32_t generation;      /* a restart begins the next one, in which all copies live */
    double *lost_log;         /* by logger: progress at which it lost its log; negative: not */
    struct sim_draw *draw;
};

static void commit(struct life *life)
{
    if (life->pending < 0)
        return;
    life->saved = life->pending;
    if (life->to_shared)
        life->shared = life->pending;
    life->pending = -1;
}

/* With levels, each n-th checkpoint goes to the shared file system, and stops the job for as long.
 * The next one begins no sooner than this one is complete. */
static void begin_checkpoint(struct life *life)
{
    double write = life->write, pause = life->pause;

    commit(life);
    life->checkpoint++;
    life->to_shared =
        !life->levels || life->checkpoint % (unsigned long)life->job->local_every == 0;
    if (life->levels && life->to_shared) {
        write = sim_job_write(life->job, SIM_COORDINATED);
        pause = life->job->pause > 0 ? life->job->pause : write;
    }
    life->pending = life->progress;
    life->pausing = life->now + pause;
    life->committed = life->now + fmax(pause, write);
    life->due =
        life->progress + fmax(life->interval, (life->committed - life->pausing) / life->slow);
}

/* Lets time pass up to `until`, or to the job's end. */
static void advance(struct life *life, double until)
{
    while (life->now < until && life->progress < life->job->work) {
        if (life->now < life->waiting) {
            double step = fmin(until, life->waiting);

            life->result->stalled += step - life->now;
            life->now = step;
        } else if (life->now < life->pausing) {
            double step = fmin(until, life->pausing);

            life->result->checkpoints += step - life->now;
            life->now = step;
        } else {
            double goal = fmin(life->job->work, life->due);
            double end = life->now + (goal - life->progress) * life->slow;

            if (end <= until) {
                life->now = end;
                life->progress = goal;
                if (goal < life->job->work)
                    begin_checkpoint(life);
            } else {
                life->progress += (until - life->now) / life->slow;
                life->now = until;
            }
        }
        if (life->committed <= life->now)
            commit(life);
    }
}

static void give_up(struct life *life)
{
    life->now = INFINITY;
}

/* Lost nodes are replaced; the time from which the last replacement is there. */
static double replace(struct life *life, long count)
{
    double there = life->now;

    while (count-- > 0 && isfinite(there))
        there = fmax(there, sim_machine_replace(life->machine, life->now));
    if (isinf(there))
        give_up(life);
    return there;
}

/* All ranks roll back to `to`; `read` is how long reading takes, `there` when all nodes are. */
static void restart(struct life *life, double to, double read, double there)
{
    life->result->restarts++;
    life->progress = life->saved = to;
    life->due = to + life->interval;
    life->pending = -1;
    life->pausing = life->now;
    life->generation++;
    life->unreplaced = 0;
    life->waiting = there + life->job->restart + read;
    for (double i = 0; life->lost_log && i < ceil(life->job->nodes * life->job->loggers); i++)
        life->lost_log[(size_t)i] = -1;
}

/* Whether this failure takes a checkpoint beside the nodes with it, so that the last shared one is
 * needed. */
static bool is_uncovered(struct life *life)
{
    return life->levels && sim_draw_uniform(life->draw) >= sim_job_covered(life->job);
}

/* All ranks roll back after `lost` nodes are to be replaced. */
static void fail_all(struct life *life, long lost)
{
    bool uncovered = is_uncovered(life);
    double there = replace(life, lost);

    if (uncovered)
        restart(life, life->shared, sim_job_read(life->job, SIM_COORDINATED), there);
    else
        restart(life, life->saved, life->read, there);
}

/* One cluster rolls back to its last checkpoint, and catches up beside others that do so. */
static void fail_cluster(struct life *life)
{
    bool uncovered = is_uncovered(life);
    double to = uncovered ? life->shared : life->saved;
    double read = uncovered ? sim_job_read(life->job, SIM_CLUSTERS) : life->read;
    double lost = (life->progress - to) / life->job->rework * life->slow;
    life->result->contained++;
    life->waiting = fmax(life->waiting, replace(life, 1) + life->job->restart + read + lost);
}

/* One node rolls back, and all others wait for it. As in the model of Riesen et al. nodes catch
 * up one after the other, and each has lost two thirds of an interval in the mean, wherever the
 * job is: their equation says interval / 1.5. */
static void fail_node(struct life *life)
{
    double lost = life->interval *
                  fmax(sim_draw_uniform(life->draw), sim_draw_uniform(life->draw)) * life->slow;
    double there = replace(life, 1);

    life->result->contained++;
    life->waiting = fmax(life->waiting, there) + life->job->restart + life->read + lost;
}

/* A logger serves the nodes whose number is congruent to its own. A logger that fails loses
 * their logs up to the next checkpoint; if one of them fails before that, all roll back (Riesen
 * et al., figure 2). */
static void fail_combined(struct life *life, long node)
{
    long loggers = (long)ceil(life->job->nodes * life->job->loggers);

    if (node >= (long)life->job->nodes) {
        replace(life, 1);
        life->lost_log[node - (long)life->job->nodes] = life->progress;
    } else if (loggers > 0 && life->lost_log[node % loggers] >= life->saved) {
        restart(life, life->saved, sim_job_read(life->job, SIM_COORDINATED), replace(life, 1));
    } else {
        fail_node(life);
    }
}

static bool is_dead(const struct life *life, long slot)
{
    return life->dead[slot] == life->generation && life->revived[slot] > life->now;
}

/* Slot r is the first copy of rank r, slot nodes + r its second one. */
static void fail_copy(struct life *life, long slot)
{
    long nodes = (long)life->job->nodes;
    long other = slot < nodes ? slot + nodes : slot - nodes;
    bool has_other = other < (long)sim_job_exposed(life->job, SIM_REPLICATION);

    if (has_other && !is_dead(life, other)) {
        life->result->absorbed++;
        life->dead[slot] = life->generation;
        life->revived[slot] = INFINITY;
        life->waiting = fmax(life->waiting, life->now) + life->job->takeover;
        if (isfinite(life->job->recreate))
            life->revived[slot] =
                sim_machine_replace(life->machine, life->now) + life->job->recreate;
        else
            life->unreplaced++;
        return;
    }
    fail_all(life, life->unreplaced + 1);
}

static void fail(struct life *life, long node)
{
    if (life->dead && is_dead(life, node)) /* it cannot fail again */
        return;
    life->result->failures++;
    sim_machine_lose(life->machine, life->now);
    switch (sim_protection_base(life->protection)) {
    case SIM_CLUSTERS:
        fail_cluster(life);
        break;
    case SIM_COMBINED:
        fail_combined(life, node);
        break;
    case SIM_REPLICATION:
        fail_copy(life, node);
        break;
    default:
        fail_all(life, 1);
    }
}

/* Loggers fail like other nodes; only the combined protocol has any. */
static double failing_nodes(const struct sim_job *job, enum sim_protection protection)
{
    return sim_job_exposed(job, protection) +
           (protection == SIM_COMBINED ? ceil(job->nodes * job->loggers) : 0);
}

static int open_life(struct life *life, const struct sim_log *log)
{
    double nodes = failing_nodes(life->job, life->protection);
    bool copies = sim_protection_base(life->protection) == SIM_REPLICATION;

    life->generation = 1;
    life->pending = -1;
    life->levels = sim_protection_has_levels(life->protection);
    life->due = life->interval;
    life->slow = sim_job_slowness(life->job, life->protection);
    life->pause = sim_job_pause(life->job, life->protection);
    life->write = sim_job_write(life->job, life->protection);
    life->read = sim_job_read(life->job, life->protection);
    life->machine = sim_machine_create(life->job, nodes, log, life->draw);
    if (copies) {
        life->dead = calloc((size_t)nodes, sizeof(*life->dead));
        life->revived = calloc((size_t)nodes, sizeof(*life->revived));
    }
    if (life->protection == SIM_COMBINED) {
        size_t loggers = (size_t)ceil(life->job->nodes * life->job->loggers);

        life->lost_log = malloc((loggers + 1) * sizeof(*life->lost_log));
        for (size_t i = 0; life->lost_log && i < loggers; i++)
            life->lost_log[i] = -1;
    }
    return life->machine && (!copies || (life->dead && life->revived)) &&
                   (life->protection != SIM_COMBINED || life->lost_log)
               ? 0
               : -1;
}

static void close_life(struct life *life)
{
    sim_machine_destroy(life->machine);
    free(life->dead);
    free(life->revived);
    free(life->lost_log);
}

int sim_run(const struct sim_job *job, enum sim_protection protection, double interval,
            const struct sim_log *log, uint64_t seed, uint64_t run, struct sim_result *result)
{
    struct sim_draw draw = sim_draw_begin(seed, run * SIM_PROTECTIONS + protection);
    struct life life = {.job = job,
                        .protection = protection,
                        .result = result,
                        .interval = interval,
                        .draw = &draw};
    double limit = SIM_LIMIT * job->work;
    int code = open_life(&life, log);

    *result = (struct sim_result){0};
    while (!code && life.progress < job->work && life.now < limit &&
           result->failures < SIM_FAILURES) {
        long node;
        double failure = sim_machine_fail(life.machine, &node);

        advance(&life, failure);
        if (life.progress < job->work)
            fail(&life, node);
    }
    result->finished = !code && life.progress >= job->work;
    result->time = result->finished ? life.now : INFINITY;
    result->spares = code ? 0 : (double)sim_machine_spares_most(life.machine);
    close_life(&life);
    return code;
}
