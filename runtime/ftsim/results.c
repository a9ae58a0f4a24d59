/* Tables and JSON (results.h). */
#include "ftsim/results.h"
#include <jansson.h>
#include <math.h>

const char *sim_duration(double seconds, char *text)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {60, "min"}, {SIM_HOUR, "h"}, {24 * SIM_HOUR, "d"}};
    int i = seconds < 100 ? 0 : seconds < 100 * 60. ? 1 : seconds < 1000. * SIM_HOUR ? 2 : 3;

    if (isinf(seconds))
        snprintf(text, 32, "never");
    else
        snprintf(text, 32, "%.3g %s", seconds / units[i].unit, units[i].name);
    return text;
}

const struct sim_sample *sim_results_best(const struct sim_point *point)
{
    const struct sim_sample *best = NULL;

    for (int i = 0; i < point->count; i++) {
        const struct sim_sample *sample = &point->samples[i];

        if (2 * sample->unfinished <= sample->runs && isfinite(sample->time.mean) &&
            (!best || sample->time.mean < best->time.mean))
            best = sample;
    }
    return best;
}

static void print_sample(FILE *out, const struct sim_job *job, const struct sim_sample *sample)
{
    char time[32], half[32], interval[32];

    if (2 * sample->unfinished > sample->runs) {
        fprintf(out,
                "%-18s does not finish: %d of %d runs needed more than %d times the work, met %d "
                "failures, or had no node left\n",
                sim_protection_name(sample->protection), sample->unfinished, sample->runs,
                SIM_LIMIT, SIM_FAILURES);
        return;
    }
    fprintf(out, "%-18s %9s +-%-8s %5.1f %% %12.4g %9.1f %9.1f %9.1f %7.0f  %-9s %4d\n",
            sim_protection_name(sample->protection), sim_duration(sample->time.mean, time),
            sim_duration(sample->time.half, half), 100 * sim_sample_efficiency(job, sample),
            sim_sample_socket_hours(job, sample), sample->failures.mean, sample->restarts.mean,
            sample->contained.mean + sample->absorbed.mean, sample->spares_most,
            sim_duration(sample->interval, interval), sample->runs);
}

void sim_results_print(FILE *out, const struct sim_point *point)
{
    char work[32];

    fprintf(out, "%s of work on %.0f nodes\n", sim_duration(point->job.work, work),
            point->job.nodes);
    fprintf(out, "%-18s %9s   %-8s %7s %12s %9s %9s %9s %7s  %-9s %4s\n", "protection", "time",
            "(95 %)", "useful", "socket hours", "failures", "restarts", "contained", "spares",
            "interval", "runs");
    for (int i = 0; i < point->count; i++)
        print_sample(out, &point->job, &point->samples[i]);
}

static void set_number(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}

/* A mean, and as NAME_half what its 95 % interval reaches to each side. */
static void set_mean(json_t *object, const char *name, struct sim_mean mean)
{
    char half[64];

    snprintf(half, sizeof(half), "%s_half", name);
    set_number(object, name, mean.mean);
    set_number(object, half, mean.half);
}

static json_t *sample_json(const struct sim_job *job, const struct sim_sample *sample)
{
    json_t *object = json_pack("{s:s, s:i, s:i, s:f, s:f, s:f}", "protection",
                               sim_protection_name(sample->protection), "runs", sample->runs,
                               "unfinished", sample->unfinished, "spares", sample->spares_most,
                               "interval", sample->interval, "reserved", sample->reserved);
    double share = sample->time.half / sample->time.mean;
    double efficiency = sim_sample_efficiency(job, sample);
    double socket_hours = sim_sample_socket_hours(job, sample);

    set_mean(object, "seconds", sample->time);
    set_mean(object, "efficiency", (struct sim_mean){efficiency, efficiency * share});
    set_mean(object, "socket_hours", (struct sim_mean){socket_hours, socket_hours * share});
    set_mean(object, "failures", sample->failures);
    set_mean(object, "restarts", sample->restarts);
    set_mean(object, "contained", sample->contained);
    set_mean(object, "absorbed", sample->absorbed);
    set_mean(object, "checkpoint_seconds", sample->checkpoints);
    set_mean(object, "stalled_seconds", sample->stalled);
    set_mean(object, "spares_mean", sample->spares);
    return object;
}

static json_t *point_json(const struct sim_point *point)
{
    json_t *list = json_array();

    for (int i = 0; i < point->count; i++)
        json_array_append_new(list, sample_json(&point->job, &point->samples[i]));
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "nodes", point->job.nodes, "work",
                     point->job.work, "mtbf", point->job.mtbf, "file_system_bandwidth",
                     point->job.shared_bandwidth, "protections", list);
}

int sim_results_write_json(FILE *out, const struct sim_point *points, int count, uint64_t seed)
{
    json_t *list = json_array(), *root;
    int code;

    for (int i = 0; i < count; i++)
        json_array_append_new(list, point_json(&points[i]));
    root = json_pack("{s:s, s:i, s:I, s:o}", "format", "ftcc-simulation", "version", 1, "seed",
                     (json_int_t)seed, "points", list);
    code = root ? json_dumpf(root, out, JSON_INDENT(1)) : -1;
    json_decref(root);
    return code || fputc('\n', out) == EOF ? -1 : 0;
}
