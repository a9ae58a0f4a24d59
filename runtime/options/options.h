/* options: the command line of ftrun as a value. */
#ifndef FT_OPTIONS_H
#define FT_OPTIONS_H

#include <stdint.h>
#include "options/order.h"

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

enum ft_protocol {
    FT_PROTOCOL_AUTO,        /* coordinated with one cluster, otherwise spbc */
    FT_PROTOCOL_COORDINATED, /* all ranks take checkpoints together, and go back together */
    FT_PROTOCOL_SPBC,        /* those of a cluster do; the others keep what they have done */
    FT_PROTOCOL_NONE         /* no checkpoints; a death ends the run */
};

enum ft_trusting {                     /* what is believed of the program's table of sites */
                  FT_TRUSTING_DEFAULT, /* what is proved, with clusters; nobody has said so */
                  FT_TRUSTING_NONE,
                  FT_TRUSTING_SAID     /* proved, or FILE */
};

struct ft_options {
    int size;            /* -n; 0: not given (allowed with restart) */
    const char *cwd;     /* -wdir; NULL: the current one */
    const char *program; /* NULL: taken from the manifest */
    char **argv;         /* program and its arguments */
    const char *store;   /* --store; NULL: the default */
    const char *events;  /* --events; NULL: none */
    int prepend, hold, verbose, hook_events, call_events, restart;
    int adversary;             /* --adversary */
    enum ft_protocol protocol; /* --protocol */
    const char *clusters;      /* --clusters; NULL: one for each node */
    uint64_t log_limit;        /* --log-limit in bytes; 0: not given */
    uint32_t window;           /* --replay-window; 0: not given */
    double interval;           /* --checkpoint-interval in seconds; 0: not given */
    uint64_t every;            /* --checkpoint-every in hooks; 0: not given */
    double mtbf;               /* --mtbf in seconds */
    double time_limit;         /* --time-limit in seconds; 0: none */
    uint32_t keep;             /* --keep */
    int verify;                /* --verify: number of runs; 0: not given */
    uint64_t seed;             /* --verify-seed; seeded: it was given */
    int seeded;
    const char *profile;       /* --profile; NULL: none */
    int content;               /* --check-content */
    enum ft_trusting trust;    /* --trust */
    const char *rehearsed;     /* --trust FILE; NULL: none */
    const char *report;        /* --verify-report; NULL: none */
    int rehearse;              /* --rehearse */
    const char *survival;      /* --rehearse-report; NULL: none */
    int orders;                /* entries of order[] */
    struct ft_kill_order order[FT_OPTIONS_ORDERS];
    int variables; /* entries of name[] and value[] */
    const char *name[FT_OPTIONS_VARIABLES], *value[FT_OPTIONS_VARIABLES];
};

/* Reads the command line. Returns 0; 1 when --help or --version was answered; or -EINVAL after a
 * message on stderr that names the option. */
int ft_options_read(int argc, char **argv, struct ft_options *options);

/* One of the options given that have no effect without --protocol spbc, but for --clusters; NULL:
 * there is none. */
const char *ft_options_of_spbc(const struct ft_options *options);

extern const char ft_options_help[]; /* options_help.c */

#endif
