/* findings: what verify.c collects and the reports show. Private to this room. */
#ifndef FT_VERIFY_FINDINGS_H
#define FT_VERIFY_FINDINGS_H

#include <stdio.h>
#include "verify/match.h"
#include "verify/sequence.h"
#include "verify/verify.h"

enum ft_judgement {
    FT_JUDGED_CONTENT,   /* only contents differ: advice */
    FT_JUDGED_EXPLAINED, /* by a site that may differ */
    FT_JUDGED_LISTED,    /* there is no verdict to contradict */
    FT_JUDGED_CONTRADICTION
};

/* A sequence, or a match, that the runs disagree on. */
struct ft_finding {
    enum ft_judgement judgement;
    int is_match;                    /* what is valid: match, or difference */
    int run;                         /* the first run that showed it */
    int times;                       /* how often it was seen, in all runs */
    struct ft_difference difference; /* against run 0 */
    struct ft_match match;
    uint64_t blamed; /* place of the site that explains or is contradicted; 0: none */
    struct ft_finding *next;
};

/* A site of the table, or an unmarked call that had an outcome. */
struct ft_place {
    uint64_t place;                    /* as in ft_sequence_place */
    const struct ft_site_entry *entry; /* NULL: no verdict */
    struct ft_trace_record sample;     /* kind 0: not reached */
    int reached;
    int differed;     /* runs in which its outcome was another one than in run 0 */
    int polled;       /* it polled more or less often, in some run */
    int last_run;     /* in which it was counted */
    int contradicted; /* findings that blame it */
    UT_hash_handle hh;
};

/* A difference in content behind a site that may not cause one: a contradiction, unless the content
 * differs without any cause, too (ft_verify_settle). */
struct ft_doubt {
    int run;
    uint64_t cause; /* place of the site */
    struct ft_difference difference;
    struct ft_doubt *next;
};

/* A sequence whose content differed though no outcome had: a clock, random numbers or bytes that
 * nobody has written are in it. */
struct ft_noise {
    int rank;
    struct ft_sequence_key key;
    struct ft_noise *next;
};

struct ft_advice {
    int run;
    char *text;
    struct ft_advice *next;
};

struct ft_verify {
    struct ft_verify_options options;
    char *first;                             /* folder of run 0 */
    int taken;                               /* perturbed runs that were compared */
    int failed;                              /* runs that did not end by themselves */
    int run;                                 /* that is being taken */
    int error;                               /* of a callback */
    uint64_t messages, collectives, matched; /* of run 0 */
    struct ft_sequences sequences;
    struct ft_place *places;
    struct ft_finding *findings;
    struct ft_doubt *doubts;
    struct ft_noise *noise;
    struct ft_advice *advice;
    struct ft_difference *fresh; /* differences of the run that is being taken, to be judged */
};

struct ft_place *ft_place_of(struct ft_verify *verify, uint64_t place);
/* Its verdict: enum ft_site_class, FT_SITE_UNKNOWN for a place without one. */
uint32_t ft_place_class(const struct ft_place *place);
/* "nbx.c:45" */
void ft_place_name(struct ft_verify *verify, uint64_t place, uint64_t address, char *text,
                   size_t size);
/* "MPI_COMM_WORLD", or a name made of the identity. */
const char *ft_comm_text(uint64_t comm, char *text, size_t size);

/* One sentence about a finding, without its full stop; and the two sequences, or what was asked for
 * (side 0) and sent (side 1). */
void ft_finding_sentence(struct ft_verify *verify, const struct ft_finding *finding, FILE *out);
void ft_finding_sequence(struct ft_verify *verify, const struct ft_finding *finding, int side,
                         FILE *out);

#endif
