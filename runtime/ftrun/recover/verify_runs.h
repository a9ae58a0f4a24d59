/* verify_runs: ftrun --verify: the program runs several times, each but the first with its timing
 * and its free choices disturbed, and what the runs did is compared.
 *
 * A run is an epoch that starts from main, as after a death without any checkpoint: output that the
 * first run has printed is swallowed and compared, standard input is given again, changes of files
 * are undone before the next run (the last one's stay). No checkpoints are taken, and nobody is
 * recovered: a run that dies has died. Thread rule: single threaded. */
#ifndef FT_VERIFY_RUNS_H
#define FT_VERIFY_RUNS_H

#include <stdint.h>

struct ft_run;
struct ft_verify_runs;

/* The role of a rank in the present run. */
struct ft_verify_role {
    char trace[3072];  /* the file to write to */
    uint64_t seed;     /* 0: undisturbed */
    double begun;      /* seconds of the monotonic clock */
    double waiting;    /* seconds that the rank may wait on purpose */
    uint64_t progress; /* its calls in the undisturbed run */
};

/* Makes ready; run->store is open. 0 or an exit code, after a message. */
int ft_verify_runs_start(struct ft_run *run);
void ft_verify_runs_destroy(struct ft_run *run);
/* An epoch of the present run begins. 0 or -errno. */
int ft_verify_runs_begin(struct ft_run *run);
void ft_verify_runs_role(const struct ft_run *run, int rank, struct ft_verify_role *role);

/* The present run has ended with `code`; how: NULL: by itself, else a sentence. */
void ft_verify_runs_over(struct ft_run *run, int code, const char *how);
/* All its processes are dead: compares it. Returns 1 when another run has to be started. */
int ft_verify_runs_next(struct ft_run *run);
/* The end of all runs before their time. */
void ft_verify_runs_stop(struct ft_run *run, const char *why);
/* A line of output was another one than in the first run. */
void ft_verify_runs_differs(struct ft_run *run, int rank, int stream, uint64_t line);
/* The last words, when all is over: the exit code of ftrun. */
int ft_verify_runs_finish(struct ft_run *run);
/* "run 3 of 8", for the line of progress. */
int ft_verify_runs_describe(const struct ft_run *run, char *line, int size);

#endif
