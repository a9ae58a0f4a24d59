/* Costs of a real run (from.h). */
#include "ftsim/from.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ftcluster/profile.h"

struct seen { /* sums over a run's events */
    double ranks, bytes, pause, write, restart, end;
    int checkpoints, restarts;
};

static double number_of(const json_t *event, const char *name)
{
    return json_number_value(json_object_get(event, name));
}

static void take_event(const json_t *event, struct seen *seen)
{
    const char *kind = json_string_value(json_object_get(event, "event"));

    if (!kind)
        return;
    if (!strcmp(kind, "start"))
        seen->ranks = fmax(seen->ranks, number_of(event, "rank") + 1);
    if (!strcmp(kind, "checkpoint-commit") && number_of(event, "ranks") > 0) {
        seen->bytes += number_of(event, "bytes") / number_of(event, "ranks");
        seen->pause += number_of(event, "pause");
        seen->write += number_of(event, "write");
        seen->checkpoints++;
    }
    if (!strcmp(kind, "epoch") && number_of(event, "epoch") > 0) {
        seen->restart += number_of(event, "seconds");
        seen->restarts++;
    }
    if (!strcmp(kind, "end"))
        seen->end = number_of(event, "t");
}

static int read_events(const char *path, struct seen *seen, char *why, size_t size)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    int code = 0;

    if (!file) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    while (!code && getline(&line, &room, file) > 0) {
        json_error_t error;
        json_t *event = json_loads(line, 0, &error);

        number++;
        if (json_is_object(event)) {
            take_event(event, seen);
        } else {
            snprintf(why, size, "%s:%zu: expected an event of ftrun --events", path, number);
            code = -1;
        }
        json_decref(event);
    }
    free(line);
    fclose(file);
    return code;
}

/* Whether a job file could say the same. */
static bool is_possible(const struct sim_job *job)
{
    return job->nodes <= 1e7 && job->bytes >= 0 && job->bytes <= 1e16 && job->pause >= 0 &&
           job->pause <= 1e7 && job->node_bandwidth > 0 && job->node_bandwidth <= 1e15 &&
           job->restart >= 0 && job->restart <= 1e7 && job->work > 0 && job->work <= 1e7 * SIM_HOUR;
}

int sim_from_events(const char *path, struct sim_job *job, char *told, size_t told_size, char *why,
                    size_t size)
{
    struct seen seen = {0};

    if (read_events(path, &seen, why, size))
        return -1;
    if (seen.checkpoints == 0) {
        snprintf(why, size, "%s: the run took no checkpoint, so nothing can be learnt from it",
                 path);
        return -1;
    }
    job->nodes = fmax(seen.ranks, 1);
    job->bytes = seen.bytes / seen.checkpoints;
    job->pause = seen.pause / seen.checkpoints;
    if (seen.write > 0)
        job->node_bandwidth = job->bytes / (seen.write / seen.checkpoints);
    if (seen.restarts > 0)
        job->restart = seen.restart / seen.restarts;
    if (seen.end > 0)
        job->work = seen.end;
    if (!is_possible(job)) {
        snprintf(why, size, "%s: sizes and times in it are not those of a run", path);
        return -1;
    }
    snprintf(told, told_size,
             "from %s: %.0f ranks, %.3g MB a checkpoint, %.3g s pause, %.3g MB/s a rank, %.3g s "
             "from a death to "
             "all ranks back%s",
             path, seen.ranks, job->bytes / 1e6, job->pause, job->node_bandwidth / 1e6,
             job->restart, seen.restarts ? "" : " (nobody died)");
    return 0;
}

/* Bytes that go from one block of `cluster` consecutive ranks to another. */
static double between_blocks(const struct ft_profile *profile, int cluster)
{
    double bytes = 0;

    for (size_t i = 0; i < profile->count; i++) {
        const struct ft_profile_edge *edge = &profile->edge[i];

        if (edge->from / cluster != edge->to / cluster)
            bytes += (double)edge->bytes;
    }
    return bytes;
}

int sim_from_profile(const char *path, struct sim_job *job, char *told, size_t told_size, char *why)
{
    struct ft_profile profile;

    if (ft_profile_read(path, &profile, why))
        return -1;
    int known = profile.ranks > 1 ? profile.ranks / 2 : 1;
    int cluster = job->cluster < known ? (int)job->cluster : known;
    double rate = between_blocks(&profile, cluster) / profile.ranks / profile.seconds;
    job->log_growth = rate;
    snprintf(told, told_size,
             "from %s: clusters of %d ranks log %.3g MB/s a rank, %.2g %% of the time", path,
             cluster, rate / 1e6,
             100 * (sim_job_slowness(job, SIM_CLUSTERS) - 1 - job->overhead[SIM_CLUSTERS]));
    ft_profile_free(&profile);
    return 0;
}
