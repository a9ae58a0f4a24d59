/* attempt: one run of a rehearsal: an ftrun of its own, so that what is tried is what a user gets,
 * and can be repeated by its command line. Its events go to a file of the rehearsal's folder,
 * its output to memory; it is ended when it takes too long.
 *
 * Invariant: when ft_attempt_run returns, no process of the attempt is left.
 * Thread rule: single threaded; SIGCHLD and the signals that end ftrun are blocked from
 * ft_attempts_open on. */
#ifndef FT_ATTEMPT_H
#define FT_ATTEMPT_H

#include <jansson.h>
#include <signal.h>
#include "options/options.h"
#include "store/store.h"

enum { FT_ATTEMPT_VERIFY_RUNS = 3 };

struct ft_attempt_order {
    const char *kill;   /* word of --kill; NULL: nobody is killed */
    int adversary;      /* --adversary, and no checkpoint but the first one */
    int calls;          /* --call-events */
    const char *verify; /* a verification instead, with its report in this file; NULL: none */
    const char *trust;  /* file for --trust; NULL: the rehearsal's own */
    int content;        /* --check-content, also when the rehearsal has it not */
};

enum ft_attempt_end {
    FT_ATTEMPT_ENDED,       /* by itself, with `code` */
    FT_ATTEMPT_HUNG,        /* it was ended after its time */
    FT_ATTEMPT_INTERRUPTED, /* a signal came; attempts->signal */
    FT_ATTEMPT_FAILED       /* it could not be started; a message was printed */
};

struct ft_attempt_result {
    enum ft_attempt_end end;
    int code;       /* exit code */
    double seconds; /* it took */
};

struct ft_attempts { /* what all attempts of a rehearsal have in common */
    const struct ft_options *options;
    char ftrun[FT_STORE_PATH];   /* the executable */
    char folder[FT_STORE_PATH];  /* files of the present attempt */
    int made;                    /* the folder around it was not there before */
    int printed[2];              /* files in memory: what the present attempt prints */
    double interval;             /* seconds between checkpoints; 0: ftrun's choice */
    int farewell;                /* pipe to the guardian */
    pid_t guardian;              /* removes the folder when this process was killed */
    int signal;                  /* that has ended the rehearsal; 0: none */
    void (*tick)(void *context); /* called every second of an attempt */
    void *context;
    sigset_t waited; /* SIGCHLD, and the signals that end a rehearsal */
};

/* attempt.c */
/* Makes the folder and takes over the signals. 0, or an exit code after a message. */
int ft_attempts_open(struct ft_attempts *attempts, const struct ft_options *options);
void ft_attempts_close(struct ft_attempts *attempts);
/* Runs one, and ends it after `limit` seconds. */
void ft_attempt_run(struct ft_attempts *attempts, const struct ft_attempt_order *order,
                    double limit, struct ft_attempt_result *result);
/* The path of a file of the present attempt: "out", "err", "events". */
void ft_attempt_file(const struct ft_attempts *attempts, const char *name,
                     char path[FT_STORE_PATH]);

/* attempt_words.c */
/* The words of its command line, NULL-terminated; the caller's. NULL: no memory. */
char **ft_attempt_words(const struct ft_attempts *attempts, const struct ft_attempt_order *order);
void ft_attempt_words_destroy(char **words);
/* The line that repeats it, for a shell; the caller's. NULL: no memory. */
char *ft_attempt_line(const struct ft_attempts *attempts, const struct ft_attempt_order *order);

/* attempt_events.c */
/* The attempt's results by its events, an object (the caller's), with
 *     deaths        how many processes died
 *     back, of      clusters that rolled back, at most at a time; how many there are, of which
 *                   several may have become one; both 0 with --protocol coordinated
 *     ranks         that rolled back, at most at a time
 *     why           array of sentences: why clusters besides the dead one's rolled back
 *     differs       a sentence about a line that came out differently when it was executed again
 *     refused       1: the run made a call that is not carried
 *     unread        why not all of its events could be read; what is above is of some of them then
 *     calls         array: for each rank an object, how often it made each call (--call-events)
 *     determinants  array of {site, count}
 * Never NULL but without memory. */
json_t *ft_attempt_events(const struct ft_attempts *attempts);

/* attempt_text.c */
struct ft_text; /* what the ranks of an attempt have printed */

/* The output of the present attempt; stderr without ftrun's own lines. 0, or -errno. */
int ft_text_read(const struct ft_attempts *attempts, struct ft_text **out);
void ft_text_destroy(struct ft_text *text); /* NULL is allowed */
/* A sentence about the first difference, the caller's; NULL: there is none. */
char *ft_text_difference(const struct ft_text *expected, const struct ft_text *found);
/* The last line that ftrun said but for offers, or ""; and the first one. */
const char *ft_text_said(const struct ft_text *text);
const char *ft_text_said_first(const struct ft_text *text);
/* Has ftrun said that a disk is full? */
int ft_text_is_full(const struct ft_text *text);
/* The end of what ftrun and the ranks of the present attempt have written to stderr, without
 * offers; the caller's. NULL: no memory. */
char *ft_text_stderr(const struct ft_attempts *attempts);
/* Is this what ftrun says of a job that can be continued? An attempt cannot: its store is removed.
 */
int ft_text_is_offer(const char *line);

#endif
