/* plan: what the end of a rank's process means, and what follows from it. Pure.
 *
 * Issue text, made exact: a process that ends by a signal is a failure at any time; one that exits
 * while its recorder says RUNNING is a failure whatever its code; an exit before MPI_Init with a
 * code other than 0, and an exit after MPI_Finalize, are the program's own. */
#ifndef FT_PLAN_H
#define FT_PLAN_H

#include <stdint.h>

enum ft_verdict {
    FT_VERDICT_FAILURE,  /* roll back */
    FT_VERDICT_OWN_EXIT, /* the rank has ended with its code; the others go on */
    FT_VERDICT_OWN_END   /* the whole run ends with that code */
};

/* The verdict about a waitpid status in a phase (enum ft_phase). */
enum ft_verdict ft_plan_judge(int status, uint32_t phase);
/* The code with which the shell knows such an end: the exit code, or 128 + signal. */
int ft_plan_code(int status);

struct ft_place { /* where a rank was when it died */
    int rank;
    uint64_t hooks, progress, site;
};

struct ft_plan { /* memory of the deaths so far; starts as zeros */
    struct ft_place last;
    int repeats; /* deaths in a row at `last` */
};

#define FT_PLAN_REPEATS 3    /* deaths at one place that end the run */
#define FT_PLAN_FRUITLESS 10 /* epochs in a row in which not all came back that end the run */

/* Notes a death; returns how often the rank has now died at that place in a row. */
int ft_plan_note(struct ft_plan *plan, const struct ft_place *place);

#endif
