/* faults: what a run injects: the orders of --kill and of a fault plan (ft_faults(5)).
 *
 * A plan is a file of Lua that runs once, before the ranks start, and becomes a list of orders,
 * each for one rank, and of clocks, which ftrun carries out itself. Everything is checked while the
 * plan runs: a mistake is a sentence with file, line, field and what was expected, and no rank
 * starts.
 *
 * Thread rule: single threaded. */
#ifndef FT_FAULTS_H
#define FT_FAULTS_H

#include <stddef.h>
#include <stdint.h>
#include "wire/wire.h"

enum { FT_FAULTS_MOST = 65536, FT_FAULTS_CLOCKS = 4096, FT_FAULTS_TEXT = 256 };

struct ft_fault {
    int rank, copy; /* copy: 0, or the second one of --replicas */
    struct ft_wire_fault order;
    char text[FT_FAULTS_TEXT]; /* where it was ordered: "--kill 2@hook:5", "plan.lua:3" */
    uint32_t met;              /* at a point of ftrun; elsewhere the rank's recorder has it */
    uint32_t done;             /* how often ftrun has heard of it */
    int settled;               /* NODE: its node is lost */
};

/* Faults at moments of time. */
struct ft_fault_clock {
    double at;        /* seconds after the start of the job; the next ones are drawn */
    int random;       /* 1: more follow */
    double shape;     /* of Weibull's distribution; 1: exponential */
    double scale;     /* seconds, likewise */
    uint32_t left;    /* faults that may still follow */
    uint16_t seed[3]; /* of erand48 */
    int together; /* 1: all ranks of the list at the same time; 0: one of them, drawn if random */
    int *ranks;   /* owned */
    int count;
    uint32_t kind; /* KILL, HANG, LINK */
    int signal;
    char text[FT_FAULTS_TEXT];
};

struct ft_faults {
    struct ft_fault *list; /* owned */
    size_t count;
    struct ft_fault_clock *clocks; /* owned */
    size_t clock_count;
};

/* A point that FT_FAULT has put into a program. */
struct ft_fault_point {
    char *name, *place; /* "file:line"; both in one block, which name owns */
};

struct ft_fault_job { /* what a plan is checked against */
    int ranks;
    const int32_t *cluster; /* [ranks] */
    int clusters;
    const char *const *node; /* [ranks] on which each rank begins */
    int hosts;               /* 1: --hosts was given */
    const char *program;     /* the executable */
};

/* plan.c */
/* Reads a plan, and adds what it orders. 0; -1 with a sentence in why. */
int ft_faults_read(const char *path, const struct ft_fault_job *job, struct ft_faults *faults,
                   char *why, size_t size);
/* Adds an order. 0; -1 with a sentence. */
int ft_faults_add(struct ft_faults *faults, int rank, int copy, const struct ft_wire_fault *order,
                  const char *text, char *why, size_t size);
struct ft_fault_clock *ft_faults_add_clock(struct ft_faults *faults); /* zeroed; NULL: no room */
void ft_faults_free(struct ft_faults *faults);
/* The index in BOOT of the order, which is number `position` of the list. */
uint32_t ft_faults_index(const struct ft_faults *faults, size_t position);
/* The order of the rank with that index in BOOT; NULL: there is none. */
struct ft_fault *ft_faults_find(const struct ft_faults *faults, int rank, int copy, uint32_t index);

/* clock.c */
/* Effect: what the clock draws from now on depends on the seed alone. */
void ft_fault_clock_seed(struct ft_fault_clock *clock, uint64_t seed);
/* Draws the moment of the next fault; 0: there is none any more. */
int ft_fault_clock_next(struct ft_fault_clock *clock);
/* Draws one of the clock's ranks. */
int ft_fault_clock_rank(struct ft_fault_clock *clock);
/* A clock for each line of a failure log: SECONDS rank N, SECONDS node NAME. 0; -1 with why. */
int ft_faults_replay(const char *path, const struct ft_fault_job *job, const char *text,
                     struct ft_faults *faults, char *why, size_t size);

/* listed.c */
/* The points of an executable, sorted by name, for the caller to free with ft_faults_unlist. 0 or
 * -errno. */
int ft_faults_list(const char *path, struct ft_fault_point **points, size_t *count);
void ft_faults_unlist(struct ft_fault_point *points, size_t count);
/* Prints the points of the runtime, and those of the program (NULL: none is named). 0 or an exit
 * code. */
int ft_faults_print(const char *program);

#endif
