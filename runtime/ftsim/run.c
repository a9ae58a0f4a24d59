/* One simulated run (run.h), from failure to failure.
 *
 * The job's progress is the work that is done, in seconds. It grows while the job computes, stands
 * while a checkpoint stops it or somebody is waited for, and falls when all ranks go back. A node
 * or a cluster that goes back alone does its lost work again beside the others, which wait for it:
 * the job is tightly coupled. */
#include "ftsim/run.h"
#include <math.h>
#include <stdlib.h>

struct behind { /* a group that does its lost work again */
    long group;
    double until;
};

struct life {
    const struct sim_job *job;
    enum sim_protection protection;
    struct sim_machine *machine;
    struct sim_result *result;
    double interval, pause, write, read;
    double slow;              /* seconds that a second of work takes, 1 or more */
    double now;               /* seconds since the start */
    double progress;          /* seconds of work done */
    double saved;             /* progress at the last checkpoint of all that is complete */
    double shared;            /* with SIM_LEVELS: the same of the shared file system */
    double begun;             /* progress at which the last checkpoint began */
    double pausing;           /* time until which a checkpoint stops the job */
    double pending;           /* progress of a checkpoint that is being written; negative: none */
    double committed;         /* time at which it is complete */
    bool to_shared;           /* it goes to the shared file system */
    unsigned long checkpoint; /* number of the last one */
    double waiting;           /* time until which the job waits for restarts */
    struct behind *behind;    /* groups that are not where the others are */
    size_t behind_count, behind_room;
    uint32_t *dead;      /* by slot: the generation in which this copy died */
    double *revived;     /* by slot: when the dead copy is there again */
    uint32_t generation; /* a restart begins the next one, in which all copies live */
    double *lost_log;    /* by logger: progress at which it lost its log; negative: not */
    struct sim_draw *draw;
};

static void commit(struct life *life)
{
    if (life->pending < 0 || life->committed > life->now)
        return;
    life->saved = life->pending;
    if (life->to_shared)
        life->shared = life->pending;
    life->pending = -1;
}

/* With levels, each n-th checkpoint goes to the shared file system, and stops the job for as long.
 */
static void begin_checkpoint(struct life *life)
{
    double write = life->write, pause = life->pause;

    life->checkpoint++;
    life->to_shared = life->protection != SIM_LEVELS ||
                      life->checkpoint % (unsigned long)life->job->local_every == 0;
    if (life->protection == SIM_LEVELS && life->to_shared) {
        write = sim_job_write(life->job, SIM_COORDINATED);
        pause = life->job->pause > 0 ? life->job->pause : write;
    }
    life->begun = life->pending = life->progress;
    life->pausing = life->now + pause;
    life->committed = life->now + fmax(pause, write);
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
            double goal = fmin(life->job->work, life->begun + life->interval);
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
        commit(life);
    }
}

static void give_up(struct life *life)
{
    life->now = INFINITY;
}

/* A failed node is replaced; the time from which the replacement is there. */
static double replace(struct life *life)
{
    double there = sim_machine_replace(life->machine, life->now);

    if (isinf(there))
        give_up(life);
    return there;
}

/* All ranks go back to `to`; `read` is how long reading takes, `there` when all nodes are. */
static void restart(struct life *life, double to, double read, double there)
{
    life->result->restarts++;
    life->progress = life->begun = to;
    life->saved = to;
    life->pending = -1;
    life->pausing = life->now;
    life->behind_count = 0;
    life->generation++;
    life->waiting = there + life->job->restart + read;
    for (double i = 0; life->lost_log && i < ceil(life->job->nodes * life->job->loggers); i++)
        life->lost_log[(size_t)i] = -1;
}

static void fail_coordinated(struct life *life)
{
    bool local =
        life->protection == SIM_LEVELS && sim_draw_uniform(life->draw) < life->job->local_covers;
    double there = replace(life);

    if (life->protection == SIM_LEVELS && !local)
        restart(life, life->shared, sim_job_read(life->job, SIM_COORDINATED), there);
    else
        restart(life, life->saved, life->read, there);
}

/* The group's entry among those that are behind; NULL without memory for one. */
static struct behind *behind_of(struct life *life, long group)
{
    for (size_t i = 0; i < life->behind_count; i++) {
        if (life->behind[i].group == group)
            return &life->behind[i];
        if (life->behind[i].until <= life->now) /* it has caught up: its entry is free */
            life->behind[i--] = life->behind[--life->behind_count];
    }
    if (life->behind_count == life->behind_room) {
        size_t room = life->behind_room ? 2 * life->behind_room : 16;
        struct behind *more = realloc(life->behind, room * sizeof(*more));

        if (!more)
            return NULL;
        life->behind = more;
        life->behind_room = room;
    }
    life->behind[life->behind_count] = (struct behind){.group = group};
    return &life->behind[life->behind_count++];
}

/* One cluster goes back to its last checkpoint, and catches up beside others that do so. */
static void fail_cluster(struct life *life, long group)
{
    double lost = (life->progress - life->saved) / life->job->rework * life->slow;
    struct behind *behind = behind_of(life, group);

    life->result->contained++;
    if (!behind) {
        give_up(life);
        return;
    }
    behind->until = replace(life) + life->job->restart + life->read + lost;
    life->waiting = fmax(life->waiting, behind->until);
}

/* One node goes back, and all others wait for it. As in the model of Riesen et al. nodes catch up
 * one after the other, and each has lost two thirds of an interval in the mean, wherever the job
 * is: their equation says interval / 1.5. */
static void fail_node(struct life *life)
{
    double lost = life->interval *
                  fmax(sim_draw_uniform(life->draw), sim_draw_uniform(life->draw)) * life->slow;
    double there = replace(life);

    life->result->contained++;
    life->waiting = fmax(life->waiting, there) + life->job->restart + life->read + lost;
}

/* A logger serves the nodes whose number is congruent to its own. A logger that fails loses their
 * logs up to the next checkpoint; if one of them fails before that, all go back (Riesen et al.,
 * figure 2). */
static void fail_combined(struct life *life, long node)
{
    long loggers = (long)ceil(life->job->nodes * life->job->loggers);

    if (node >= (long)life->job->nodes) {
        replace(life);
        life->lost_log[node - (long)life->job->nodes] = life->progress;
    } else if (loggers > 0 && life->lost_log[node % loggers] >= life->saved) {
        restart(life, life->saved, sim_job_read(life->job, SIM_COORDINATED), replace(life));
    } else {
        fail_node(life);
    }
}

static bool is_dead(const struct life *life, long slot)
{
    return life->dead[slot] == life->generation && life->revived[slot] > life->now;
}

/* Slot r is the first copy of rank r, slot nodes + r its second one. A slot whose copy is dead
 * cannot fail. */
static void fail_copy(struct life *life, long slot)
{
    long nodes = (long)life->job->nodes;
    long other = slot < nodes ? slot + nodes : slot - nodes;
    bool has_other = other < (long)sim_job_exposed(life->job, SIM_REPLICATION);

    if (is_dead(life, slot)) {
        life->result->failures--;
        return;
    }
    if (has_other && !is_dead(life, other)) {
        life->result->absorbed++;
        life->dead[slot] = life->generation;
        life->revived[slot] = INFINITY;
        if (isfinite(life->job->recreate))
            life->revived[slot] =
                sim_machine_replace(life->machine, life->now) + life->job->recreate;
        return;
    }
    restart(life, life->saved, life->read, replace(life));
}

static void fail(struct life *life, long node)
{
    life->result->failures++;
    switch (life->protection) {
    case SIM_CLUSTERS:
        fail_cluster(life, node / (long)life->job->cluster);
        break;
    case SIM_COMBINED:
        fail_combined(life, node);
        break;
    case SIM_REPLICATION:
        fail_copy(life, node);
        break;
    default:
        fail_coordinated(life);
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

    life->generation = 1;
    life->pending = -1;
    life->slow = 1 + life->job->overhead[life->protection];
    life->pause = sim_job_pause(life->job, life->protection);
    life->write = sim_job_write(life->job, life->protection);
    life->read = sim_job_read(life->job, life->protection);
    life->machine = sim_machine_create(life->job, nodes, log, life->draw);
    if (life->protection == SIM_REPLICATION) {
        life->dead = calloc((size_t)nodes, sizeof(*life->dead));
        life->revived = calloc((size_t)nodes, sizeof(*life->revived));
    }
    if (life->protection == SIM_COMBINED) {
        size_t loggers = (size_t)ceil(life->job->nodes * life->job->loggers);

        life->lost_log = malloc((loggers + 1) * sizeof(*life->lost_log));
        for (size_t i = 0; life->lost_log && i < loggers; i++)
            life->lost_log[i] = -1;
    }
    return life->machine &&
                   (life->protection != SIM_REPLICATION || (life->dead && life->revived)) &&
                   (life->protection != SIM_COMBINED || life->lost_log)
               ? 0
               : -1;
}

static void close_life(struct life *life)
{
    sim_machine_destroy(life->machine);
    free(life->behind);
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
    while (!code && life.progress < job->work && life.now < limit) {
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
