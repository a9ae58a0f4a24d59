/* options: the command line of ftrun as a value. */
#ifndef FT_OPTIONS_H
#define FT_OPTIONS_H

#include <stdint.h>
#include "ignore/ignore.h"
#include "options/order.h"
#include "protocol/protocol.h"

enum {
    FT_EXIT_USAGE = 2,
    FT_EXIT_REFUSED = 3,
    FT_EXIT_CONTRADICTED = 4, /* also: a rehearsed run differed */
    FT_EXIT_LATER = 75,       /* stopped, and --restart continues it */
    FT_EXIT_MISSING = 127,
    FT_EXIT_STOPPED = 143 /* 128 + SIGTERM: stopped, also by the clock, and nothing continues it */
};
enum { FT_OPTIONS_ORDERS = 64, FT_OPTIONS_VARIABLES = 256 };
enum { FT_OPTIONS_KEEP = 2, FT_OPTIONS_SEED = 1 }; /* what is not given */
#define FT_OPTIONS_MTBF 86400.0                    /* likewise */
#define FT_OPTIONS_HEARTBEAT 5.0                   /* likewise */

enum ft_question { /* that ftrun answers instead of running something */
                   FT_QUESTION_NONE,
                   FT_QUESTION_LIST,
                   FT_QUESTION_STATUS,
                   FT_QUESTION_INSPECT,
                   FT_QUESTION_REMOVE,
                   FT_QUESTION_DOCTOR
};

enum ft_trusting {                      /* what is believed of the program's table of sites */
                   FT_TRUSTING_DEFAULT, /* what is proved, with clusters; nobody has said so */
                   FT_TRUSTING_NONE,
                   FT_TRUSTING_SAID /* proved, or FILE */
};

struct ft_options {
    enum ft_question question; /* then nothing else counts, but store */
    int size;                  /* -n; 0: not given (allowed with restart) */
    const char *cwd;           /* -wdir; NULL: the current one */
    const char *program;       /* NULL: taken from the manifest */
    char **argv;               /* program and its arguments */
    const char *store;         /* --store; NULL: the default */
    const char *events;        /* --events; NULL: none */
    const char *patterns[2];   /* -outfile-pattern, -errfile-pattern; NULL: none */
    int prepend, hold, verbose /* 2: -vv */, hook_events, call_events, restart;
    int adversary;                   /* --adversary */
    int ulfm;                        /* --ulfm */
    int replace;                     /* and --on-failure replace */
    const struct ft_protocol *named; /* --protocol; NULL: not given */
    enum ft_protocol_kind protocol;  /* its kind */
    const char *clusters;            /* --clusters; NULL: one for each node */
    int replicas;                    /* --replicas all */
    int compare;                     /* --replicas-compare */
    const char *refill;              /* --replicas-refill: as it was given, or NULL; */
    int unfilled;                    /* 1: never */
    uint64_t log_limit;              /* --log-limit in bytes; 0: not given */
    uint32_t window;                 /* --replay-window; 0: not given */
    double interval;                 /* --checkpoint-interval in seconds; 0: not given */
    uint64_t every;                  /* --checkpoint-every in hooks; 0: not given */
    double mtbf;                     /* --mtbf in seconds */
    double time_limit; /* --time-limit in seconds; 0: none; INFINITY: that of Slurm's job */
    uint32_t keep;     /* --keep */
    int verify;        /* --verify: number of runs; 0: not given */
    uint64_t seed;     /* --verify-seed; seeded: it was given */
    int seeded;
    const char *profile;    /* --profile; NULL: none */
    int content;            /* --check-content */
    enum ft_trusting trust; /* --trust */
    const char *rehearsed;  /* --trust FILE; NULL: none */
    const char *report;     /* --verify-report; NULL: none */
    int rehearse;           /* --rehearse */
    const char *survival;   /* --rehearse-report; NULL: none */
    int ignored;            /* --ignore: how many, in words and compiled */
    const char *ignored_word[FT_IGNORE_MOST];
    struct ft_ignore ignore;
    const char *picture;      /* --report; NULL: none */
    const char *trace_export; /* likewise */
    const char *faults;       /* --faults, or FT_FAULTS; NULL: none */
    int list_faults;          /* --list-faults; then nothing else is checked */
    const char *hosts;        /* --hosts; NULL: this machine alone */
    int ppn;                  /* -ppn: ranks of each node; 0: not given */
    const char *hostfile;     /* --hostfile, likewise */
    int allocated;            /* the nodes of Slurm's job are used */
    const char *launcher;     /* --launcher: the command that starts an agent; NULL: ssh; "none" */
    int spares;               /* --spares: nodes that get no rank at the start */
    double heartbeat;         /* --heartbeat in seconds */
    const char *local;        /* --local: a folder of each node; NULL: not given */
    const char *levels;       /* --levels (options/levels.h); NULL: not given */
    int orders;               /* entries of order[] */
    struct ft_kill_order order[FT_OPTIONS_ORDERS];
    int variables; /* entries of name[] and value[] */
    const char *name[FT_OPTIONS_VARIABLES], *value[FT_OPTIONS_VARIABLES];
};

/* Reads the command line. Returns 0; 1 when --help or --version was answered; or -EINVAL after a
 * message on stderr that names the option. */
int ft_options_read(int argc, char **argv, struct ft_options *options);

/* protocols.c: */
/* --protocol. 0 or -EINVAL after a message. */
int ft_options_protocol(const char *text, struct ft_options *options);
/* Is each rank a cluster of its own, because of the protocol? */
int ft_options_alone(const struct ft_options *options);
/* Does each rank take its image without waiting for the others? */
int ft_options_marks(const struct ft_options *options);
/* Are logs resent phase by phase? */
int ft_options_phases(const struct ft_options *options);
int ft_options_optimistic(const struct ft_options *options); /* nobody waits for the event logger */
int ft_options_causal(const struct ft_options *options); /* what it lacks travels with messages */
int ft_options_doubts(const struct ft_options *options); /* either */
/* Refuses options that the protocol has no use for. 0 or -EINVAL after a message. */
int ft_options_check_protocol(const struct ft_options *options);
/* An option that speaks of checkpoints; NULL: none was given. */
const char *ft_options_of_checkpoints(const struct ft_options *options);
/* "ftrun: ... (ftrun --help)" on stderr; -EINVAL. */
int ft_options_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One of the options given that have no effect without --protocol spbc, but for --clusters; NULL:
 * there is none. */
const char *ft_options_of_spbc(const struct ft_options *options);

/* 1: --protocol none on one machine, and nothing is to be counted or injected at calls: each call
 * is the native one, and none is refused. Between nodes the library's own MPI_Finalize may wait for
 * ever (openucx issue 8738), and the runtime does not call it. */
int ft_options_are_native(const struct ft_options *options);

extern const char ft_options_help[]; /* options_help.c */

#endif
