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
                "%-12s does not finish: %d of %d runs needed more than %d times the work, or had "
                "no node left\n",
                sim_protection_name(sample->protection), sample->unfinished, sample->runs,
                SIM_LIMIT);
        return;
    }
    fprintf(out, "%-12s %9s +-%-8s %5.1f %% %12.4g %9.1f %9.1f %9.1f %7.0f  %-9s %4d\n",
            sim_protection_name(sample->protection), sim_duration(sample->time.mean, time),
            sim_duration(sample->time.half, half), 100 * sim_sample_efficiency(job, sample),
            sim_sample_socket_hours(job, sample), sample->failures.mean, sample->restarts.mean,
            sample->contained.mean + sample->absorbed.mean, sample->spares,
            sim_duration(sample->interval, interval), sample->runs);
}

void sim_results_print(FILE *out, const struct sim_point *point)
{
    char work[32];

    fprintf(out, "%s of work on %.0f nodes\n", sim_duration(point->job.work, work),
            point->job.nodes);
    fprintf(out, "%-12s %9s   %-8s %7s %12s %9s %9s %9s %7s  %-9s %4s\n", "protection", "time",
            "(95 %)", "useful", "socket hours", "failures", "restarts", "contained", "spares",
            "interval", "runs");
    for (int i = 0; i < point->count; i++)
        print_sample(out, &point->job, &point->samples[i]);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *sample_json(const struct sim_job *job, const struct sim_sample *sample)
{
    return json_pack(
        "{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f}",
        "protection", sim_protection_name(sample->protection), "runs", sample->runs, "unfinished",
        sample->unfinished, "seconds", number_or_null(sample->time.mean), "seconds_half",
        number_or_null(sample->time.half), "efficiency",
        number_or_null(sim_sample_efficiency(job, sample)), "socket_hours",
        number_or_null(sim_sample_socket_hours(job, sample)), "failures",
        number_or_null(sample->failures.mean), "restarts", number_or_null(sample->restarts.mean),
        "contained", number_or_null(sample->contained.mean), "absorbed",
        number_or_null(sample->absorbed.mean), "checkpoint_seconds",
        number_or_null(sample->checkpoints.mean), "stalled_seconds",
        number_or_null(sample->stalled.mean), "spares", sample->spares, "interval",
        sample->interval, "reserved", sample->reserved);
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
