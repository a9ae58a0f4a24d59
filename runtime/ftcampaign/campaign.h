/* campaign: many runs of programs with faults, and what became of each (ftcampaign(1)).
 *
 * A campaign is a file of Lua that returns a table. Each combination of program, protocol, number
 * of clusters, plan and seed is one run: an ftrun of its own, compared with the undisturbed run of
 * the program. Results are appended to a file as runs end, so that an interrupted campaign goes on
 * where it was.
 *
 * Thread rule: single threaded. */
#ifndef FT_CAMPAIGN_H
#define FT_CAMPAIGN_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include "ignore/ignore.h"

enum { CAMPAIGN_PATH = 4096, CAMPAIGN_WHY = 512, CAMPAIGN_WORDS = 64 };

struct campaign_program {
    char *name;
    char *words[CAMPAIGN_WORDS]; /* command, with NULL behind it */
    int ranks;
};

struct campaign_protocol {
    char *name;                    /* "coordinated", "spbc" */
    char *called;                  /* in the results; NULL: by name and clusters */
    int clusters;                  /* 0: --clusters is not given */
    char *options[CAMPAIGN_WORDS]; /* for ftrun, with NULL behind them */
};

struct campaign_plan {
    char *name, *text;
};

struct campaign {
    struct campaign_program *programs;
    struct campaign_protocol *protocols;
    struct campaign_plan *plans;
    long *seeds;
    int program_count, protocol_count, plan_count, seed_count;
    char *options[CAMPAIGN_WORDS]; /* for each ftrun, with NULL behind them */
    double limit;                  /* seconds for a run */
    struct ft_ignore ignore;
};

enum campaign_class {
    CAMPAIGN_CONTAINED, /* right, and no rank rolled back that need not */
    CAMPAIGN_WIDER,     /* right, and more rolled back */
    CAMPAIGN_REFUSED,   /* ended with a message */
    CAMPAIGN_MISSED,    /* right, and no fault happened: no evidence */
    CAMPAIGN_WRONG,     /* another output, or another code without a message */
    CAMPAIGN_HUNG,      /* ended by the time limit */
    CAMPAIGN_LEFT,      /* processes or files are left */
    CAMPAIGN_CLASSES
};

extern const char *const campaign_classes[CAMPAIGN_CLASSES];

struct campaign_run { /* one combination; the number counts all of them, from 0 */
    int number, program, protocol, plan, seed;
};

struct campaign_result {
    enum campaign_class class;
    double seconds;
    int code, deaths, faults;
    char why[CAMPAIGN_WHY]; /* a sentence, "" when there is nothing to say */
};

/* read.c: 0; -1 with "FILE:LINE: FIELD: expected ..." in why. campaign_free in both cases. */
int campaign_read(const char *path, struct campaign *campaign, char *why, size_t size);
void campaign_free(struct campaign *campaign);
int campaign_count(const struct campaign *campaign);
struct campaign_run campaign_run_of(const struct campaign *campaign, int number);
/* The run's name in the file of results: it stays the same when the campaign grows. The caller's;
 * NULL: no memory. */
char *campaign_key(const struct campaign *campaign, const struct campaign_run *run);

/* command.c */
/* Fills words (CAMPAIGN_WORDS * 4) with the run's command; `plan` NULL: undisturbed. Strings live
 * in `text`. */
void campaign_command(const struct campaign *campaign, const struct campaign_run *run,
                      const char *ftrun, const char *plan, const char **words);
/* The same as a line for a shell. The caller's; NULL: no memory. */
char *campaign_line(const char *const *words);
/* Writes the plan of a run, with `seed` set, to path. 0 or -errno. */
int campaign_write_plan(const struct campaign *campaign, const struct campaign_run *run,
                        const char *path);

/* judge.c */
struct campaign_text; /* what a run printed, by rank */
/* 0 or -errno. */
int campaign_text_read(const struct campaign *campaign, const char *out, const char *err,
                       struct campaign_text **text);
void campaign_text_free(struct campaign_text *text); /* NULL is allowed */
/* Decides the class of a run that has ended by itself, from its text, exit code and events. */
void campaign_judge(const struct campaign_text *expected, int expected_code,
                    const struct campaign_text *found, const char *events, int clusters,
                    struct campaign_result *result);

/* results.c */
/* Reads the results of `path` that exist: an object by key. Lines that are not whole are let go.
 * Never NULL but without memory. */
json_t *campaign_results_read(const char *path);
/* Appends one, and keeps it in `results`. 0 or -errno. */
int campaign_results_add(const char *path, json_t *results, const struct campaign *campaign,
                         const struct campaign_run *run, const struct campaign_result *result,
                         const char *line, const char *page);
/* Writes all as JSON and as a page (NULL: not). 0 or -errno. */
int campaign_results_write(const struct campaign *campaign, const json_t *results, const char *json,
                           const char *page);

#endif
