/* The runs follow one another by the steps of a recovery: ft_verify_runs_over kills what is left of
 * a run, and when all of it is dead, ft_recover_next asks ft_verify_runs_next whether to go on.
 *
 * Traces lie in STORE/trace/run-K/; those of run 0 stay to the end, the others until they are
 * compared. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/folder.h"
#include "host/site.h"
#include "recover/recover.h"
#include "recover/verify_runs.h"
#include "run/verify_hang.h"
#include "verify/verify.h"

static const double look = 2;      /* seconds between two looks at a perturbed run */
static const double patience = 10; /* times the undisturbed run, without any call but polls */
static const double slowing = 4;   /* times the undisturbed run that all ranks together may wait */

struct ft_verify_runs {
    struct ft_verify *verify;
    struct ft_sites *sites;
    int number;         /* of the present run */
    int over;           /* it has ended, and was not taken yet */
    int stopped;        /* no further run is to be started */
    int code;           /* of run 0 */
    char *how;          /* why it did not end by itself; NULL: it did */
    double begun;       /* the present run */
    double first;       /* seconds that run 0 took */
    uint64_t *progress; /* [size] calls of the ranks in run 0 */
    double moved;       /* when a rank of the present run was seen to go on */
    uint64_t calls;     /* of all its ranks at that time, without polls */
    uint64_t *seen;     /* [size] calls of the ranks, with polls, at the last look */
    int differs;        /* its output was said to be different */
    struct ft_timer limit;
};

static void folder_of(const struct ft_run *run, int number, char *path)
{
    char name[32];

    snprintf(name, sizeof(name), "trace/run-%d", number);
    ft_store_file(run->store, name, path);
}

/* Has somebody asked for the end while traces are being read? */
static int is_interrupted(void *context)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    sigset_t pending;

    (void)context;
    sigpending(&pending);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (sigismember(&pending, numbers[i]))
            return 1;
    }
    return 0;
}

int ft_verify_runs_start(struct ft_run *run)
{
    struct ft_verify_runs *runs = calloc(1, sizeof(*runs));
    char path[FT_STORE_PATH];

    run->verify_runs = runs;
    ft_store_file(run->store, "trace", path);
    int code = runs ? ft_folder_make(path) : -ENOMEM;
    if (!code && (!(runs->progress = calloc((size_t)run->size, sizeof(uint64_t))) ||
                  !(runs->seen = calloc((size_t)run->size, sizeof(uint64_t)))))
        code = -ENOMEM;
    if (!code) {
        ft_sites_read(run->program.path, &runs->sites);
        struct ft_verify_options options = {.sites = runs->sites,
                                            .program = run->program.path,
                                            .argv = run->program.argv,
                                            .ranks = run->size,
                                            .seed = run->options.seed,
                                            .locate = ft_site_name,
                                            .stopped = is_interrupted};
        code = ft_verify_create(&options, &runs->verify);
    }
    if (code)
        ft_say("%s: %s", path, strerror(-code));
    return code ? FT_EXIT_USAGE : 0;
}

void ft_verify_runs_destroy(struct ft_run *run)
{
    struct ft_verify_runs *runs = run->verify_runs;

    if (!runs)
        return;
    ft_verify_destroy(runs->verify);
    ft_sites_destroy(runs->sites);
    free(runs->how);
    free(runs->progress);
    free(runs->seen);
    free(runs);
}

static uint64_t total_calls(const struct ft_run *run)
{
    uint64_t calls = 0;

    for (int i = 0; i < run->size; i++)
        calls += ft_progress_of(run->members[i].recorder);
    return calls;
}

static void end_hanging(struct ft_run *run, double seconds)
{
    char *places = ft_hang_text(run, run->verify_runs->seen), *how = NULL;

    if (asprintf(&how,
                 "it hung: no call but polls for %.0f s (the undisturbed run took %.1f s in all): "
                 "%s",
                 seconds, run->verify_runs->first, places ? places : "") < 0)
        how = NULL;
    ft_verify_runs_over(run, 1, how ? how : "it hung");
    free(how);
    free(places);
}

/* A run that hangs: nothing but polls for longer than computing can take. */
static void on_look(void *context)
{
    struct ft_run *run = context;
    struct ft_verify_runs *runs = run->verify_runs;
    uint64_t calls = total_calls(run);
    double now = ft_loop_now();

    if (calls != runs->calls) {
        runs->calls = calls;
        runs->moved = now;
    }
    if (now - runs->moved >= fmax(ft_still_patience(), patience * runs->first)) {
        end_hanging(run, now - runs->moved);
        return;
    }
    for (int i = 0; i < run->size; i++)
        runs->seen[i] = run->members[i].recorder->calls;
    ft_loop_after(run->loop, &runs->limit, look, on_look, run);
}

int ft_verify_runs_begin(struct ft_run *run)
{
    struct ft_verify_runs *runs = run->verify_runs;
    char path[FT_STORE_PATH];

    folder_of(run, runs->number, path);
    runs->begun = ft_loop_now();
    runs->differs = 0;
    if (runs->number > 0) {
        ft_output_mute(run->output);
        runs->moved = runs->begun;
        ft_loop_after(run->loop, &runs->limit, look, on_look, run);
    }
    return ft_folder_make(path);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

void ft_verify_runs_role(const struct ft_run *run, int rank, struct ft_verify_role *role)
{
    const struct ft_verify_runs *runs = run->verify_runs;
    char path[FT_STORE_PATH];

    folder_of(run, runs->number, path);
    snprintf(role->trace, sizeof(role->trace), "%.3000s/rank-%d", path, rank);
    role->begun = runs->begun;
    role->waiting = slowing * runs->first / run->size;
    role->progress = runs->progress[rank];
    role->seed = runs->number ? mix(run->options.seed, (uint64_t)runs->number) | 1 : 0;
}

static int is_last(const struct ft_run *run)
{
    const struct ft_verify_runs *runs = run->verify_runs;

    return runs->stopped || runs->number + 1 >= run->options.verify ||
           (runs->number == 0 && runs->how);
}

void ft_verify_runs_over(struct ft_run *run, int code, const char *how)
{
    struct ft_verify_runs *runs = run->verify_runs;
    char text[128];

    if (run->state >= FT_RUN_CLEARING)
        return;
    runs->over = 1;
    ft_loop_cancel(run->loop, &runs->limit);
    if (runs->number == 0) {
        runs->first = ft_loop_now() - runs->begun;
        runs->code = code;
        for (int i = 0; i < run->size; i++)
            runs->progress[i] = ft_progress_of(run->members[i].recorder);
    } else if (!how && code != runs->code) {
        snprintf(text, sizeof(text), "it ended with code %d, the undisturbed run with %d", code,
                 runs->code);
        how = text;
    }
    runs->how = how ? strdup(how) : NULL;
    ft_epoch_clear(run, is_last(run) ? FT_RUN_ENDING : FT_RUN_CLEARING);
}

void ft_verify_runs_differs(struct ft_run *run, int rank, int stream, uint64_t line)
{
    struct ft_verify_runs *runs = run->verify_runs;
    char text[128];

    if (runs->differs++)
        return;
    snprintf(text, sizeof(text), "rank %d printed line %llu of std%s differently", rank,
             (unsigned long long)line, stream ? "err" : "out");
    ft_verify_advise(runs->verify, runs->number, text);
}

/* A run that was ended has printed less for that reason. */
static void check_output(struct ft_run *run)
{
    uint64_t line;
    int rank, stream;

    if (run->verify_runs->number > 0 && !run->verify_runs->how &&
        ft_output_is_short(run->output, &rank, &stream, &line))
        ft_verify_runs_differs(run, rank, stream, line);
}

/* Holds the run that is over against the first one. */
static void take(struct ft_run *run)
{
    struct ft_verify_runs *runs = run->verify_runs;
    char path[FT_STORE_PATH];

    if (!runs->over)
        return;
    runs->over = 0;
    check_output(run);
    folder_of(run, runs->number, path);
    int code = ft_verify_run(runs->verify, runs->number, path, runs->how);
    if (code) {
        ft_say("run %d could not be compared: %s", runs->number, strerror(-code));
        runs->stopped = 1;
        run->code = 1;
    }
    if (runs->number > 0)
        ft_folder_remove(path);
    free(runs->how);
    runs->how = NULL;
}

int ft_verify_runs_next(struct ft_run *run)
{
    struct ft_verify_runs *runs = run->verify_runs;

    if (!runs->over)
        return 1; /* the launcher failed: the same run again */
    take(run);
    runs->number++;
    return !runs->stopped;
}

void ft_verify_runs_stop(struct ft_run *run, const char *why)
{
    ft_say("%s: run %d of %d is ended", why, run->verify_runs->number + 1, run->options.verify);
    run->verify_runs->stopped = 1;
    ft_finish(run, FT_EXIT_STOPPED);
}

static void say_line(const char *line)
{
    ft_say("%s", line);
}

static int write_report(struct ft_run *run)
{
    const char *path = run->options.report;
    int code = path ? ft_verify_write(run->verify_runs->verify, path) : 0;

    if (code)
        ft_say("%s: %s", path, strerror(-code));
    return code;
}

/* A first run that failed has said so in its own words, or in ours. */
static int final_code(const struct ft_run *run)
{
    const struct ft_verify_runs *runs = run->verify_runs;

    if (ft_verify_contradictions(runs->verify))
        return FT_EXIT_CONTRADICTED;
    if (run->code)
        return run->code;
    if (runs->code)
        return runs->code;
    return ft_verify_failed(runs->verify) ? 1 : 0;
}

int ft_verify_runs_finish(struct ft_run *run)
{
    struct ft_verify_runs *runs = run->verify_runs;

    take(run);
    if (run->interrupted || (runs->stopped && runs->number < 2))
        return run->code ? run->code : 1;
    ft_verify_settle(runs->verify);
    ft_verify_tell(runs->verify, say_line);
    if (write_report(run) && !run->code)
        run->code = 1;
    return final_code(run);
}

int ft_verify_runs_describe(const struct ft_run *run, char *line, int size)
{
    const struct ft_verify_runs *runs = run->verify_runs;

    return snprintf(line, (size_t)size, "verify: run %d of %d (%.0f s)", runs->number + 1,
                    run->options.verify, ft_loop_now() - runs->begun);
}
