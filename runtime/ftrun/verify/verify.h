/* verify: what the runs of a verification say about the verdicts of the program's sites.
 *
 * A difference in a sequence (sequence.h) between two runs is *explained* when some site that is
 * non-deterministic, unknown or unmarked had another outcome before it; otherwise it *contradicts*
 * the sites that had, all of which are said to be channel-deterministic or better. Where none had,
 * a clock or the like decides, and the difference is listed. A difference in content alone is
 * advice, unless it is behind a site that must not cause one (ft_verify_settle). A message that an
 * anonymous request of another iteration met contradicts the pattern. Without a table of sites no
 * verdict exists: differences are listed and contradict nothing; patterns, which somebody wrote by
 * hand, can still be contradicted.
 *
 * Thread rule: single threaded. */
#ifndef FT_VERIFY_H
#define FT_VERIFY_H

#include <stddef.h>
#include <stdint.h>
#include "sites/sites.h"

struct ft_verify;

struct ft_verify_options {
    const struct ft_sites *sites; /* NULL: none; the caller's */
    const char *program;          /* path of the executable, the caller's */
    char *const *argv;            /* the command, NULL-terminated, the caller's */
    int ranks;
    uint64_t seed;
    /* "FILE:LINE" of a return address in the program. */
    void (*locate)(const char *program, uint64_t address, char *text, size_t size);
    /* Asked during long work; not 0: give up. May be NULL. */
    int (*stopped)(void *context);
    void *context;
};

/* 0 or -ENOMEM. */
int ft_verify_create(const struct ft_verify_options *options, struct ft_verify **out);
void ft_verify_destroy(struct ft_verify *verify); /* NULL is allowed */

/* Takes run `number`, whose traces lie in `folder`, one file rank-R for each rank. The traces of
 * run 0, which is taken first, must stay; those of the others are not needed any more. how: NULL:
 * it has ended by itself; otherwise a sentence ("rank 2 was killed by signal 11"), and only the
 * matches of what there is are looked at. Returns 0, -ECANCELED when stopped, or -ENOMEM. */
int ft_verify_run(struct ft_verify *verify, int number, const char *folder, const char *how);
/* Advice: something besides the messages was different in run `number`. The text is copied. */
void ft_verify_advise(struct ft_verify *verify, int number, const char *text);

/* Decides, after the last run, which differences in content are contradictions: those behind a site
 * that was judged channel-deterministic or better and had another outcome, unless the same channel
 * also differed where no outcome had differed before. Call it before the three below. */
void ft_verify_settle(struct ft_verify *verify);
/* How many contradictions were found; how many runs did not end by themselves. */
int ft_verify_contradictions(const struct ft_verify *verify);
int ft_verify_failed(const struct ft_verify *verify);

/* The name of a call that a recorder or a trace has by its number. */
const char *ft_verify_call(uint32_t call);

/* Gives the report to `say`, line by line, each of at most 92 columns where words permit. */
void ft_verify_tell(struct ft_verify *verify, void (*say)(const char *line));
/* Writes it as JSON (docs/formats/verify.md). 0 or -errno. */
int ft_verify_write(struct ft_verify *verify, const char *path);

#endif
