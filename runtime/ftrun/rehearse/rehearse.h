/* rehearse: ftrun --rehearse: does the program survive? It runs once undisturbed, then once for
 * each rank and each kind of MPI call that the rank makes, with a death of the rank at such a call,
 * and twice for each cluster, with a death in it and the worst order of messages (--adversary).
 * Each run's output is compared with the undisturbed one's. A verification (--verify) then says
 * what the verdicts of ftcc are worth, and failures of clusters with and without records, which
 * patterns may be trusted (--trust FILE).
 *
 * The result is one JSON document (docs/formats/rehearsal.md), from which all else is made.
 * Thread rule: single threaded. */
#ifndef FT_REHEARSE_H
#define FT_REHEARSE_H

#include <jansson.h>
#include <stdio.h>
#include "options/options.h"
#include "options/trust.h"

/* The whole rehearsal: the exit code of ftrun. */
int ft_rehearse(const struct ft_options *options);

/* rehearse_plan.c */
/* The runs that a rehearsal makes, as an array: for each rank and kind of call, and for each
 * cluster, an object as in docs/formats/rehearsal.md, without results. calls: array, for each rank
 * an object of how often it made each call. NULL after a message. */
json_t *ft_rehearse_plan(const struct ft_options *options, const json_t *calls);
/* How many clusters the options ask for, or -1 after a message. */
int ft_rehearse_clusters(const struct ft_options *options);

/* rehearse_trust.c */
/* The patterns of the table, as in docs/formats/rehearsal.md; verify NULL: nothing was verified.
 * A pattern that may be tried is unsupported without a detail. NULL: no memory. */
json_t *ft_rehearse_patterns(const struct ft_sites *sites, const json_t *verify);
/* Marks the proved ones, or the others, that may be tried as supported, and answers how many; then
 * gives all those their result. */
int ft_rehearse_step_begin(json_t *patterns, int proved);
void ft_rehearse_step_end(json_t *patterns, enum ft_trust_result result, const char *detail);
#define FT_REHEARSE_TRYING "it is being tried"
/* The same with the result that the document's trials from number `first` on have. */
void ft_rehearse_step_judge(json_t *document, size_t first);

/* rehearse_tell.c */
/* How many runs of the document have this result (NULL: any) and are of this kind (NULL: any). */
int ft_rehearse_count(const json_t *document, const char *kind, const char *result);
/* How many runs somebody died in. */
int ft_rehearse_tried(const json_t *document);
/* "your program survives 8 of 8 deaths and 2 of 2 failures of a cluster, of which 2 stayed in it";
 * otherwise when nobody died in any run, or the undisturbed one ended with a code. */
void ft_rehearse_headline(const json_t *document, char *text, size_t size);
/* Questions about a run: did only the dead rank's cluster roll back? Did it differ, fail or
 * hang? */
int ft_rehearse_is_contained(const json_t *run);
int ft_rehearse_is_bad(const json_t *run);
/* A question about a failure of a cluster: was it survived, and did no other cluster roll back?
 * Only then did the cluster repeat everything with the messages of the others' logs. How many of
 * the document's runs are such? */
int ft_rehearse_stayed(const json_t *run);
int ft_rehearse_count_stayed(const json_t *document);
/* Does no run before this one speak of the call? */
int ft_rehearse_is_first(const json_t *runs, size_t index, const char *call);
/* Why more than one cluster rolled back, the caller's: an object, for each reason how many runs. */
json_t *ft_rehearse_reasons(const json_t *document);
/* Prints the summary, by ft_say. */
void ft_rehearse_tell(const json_t *document);

/* rehearse_page.c */
void ft_rehearse_page(const json_t *document, FILE *out);
extern const char ft_rehearse_css[]; /* made from analysis/report/report.css */

#endif
