/* The runs follow one another by the steps of a recovery: ft_rehearse_over kills what is left of a
 * run, and when all of it is dead, ft_recover_next asks ft_rehearse_next whether to go on.
 *
 * Traces lie in STORE/trace/run-K/; those of run 0 stay to the end, the others until they are
 * compared. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "launch/rehearse.h"
#include "launch/rehearse_hang.h"
#include "launch/run.h"
#include "launch/site.h"
#include "verify/verify.h"

static const double look = 2;            /* seconds between two looks at a perturbed run */
static const double least_patience = 60; /* seconds without any call but polls, on any rank */
static const double patience = 10;       /* times the undisturbed run, likewise */
static const double slowing = 4; /* times the undisturbed run that all ranks together may wait */

struct ft_rehearsal {
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

static int make_folder(const char *path)
{
    return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
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

int ft_rehearse_start(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = calloc(1, sizeof(*rehearsal));
    char path[FT_STORE_PATH];

    run->rehearsal = rehearsal;
    ft_store_file(run->store, "trace", path);
    int code = rehearsal ? make_folder(path) : -ENOMEM;
    if (!code && (!(rehearsal->progress = calloc((size_t)run->size, sizeof(uint64_t))) ||
                  !(rehearsal->seen = calloc((size_t)run->size, sizeof(uint64_t)))))
        code = -ENOMEM;
    if (!code) {
        ft_sites_read(run->program.path, &rehearsal->sites);
        struct ft_verify_options options = {.sites = rehearsal->sites,
                                            .program = run->program.path,
                                            .argv = run->program.argv,
                                            .ranks = run->size,
                                            .seed = run->options.seed,
                                            .locate = ft_site_name,
                                            .stopped = is_interrupted};
        code = ft_verify_create(&options, &rehearsal->verify);
    }
    if (code)
        ft_say("%s: %s", path, strerror(-code));
    return code ? FT_EXIT_USAGE : 0;
}

void ft_rehearse_destroy(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;

    if (!rehearsal)
        return;
    ft_verify_destroy(rehearsal->verify);
    ft_sites_destroy(rehearsal->sites);
    free(rehearsal->how);
    free(rehearsal->progress);
    free(rehearsal->seen);
    free(rehearsal);
}

static uint64_t total_calls(const struct ft_run *run)
{
    uint64_t calls = 0;

    for (int i = 0; i < run->size; i++)
        calls += run->members[i].recorder->progress;
    return calls;
}

static void end_hanging(struct ft_run *run, double seconds)
{
    char *places = ft_hang_text(run, run->rehearsal->seen), *how = NULL;

    if (asprintf(&how,
                 "it hung: no call but polls for %.0f s (the undisturbed run took %.1f s in all): "
                 "%s",
                 seconds, run->rehearsal->first, places ? places : "") < 0)
        how = NULL;
    ft_rehearse_over(run, 1, how ? how : "it hung");
    free(how);
    free(places);
}

/* A run that hangs: nothing but polls for longer than computing can take. */
static void on_look(void *context)
{
    struct ft_run *run = context;
    struct ft_rehearsal *rehearsal = run->rehearsal;
    uint64_t calls = total_calls(run);
    double now = ft_loop_now();

    if (calls != rehearsal->calls) {
        rehearsal->calls = calls;
        rehearsal->moved = now;
    }
    if (now - rehearsal->moved >= fmax(least_patience, patience * rehearsal->first)) {
        end_hanging(run, now - rehearsal->moved);
        return;
    }
    for (int i = 0; i < run->size; i++)
        rehearsal->seen[i] = run->members[i].recorder->calls;
    ft_loop_after(run->loop, &rehearsal->limit, look, on_look, run);
}

int ft_rehearse_begin(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;
    char path[FT_STORE_PATH];

    folder_of(run, rehearsal->number, path);
    rehearsal->begun = ft_loop_now();
    rehearsal->differs = 0;
    if (rehearsal->number > 0) {
        ft_output_mute(run->output);
        rehearsal->moved = rehearsal->begun;
        ft_loop_after(run->loop, &rehearsal->limit, look, on_look, run);
    }
    return make_folder(path);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

void ft_rehearse_role(const struct ft_run *run, int rank, struct ft_rehearsal_role *role)
{
    const struct ft_rehearsal *rehearsal = run->rehearsal;
    char path[FT_STORE_PATH];

    folder_of(run, rehearsal->number, path);
    snprintf(role->trace, sizeof(role->trace), "%.3000s/rank-%d", path, rank);
    role->begun = rehearsal->begun;
    role->waiting = slowing * rehearsal->first / run->size;
    role->progress = rehearsal->progress[rank];
    role->seed = rehearsal->number ? mix(run->options.seed, (uint64_t)rehearsal->number) | 1 : 0;
}

static int is_last(const struct ft_run *run)
{
    const struct ft_rehearsal *rehearsal = run->rehearsal;

    return rehearsal->stopped || rehearsal->number + 1 >= run->options.verify ||
           (rehearsal->number == 0 && rehearsal->how);
}

void ft_rehearse_over(struct ft_run *run, int code, const char *how)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;
    char text[128];

    if (run->state >= FT_RUN_CLEARING)
        return;
    rehearsal->over = 1;
    ft_loop_cancel(run->loop, &rehearsal->limit);
    if (rehearsal->number == 0) {
        rehearsal->first = ft_loop_now() - rehearsal->begun;
        rehearsal->code = code;
        for (int i = 0; i < run->size; i++)
            rehearsal->progress[i] = run->members[i].recorder->progress;
    } else if (!how && code != rehearsal->code) {
        snprintf(text, sizeof(text), "it ended with code %d, the undisturbed run with %d", code,
                 rehearsal->code);
        how = text;
    }
    rehearsal->how = how ? strdup(how) : NULL;
    ft_epoch_clear(run, is_last(run) ? FT_RUN_ENDING : FT_RUN_CLEARING);
}

void ft_rehearse_differs(struct ft_run *run, int rank, int stream, uint64_t line)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;
    char text[128];

    if (rehearsal->differs++)
        return;
    snprintf(text, sizeof(text), "rank %d printed line %llu of std%s differently", rank,
             (unsigned long long)line, stream ? "err" : "out");
    ft_verify_advise(rehearsal->verify, rehearsal->number, text);
}

/* A run that was ended has printed less for that reason. */
static void check_output(struct ft_run *run)
{
    uint64_t line;
    int rank, stream;

    if (run->rehearsal->number > 0 && !run->rehearsal->how &&
        ft_output_is_short(run->output, &rank, &stream, &line))
        ft_rehearse_differs(run, rank, stream, line);
}

/* Holds the run that is over against the first one. */
static void take(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;
    char path[FT_STORE_PATH];

    if (!rehearsal->over)
        return;
    rehearsal->over = 0;
    check_output(run);
    folder_of(run, rehearsal->number, path);
    int code = ft_verify_run(rehearsal->verify, rehearsal->number, path, rehearsal->how);
    if (code) {
        ft_say("run %d could not be compared: %s", rehearsal->number, strerror(-code));
        rehearsal->stopped = 1;
        run->code = 1;
    }
    if (rehearsal->number > 0)
        remove_folder(path);
    free(rehearsal->how);
    rehearsal->how = NULL;
}

int ft_rehearse_next(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;

    if (!rehearsal->over)
        return 1; /* the launcher failed: the same run again */
    take(run);
    rehearsal->number++;
    return !rehearsal->stopped;
}

void ft_rehearse_stop(struct ft_run *run, const char *why)
{
    ft_say("%s: run %d of %d is ended", why, run->rehearsal->number + 1, run->options.verify);
    run->rehearsal->stopped = 1;
    ft_finish(run, FT_EXIT_LATER);
}

static void say_line(const char *line)
{
    ft_say("%s", line);
}

static int write_report(struct ft_run *run)
{
    const char *path = run->options.report;
    int code = path ? ft_verify_write(run->rehearsal->verify, path) : 0;

    if (code)
        ft_say("%s: %s", path, strerror(-code));
    return code;
}

/* A first run that failed has said so in its own words, or in ours. */
static int final_code(const struct ft_run *run)
{
    const struct ft_rehearsal *rehearsal = run->rehearsal;

    if (ft_verify_contradictions(rehearsal->verify))
        return FT_EXIT_CONTRADICTED;
    if (run->code)
        return run->code;
    if (rehearsal->code)
        return rehearsal->code;
    return ft_verify_failed(rehearsal->verify) ? 1 : 0;
}

int ft_rehearse_finish(struct ft_run *run)
{
    struct ft_rehearsal *rehearsal = run->rehearsal;

    take(run);
    if (run->interrupted || (rehearsal->stopped && rehearsal->number < 2))
        return run->code ? run->code : 1;
    ft_verify_tell(rehearsal->verify, say_line);
    if (write_report(run) && !run->code)
        run->code = 1;
    return final_code(run);
}

int ft_rehearse_describe(const struct ft_run *run, char *line, int size)
{
    const struct ft_rehearsal *rehearsal = run->rehearsal;

    return snprintf(line, (size_t)size, "verify: run %d of %d (%.0f s)", rehearsal->number + 1,
                    run->options.verify, ft_loop_now() - rehearsal->begun);
}
