/* ftsim: how a job would fare on a large machine that fails, by protection. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "ftsim/advise.h"
#include "ftsim/from.h"
#include "ftsim/page.h"

enum { USAGE = 2, SWEEP_MOST = 64 };

static const char help[] =
    "usage: ftsim [options] [JOB.lua]\n"
    "Simulates a parallel job on nodes that fail, once for each protection.\n"
    "Without a job: 168 hours on 10,000 nodes, 16 GB a node, 5 years between failures.\n"
    "\n"
    "  --nodes N[,N...]     on so many nodes; several make a sweep\n"
    "  --from EVENTS        costs of a run of ftrun --events\n"
    "  --profile PROFILE    cost of logging, from ftrun --profile\n"
    "  --advise             which protection to take, and the line of ftrun for it\n"
    "  --html FOLDER        plots (SVG) and a page; needs gnuplot\n"
    "  --json FILE          results for programs; - is the standard output\n"
    "  --seed S             of the random numbers (1): same seed, same results\n"
    "  --precision P        simulate until the mean is known within P percent (5)\n"
    "  --runs N             at most so many runs of each protection (200)\n"
    "  --threads N          (one for each core); the results do not depend on it\n"
    "  --help, --version\n"
    "\n"
    "The fields of a job file are in ftsim(1). Exit status: 0; 1 something cannot be\n"
    "read, simulated or written; 2 bad usage or a bad job.\n";

struct options {
    const char *job, *from, *profile, *html, *json;
    double nodes[SWEEP_MOST];
    int count;
    bool advise;
    struct sim_effort effort;
};

static int complain(const char *option, const char *text)
{
    fprintf(stderr, "ftsim: %s %s is not possible; see ftsim --help\n", option, text);
    return -1;
}

static bool number(const char *text, double least, double most, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && *value >= least && *value <= most;
}

static int take_nodes(const char *text, struct options *options)
{
    char *copy = strdup(text), *rest = copy, *word;
    int code = copy ? 0 : -1;

    options->count = 0;
    while (!code && (word = strsep(&rest, ","))) {
        double *nodes = &options->nodes[options->count++];

        if (options->count == SWEEP_MOST || !number(word, 1, 1e7, nodes) || *nodes != floor(*nodes))
            code = complain("--nodes", text);
    }
    free(copy);
    return code;
}

static int take_option(int key, const char *text, struct options *options)
{
    double value;

    switch (key) {
    case 'n':
        return take_nodes(text, options);
    case 'f':
        options->from = text;
        return 0;
    case 'p':
        options->profile = text;
        return 0;
    case 'a':
        options->advise = true;
        return 0;
    case 'w':
        options->html = text;
        return 0;
    case 'j':
        options->json = text;
        return 0;
    case 's':
        if (!number(text, 0, 1e15, &value))
            return complain("--seed", text);
        options->effort.seed = (uint64_t)value;
        return 0;
    case 'e':
        if (!number(text, 0.01, 100, &value))
            return complain("--precision", text);
        options->effort.precision = value / 100;
        return 0;
    case 'r':
        if (!number(text, 1, 1e6, &value))
            return complain("--runs", text);
        options->effort.runs_most = (int)value;
        return 0;
    case 't':
        if (!number(text, 1, 64, &value))
            return complain("--threads", text);
        options->effort.threads = (int)value;
        return 0;
    case 'h':
        fputs(help, stdout);
        return 1;
    case 'V':
        puts("ftsim " FT_VERSION);
        return 1;
    default:
        return -1;
    }
}

/* 0; 1: answered; -1: wrong, and told so. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {{"nodes", required_argument, NULL, 'n'},
                                          {"from", required_argument, NULL, 'f'},
                                          {"profile", required_argument, NULL, 'p'},
                                          {"advise", no_argument, NULL, 'a'},
                                          {"html", required_argument, NULL, 'w'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"precision", required_argument, NULL, 'e'},
                                          {"runs", required_argument, NULL, 'r'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'V'},
                                          {NULL, 0, NULL, 0}};
    int key, code = 0;

    while (code == 0 && (key = getopt_long(argc, argv, "h", table, NULL)) != -1)
        code = take_option(key, optarg, options);
    if (code == 0 && argc - optind > 1) {
        fputs("ftsim: name one job; see ftsim --help\n", stderr);
        return -1;
    }
    if (code == 0)
        options->job = argv[optind];
    return code;
}

static int say(const char *text)
{
    fprintf(stderr, "ftsim: %s\n", text);
    return -1;
}

/* The costs of a real run first, so that a job file may overrule them. 0 or the exit code. */
static int make_job(const struct options *options, struct sim_job *job)
{
    char told[2 * SIM_PATH], why[SIM_WHY + SIM_PATH];

    sim_job_default(job);
    if (options->from) {
        if (sim_from_events(options->from, job, told, sizeof(told), why, sizeof(why)))
            return say(why), 1;
        puts(told);
    }
    if (options->job && sim_job_read_file(options->job, job, why, sizeof(why)))
        return say(why), USAGE;
    if (options->count > 0)
        job->nodes = options->nodes[0];
    if (options->profile && options->advise && job->cluster == 0 &&
        sim_advise_cluster(options->profile, job, &options->effort, why))
        return say(why), 1;
    sim_job_settle(job);
    if (options->profile) {
        if (sim_from_profile(options->profile, job, told, sizeof(told), why))
            return say(why), 1;
        puts(told);
    }
    return 0;
}

struct meter {     /* of the work done, on a terminal */
    int done, all; /* samples */
    time_t begin;
};

static void show(void *context, double share)
{
    const struct meter *meter = context;

    double done = (meter->done + share) / meter->all;

    fprintf(stderr, "\rftsim: %.0f %%, at most %.0f s left ", 100 * done,
            difftime(time(NULL), meter->begin) * (1 / done - 1));
}

static int simulate_point(struct sim_point *point, const struct sim_log *log,
                          const struct sim_effort *effort, struct meter *meter)
{
    point->count = 0;
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        if (!point->job.protections[i])
            continue;
        if (sim_sample_take(&point->job, (enum sim_protection)i, log, effort,
                            &point->samples[point->count++]))
            return say("no memory");
        meter->done++;
    }
    return 0;
}

static int simulate(const struct options *options, const struct sim_job *job,
                    const struct sim_log *log, struct sim_point *points, int count)
{
    struct sim_effort effort = options->effort;
    struct meter meter = {.begin = time(NULL)};
    int code = 0;

    for (int i = 0; i < SIM_PROTECTIONS; i++)
        meter.all += job->protections[i] ? count : 0;
    if (isatty(2)) {
        effort.progress = show;
        effort.context = &meter;
    }
    for (int i = 0; i < count && !code; i++) {
        points[i].job = *job;
        if (options->count > 0)
            points[i].job.nodes = options->nodes[i];
        sim_job_settle(&points[i].job);
        code = simulate_point(&points[i], log, &effort, &meter);
    }
    if (effort.progress)
        fputs("\r\033[K", stderr);
    return code;
}

static int write_json(const char *path, const struct sim_point *points, int count, uint64_t seed)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;
    int code = file ? sim_results_write_json(file, points, count, seed) : -1;

    if (file && file != stdout && fclose(file))
        code = -1;
    if (code)
        fprintf(stderr, "ftsim: %s: %s\n", path, strerror(errno));
    return code;
}

/* 0 or -1. With --json - nothing else is printed. */
static int tell(const struct options *options, const struct sim_point *points, int count)
{
    char why[SIM_WHY + SIM_PATH];
    bool quiet = options->json && !strcmp(options->json, "-");
    int code = 0;

    for (int i = 0; i < count && !quiet; i++) {
        sim_results_print(stdout, &points[i]);
        if (options->advise && sim_advise_print(stdout, &points[i]))
            code = -1;
        if (i + 1 < count)
            putchar('\n');
    }
    if (options->json && write_json(options->json, points, count, options->effort.seed))
        code = -1;
    if (options->html && sim_page_write(options->html, points, count, why, sizeof(why)))
        code = say(why);
    if (fflush(stdout))
        code = say("standard output cannot be written");
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct sim_log log = {0};
    struct sim_job job;
    char why[SIM_WHY + SIM_PATH];

    sim_effort_default(&options.effort);
    int code = read_options(argc, argv, &options);
    if (code)
        return code > 0 ? 0 : USAGE;
    if ((code = make_job(&options, &job)))
        return code;
    if (job.distribution == SIM_RECORDED && sim_log_read(job.failures, &log, why, sizeof(why)))
        return say(why), USAGE;
    int count = options.count > 0 ? options.count : 1;
    struct sim_point *points = calloc((size_t)count, sizeof(*points));
    if (!points)
        return say("no memory"), 1;
    code = simulate(&options, &job, &log, points, count) || tell(&options, points, count);
    free(points);
    free(log.times);
    return code ? 1 : 0;
}
