/* rehearse: the runs one after another, each compared with the undisturbed one as soon as it has
 * ended. A run is given ten times the time of the undisturbed one, and some for the failure. */
#include "rehearse/rehearse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "console/say.h"
#include "host/loop.h"
#include "host/program.h"
#include "options/fields.h"
#include "rehearse/attempt.h"
#include "run/still.h"
#include "sites/sites.h"
#include "store/text.h"

static const double grace = 10;        /* seconds that any run may take */
static const double patience = 10;     /* times the undisturbed run, besides */
static const double verify_grace = 30; /* ftrun --verify has a patience of its own, besides */
static const double checkpoints = 5;   /* in the time of the undisturbed run */
static const double overhead = 0.7;    /* seconds that a recovery takes, about */

struct rehearsal {
    struct ft_attempts attempts;
    json_t *document, *runs;  /* the second is a part of the first */
    struct ft_text *expected; /* what the undisturbed run printed */
    int code;                 /* its exit code */
    double first;             /* seconds it took */
    size_t number;            /* of the present run, from 0 */
    double begun;             /* ft_loop_now of the first one */
    int shown;                /* a line of progress stands on the terminal */
};

static double limit_of(const struct rehearsal *rehearsal)
{
    return grace + patience * rehearsal->first;
}

static void print_time(char *text, size_t size, double seconds)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", fmax(1, seconds));
    else
        snprintf(text, size, "%.0f min", seconds / 60);
}

/* "run 3 of 44, about 2 min left". */
static void on_tick(void *context)
{
    struct rehearsal *rehearsal = context;
    size_t count = json_array_size(rehearsal->runs), done = rehearsal->number;
    double since = ft_loop_now() - rehearsal->begun;
    double each = done ? since / (double)done : rehearsal->first + overhead;
    char left[32];

    if (!isatty(STDERR_FILENO))
        return;
    print_time(left, sizeof(left), fmax(0, each * (double)count - since));
    fprintf(stderr, "\rftrun: rehearsal: run %zu of %zu, about %s left\033[K", done + 1, count,
            left);
    rehearsal->shown = 1;
}

static void hide_progress(struct rehearsal *rehearsal)
{
    if (rehearsal->shown)
        fputs("\r\033[K", stderr);
    rehearsal->shown = 0;
}

/* A string of the document. Takes `text`, NULL allowed. */
static json_t *string_of(char *text)
{
    json_t *string = ft_text_json(text ? text : "");

    free(text);
    return string;
}

/* Why nothing can be rehearsed: the words of the run itself. */
static int show_failure(const struct rehearsal *rehearsal, const struct ft_attempt_result *result)
{
    char *text = ft_text_stderr(&rehearsal->attempts);

    fputs(text ? text : "", stderr);
    free(text);
    ft_say("the undisturbed run failed (code %d): there is nothing to rehearse", result->code);
    return result->code ? result->code : 1;
}

/* A code may be a program's answer, which is to be the same after a death; more often it says that
 * the program has not done what it is for. So its words are shown, and it is no success. */
static void note_code(struct rehearsal *rehearsal)
{
    char *text = rehearsal->code ? ft_text_stderr(&rehearsal->attempts) : NULL;

    json_object_set_new(rehearsal->document, "code", json_integer(rehearsal->code));
    if (!rehearsal->code)
        return;
    fputs(text ? text : "", stderr);
    ft_say("the undisturbed run ended with code %d by itself: the others are compared with that",
           rehearsal->code);
    json_object_set_new(rehearsal->document, "stderr", string_of(text));
}

/* Runs it and takes its account. 0; or an exit code, after saying why. */
static int run_undisturbed(struct rehearsal *rehearsal)
{
    struct ft_attempt_order order = {.calls = 1};
    struct ft_attempt_result result;
    const struct ft_options *options = rehearsal->attempts.options;

    ft_attempt_run(&rehearsal->attempts, &order, INFINITY, &result);
    if (result.end != FT_ATTEMPT_ENDED)
        return rehearsal->attempts.signal ? 128 + rehearsal->attempts.signal : 1;
    json_t *account = ft_attempt_events(&rehearsal->attempts);
    const json_t *calls = json_object_get(account, "calls");
    int usable = json_array_size(calls) == (size_t)options->size &&
                 !json_object_get(account, "refused") && !json_object_get(account, "unread") &&
                 !ft_field_number(account, "deaths");
    rehearsal->first = result.seconds;
    rehearsal->code = result.code;
    if (usable)
        rehearsal->runs = ft_rehearse_plan(options, calls);
    json_object_set(rehearsal->document, "determinants", json_object_get(account, "determinants"));
    json_object_set_new(rehearsal->document, "runs", rehearsal->runs);
    json_object_set_new(rehearsal->document, "seconds", json_real(result.seconds));
    json_decref(account);
    if (!usable)
        return show_failure(rehearsal, &result);
    note_code(rehearsal);
    return !rehearsal->runs || ft_text_read(&rehearsal->attempts, &rehearsal->expected) ? 1 : 0;
}

static void set_result(json_t *run, const char *result, char *detail)
{
    json_object_set_new(run, "result", json_string(result));
    json_object_set_new(run, "detail", string_of(detail));
}

static char *sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *sentence(const char *format, ...)
{
    char *text = NULL;
    va_list list;

    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    return length < 0 ? NULL : text;
}

/* Holds a run that has ended against the undisturbed one. */
static void compare(struct rehearsal *rehearsal, json_t *run, const json_t *account, int code)
{
    const char *differs = json_string_value(json_object_get(account, "differs"));
    struct ft_text *found = NULL;
    char *difference = NULL;

    if (ft_text_read(&rehearsal->attempts, &found))
        set_result(run, "failed", sentence("its output cannot be read"));
    else if (code != rehearsal->code)
        set_result(run, "failed",
                   sentence("it ended with code %d instead of %d: %s", code, rehearsal->code,
                            ft_text_said(found)));
    else if ((difference = ft_text_difference(rehearsal->expected, found)) || differs)
        set_result(run, "differed", difference ? difference : sentence("%s", differs));
    else
        set_result(run, "survived", NULL);
    ft_text_destroy(found);
}

static void judge(struct rehearsal *rehearsal, json_t *run, const struct ft_attempt_result *result)
{
    json_t *account = ft_attempt_events(&rehearsal->attempts);
    const char *unread = json_string_value(json_object_get(account, "unread"));

    if (result->end == FT_ATTEMPT_HUNG)
        set_result(run, "hung", sentence("it was ended after %.0f s", limit_of(rehearsal)));
    else if (unread)
        set_result(run, "failed", sentence("its events cannot be read: %s", unread));
    else if (!ft_field_number(account, "deaths"))
        set_result(run, "not reached", sentence("the call was not made"));
    else
        compare(rehearsal, run, account, result->code);
    json_object_set_new(run, "seconds", json_real(result->seconds));
    json_object_set(run, "back", json_object_get(account, "back"));
    json_object_set(run, "of", json_object_get(account, "of"));
    json_object_set(run, "ranks", json_object_get(account, "ranks"));
    json_object_set(run, "why", json_object_get(account, "why"));
    json_decref(account);
}

/* Had the run no space for its files? Then it is not the program that failed. 0, or -1 after a
 * message. */
static int check_space(const struct rehearsal *rehearsal, const json_t *run)
{
    struct ft_text *found = NULL;
    int full = !ft_field_is(run, "result", "survived") &&
               !ft_text_read(&rehearsal->attempts, &found) && ft_text_is_full(found);

    if (full)
        ft_say("rank %d at %s %d of %d: the disk is full; name another folder with --store",
               ft_field_number(run, "rank"), ft_field_text(run, "call"),
               ft_field_number(run, "occurrence"), ft_field_number(run, "times"));
    ft_text_destroy(found);
    return full ? -1 : 0;
}

/* One run of the plan, with more in its order perhaps. 0, or -1 when the rehearsal is over. */
static int try_once(struct rehearsal *rehearsal, json_t *run, int occurrence,
                    struct ft_attempt_order order)
{
    char kill[128];
    struct ft_attempt_result result;

    order.kill = kill;
    order.adversary = ft_field_is(run, "kind", "cluster");
    snprintf(kill, sizeof(kill), "%d@%s:%d", ft_field_number(run, "rank"),
             ft_field_text(run, "call"), occurrence);
    json_object_set_new(run, "occurrence", json_integer(occurrence));
    json_object_set_new(run, "command", string_of(ft_attempt_line(&rehearsal->attempts, &order)));
    ft_attempt_run(&rehearsal->attempts, &order, limit_of(rehearsal), &result);
    if (result.end == FT_ATTEMPT_FAILED || result.end == FT_ATTEMPT_INTERRUPTED)
        return -1;
    judge(rehearsal, run, &result);
    return check_space(rehearsal, run);
}

/* A program that polls does not make the same number of calls each time: the first call of a kind
 * is there whenever the kind is. */
static int try(struct rehearsal *rehearsal, json_t *run, struct ft_attempt_order order)
{
    int planned = ft_field_number(run, "occurrence");

    if (try_once(rehearsal, run, planned, order))
        return -1;
    if (planned == 1 || !ft_field_is(run, "result", "not reached"))
        return 0;
    return try_once(rehearsal, run, 1, order);
}

static int any_result(const struct rehearsal *rehearsal, const char *result)
{
    return ft_rehearse_count(rehearsal->document, NULL, result) > 0;
}

/* Runs that differ prove little when undisturbed runs do: one more of these. 0, or -1. */
static int run_again(struct rehearsal *rehearsal)
{
    struct ft_attempt_order order = {0};
    struct ft_attempt_result result;
    struct ft_text *found = NULL;

    if (!any_result(rehearsal, "differed"))
        return 0;
    ft_attempt_run(&rehearsal->attempts, &order, limit_of(rehearsal), &result);
    if (result.end != FT_ATTEMPT_ENDED || ft_text_read(&rehearsal->attempts, &found))
        return rehearsal->attempts.signal ? -1 : 0;
    char *difference = ft_text_difference(rehearsal->expected, found);
    if (difference)
        json_object_set_new(rehearsal->document, "undisturbed", string_of(difference));
    ft_text_destroy(found);
    return 0;
}

/* The program's table of sites, the caller's; NULL: there are none. */
static struct ft_sites *open_sites(const struct rehearsal *rehearsal)
{
    const struct ft_options *options = rehearsal->attempts.options;
    char *path = ft_program_find(options->program, options->cwd ? options->cwd : ".");
    struct ft_sites *sites = NULL;
    uint32_t count = 0;

    if (path && !ft_sites_read(path, &sites))
        ft_sites_all(sites, &count);
    free(path);
    if (count)
        return sites;
    ft_sites_destroy(sites);
    return NULL;
}

/* Says what and where the sites of a verification's report are. */
static void name_sites(json_t *report, const struct ft_sites *sites)
{
    const char *id;
    json_t *site;

    json_object_foreach (json_object_get(report, "sites"), id, site) {
        const struct ft_site_entry *entry = ft_sites_find(sites, (uint32_t)strtoul(id, NULL, 16));

        if (!entry)
            continue;
        json_object_set_new(site, "place",
                            json_sprintf("%s:%u", ft_sites_text(sites, entry->file), entry->line));
        json_object_set_new(site, "call", json_string(ft_sites_text(sites, entry->call)));
        json_object_set_new(site, "class", json_string(ft_sites_class(entry->class)));
    }
}

/* Why a verification has compared nothing: its own first words, if it had any; what follows them is
 * about its sites. */
static char *failure_of(const struct rehearsal *rehearsal, const struct ft_attempt_result *result)
{
    struct ft_text *found = NULL;
    char *text;

    if (result->end == FT_ATTEMPT_FAILED)
        return sentence("it could not be started");
    if (result->end == FT_ATTEMPT_HUNG)
        return sentence("it was ended after %.0f s", result->seconds);
    if (!ft_text_read(&rehearsal->attempts, &found) && *ft_text_said_first(found))
        text = sentence("%s", ft_text_said_first(found));
    else
        text = sentence("it ended with code %d", result->code);
    ft_text_destroy(found);
    return text;
}

static void run_verification(struct rehearsal *rehearsal, const struct ft_sites *sites)
{
    char path[FT_STORE_PATH];
    struct ft_attempt_order order = {.verify = path};
    struct ft_attempt_result result;

    ft_attempt_file(&rehearsal->attempts, "verify.json", path);
    ft_attempt_run(&rehearsal->attempts, &order,
                   FT_ATTEMPT_VERIFY_RUNS *
                       (limit_of(rehearsal) + ft_still_patience() + verify_grace),
                   &result);
    json_t *report = json_load_file(path, 0, NULL);
    if (report) {
        name_sites(report, sites);
        json_object_set_new(rehearsal->document, "verify", report);
    }
    if (ft_field_number(report, "runs") == 0)
        json_object_set_new(rehearsal->document, "unverified",
                            string_of(failure_of(rehearsal, &result)));
}

/* The failures of the clusters again, with what the document says of patterns believed. 0, or -1
 * when the rehearsal is over. */
static int try_clusters(struct rehearsal *rehearsal, struct ft_attempt_order order)
{
    json_t *trials = json_object_get(rehearsal->document, "trials"), *run;
    size_t i;

    json_array_foreach (rehearsal->runs, i, run) {
        if (!ft_field_is(run, "kind", "cluster"))
            continue;
        json_t *trial = json_copy(run);
        json_array_append_new(trials, trial);
        if (try(rehearsal, trial, order))
            return -1;
    }
    return 0;
}

/* Believes the patterns that ftcc has proved, or the others, too. 0, or -1 when the rehearsal is
 * over. */
static int try_step(struct rehearsal *rehearsal, int proved)
{
    json_t *patterns = json_object_get(rehearsal->document, "patterns");
    char path[FT_STORE_PATH];
    struct ft_attempt_order order = {.trust = path, .content = !proved};
    size_t first = json_array_size(json_object_get(rehearsal->document, "trials"));

    if (!ft_rehearse_step_begin(patterns, proved))
        return 0;
    ft_attempt_file(&rehearsal->attempts, "trust.json", path);
    if (json_dump_file(rehearsal->document, path, 0))
        return ft_say_and(-1, "%s: %s", path, strerror(errno));
    int over = try_clusters(rehearsal, order);
    ft_rehearse_step_judge(rehearsal->document, first);
    return over;
}

/* Finds the patterns that a later run may believe (--trust FILE). Where outcomes are recorded
 * and a death is not survived all the same, nothing is learned. */
static int find_trust(struct rehearsal *rehearsal, const struct ft_sites *sites)
{
    json_t *patterns = ft_rehearse_patterns(sites, json_object_get(rehearsal->document, "verify"));
    int bad = any_result(rehearsal, "differed") || any_result(rehearsal, "failed") ||
              any_result(rehearsal, "hung");

    json_object_set_new(rehearsal->document, "patterns", patterns);
    json_object_set_new(rehearsal->document, "trials", json_array());
    if (!bad && (try_step(rehearsal, 1) || try_step(rehearsal, 0)))
        return -1;
    if (ft_rehearse_step_begin(patterns, 1) + ft_rehearse_step_begin(patterns, 0))
        ft_rehearse_step_end(patterns, FT_TRUST_UNSUPPORTED,
                             "the program does not survive with all outcomes recorded");
    return 0;
}

/* Verifies the verdicts of ftcc. 0, or -1 when the rehearsal is over. */
static int verify(struct rehearsal *rehearsal)
{
    struct ft_sites *sites = open_sites(rehearsal);
    int over = 0;

    if (sites) {
        run_verification(rehearsal, sites);
        over = rehearsal->attempts.signal ? -1 : find_trust(rehearsal, sites);
    }
    ft_sites_destroy(sites);
    return over || rehearsal->attempts.signal ? -1 : 0;
}

static int run_all(struct rehearsal *rehearsal)
{
    json_t *run;

    rehearsal->begun = ft_loop_now();
    rehearsal->attempts.tick = on_tick;
    rehearsal->attempts.context = rehearsal;
    json_array_foreach (rehearsal->runs, rehearsal->number, run) {
        if (try(rehearsal, run, (struct ft_attempt_order){0}))
            return -1;
    }
    rehearsal->attempts.tick = NULL;
    hide_progress(rehearsal);
    return run_again(rehearsal) || verify(rehearsal) ? -1 : 0;
}

static void announce(struct rehearsal *rehearsal)
{
    int deaths = ft_rehearse_count(rehearsal->document, "death", NULL);
    int clusters = ft_rehearse_count(rehearsal->document, "cluster", NULL);
    char text[32];

    print_time(text, sizeof(text), (deaths + clusters) * (rehearsal->first + overhead));
    ft_say("rehearsal: %d deaths, %d failures of a cluster; about %s (the undisturbed run took "
           "%.1f s)",
           deaths, clusters, text, rehearsal->first);
}

static int write_report(const struct rehearsal *rehearsal)
{
    const char *path = rehearsal->attempts.options->survival;
    const char *dot = path ? strrchr(path, '.') : NULL;
    FILE *file = path ? fopen(path, "we") : NULL;
    int failed = 0;

    if (!path)
        return 0;
    if (file && dot && !strcmp(dot, ".html"))
        ft_rehearse_page(rehearsal->document, file);
    else if (file)
        failed = json_dumpf(rehearsal->document, file, JSON_INDENT(1));
    failed |= !file || ferror(file);
    if ((file && fclose(file)) || failed)
        return ft_say_and(1, "%s: %s", path, strerror(errno));
    return 0;
}

/* The identity of the executable; "" for a program that cannot be read, whose undisturbed run
 * will report that. */
static json_t *executable_of(const struct ft_options *options)
{
    char *path = ft_program_find(options->program, options->cwd ? options->cwd : ".");
    uint64_t hash = 0;
    int code = path ? ft_trust_hash(path, &hash) : -ENOENT;

    free(path);
    return code ? json_string("") : json_sprintf("%016llx", (unsigned long long)hash);
}

static int make_document(struct rehearsal *rehearsal)
{
    const struct ft_options *options = rehearsal->attempts.options;
    struct ft_attempt_order order = {0};
    int clusters = ft_rehearse_clusters(options);

    if (clusters < 0)
        return FT_EXIT_USAGE;
    rehearsal->document =
        json_pack("{s:s, s:s, s:o, s:o, s:i, s:i, s:[]}", "schema", FT_REHEARSAL_SCHEMA, "version",
                  FT_VERSION, "executable", executable_of(options), "command",
                  string_of(ft_attempt_line(&rehearsal->attempts, &order)), "ranks", options->size,
                  "clusters", clusters, "patterns");
    return rehearsal->document ? 0 : ft_say_and(1, "no memory");
}

/* The exit code of a rehearsal that has come to its end. */
static int final_code(const struct rehearsal *rehearsal)
{
    if (any_result(rehearsal, "differed") || any_result(rehearsal, "hung") ||
        any_result(rehearsal, "failed"))
        return FT_EXIT_CONTRADICTED;
    return rehearsal->code ? rehearsal->code : !ft_rehearse_tried(rehearsal->document);
}

/* From an open folder to the last words. */
static int rehearse(struct rehearsal *rehearsal)
{
    int code = make_document(rehearsal);

    if (!code)
        code = run_undisturbed(rehearsal);
    if (code)
        return code;
    rehearsal->attempts.interval = rehearsal->first / checkpoints;
    announce(rehearsal);
    int over = run_all(rehearsal);
    hide_progress(rehearsal);
    if (over)
        return rehearsal->attempts.signal ? 128 + rehearsal->attempts.signal : 1;
    ft_rehearse_tell(rehearsal->document);
    code = write_report(rehearsal);
    return code ? code : final_code(rehearsal);
}

int ft_rehearse(const struct ft_options *options)
{
    static struct rehearsal rehearsal;
    int code = ft_attempts_open(&rehearsal.attempts, options);

    if (code)
        return code;
    code = rehearse(&rehearsal);
    ft_text_destroy(rehearsal.expected);
    json_decref(rehearsal.document);
    ft_attempts_close(&rehearsal.attempts);
    return code;
}
