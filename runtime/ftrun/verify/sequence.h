/* sequence: what two runs of one rank have to agree on, as sequences of items:
 *
 *     a channel      (destination, communicator, tag)   the sizes of its messages
 *     collectives    (communicator)                      kind, root, size
 *     the send order ()                                  destination, communicator, tag, size
 *     an outcome     (site, or address of a call)        what it met, in posting order
 *     polls          (site, or address of a call)        how many were fruitless in between
 *
 * Memory is bounded by the number of sequences of one part, not by their length: a sequence is
 * compared as a hash over all its items, and only where two differ the files are read again for the
 * first difference. When a rank has too many channels, they are looked at in several passes. */
#ifndef FT_VERIFY_SEQUENCE_H
#define FT_VERIFY_SEQUENCE_H

#include <uthash.h>
#include "trace/format.h"

enum ft_sequence_kind {
    FT_SEQUENCE_CHANNEL,
    FT_SEQUENCE_COLLECTIVES,
    FT_SEQUENCE_ORDER,
    FT_SEQUENCE_OUTCOME,
    FT_SEQUENCE_POLLS,
    FT_SEQUENCE_KINDS
};

struct ft_sequence_key {
    uint32_t kind;  /* enum ft_sequence_kind */
    int32_t peer;   /* CHANNEL: destination */
    uint64_t comm;  /* CHANNEL, COLLECTIVES */
    uint64_t place; /* OUTCOME, POLLS: the site's id, or 1 << 63 | address of an unmarked call */
    int32_t tag;    /* CHANNEL */
    int32_t pad;    /* 0 */
};

#define FT_SEQUENCE_UNMARKED (1ull << 63)

struct ft_sequence {
    struct ft_sequence_key key;
    uint64_t count[2];   /* items in each run */
    uint64_t chain[2];   /* hash over them */
    uint64_t content[2]; /* hash over the contents */
    UT_hash_handle hh;
};

/* One item of a sequence, as it is shown. */
struct ft_item {
    int there;        /* 0: the run has no such item */
    uint64_t item;    /* what is compared */
    uint32_t content; /* hash */
    struct ft_trace_record record;
};

enum {
    FT_DIFFERENCE_CONTEXT = 5
}; /* items shown: two before the first difference, it, two after */

struct ft_difference {
    struct ft_sequence_key key;
    int rank;
    uint64_t index; /* of the first item that differs, from 0; UINT64_MAX: nobody looked */
    uint64_t first; /* of shown[.][0] */
    struct ft_item shown[2][FT_DIFFERENCE_CONTEXT];
    struct ft_item at[2];              /* the items at `index` */
    int content;                       /* only the content differs */
    int times;                         /* sequences that it stands for: 1, where somebody looked */
    struct ft_difference *next, *prev; /* the collector's */
};

struct ft_sequences {
    struct ft_sequence *all;
    uint64_t limit; /* sequences in memory; 0: a default */
    uint64_t parts; /* passes */
    uint64_t messages[2], collectives[2];
    /* Is the mark of this record that of another call? Then it counts as unmarked. NULL: never. */
    int (*misplaced)(void *context, const struct ft_trace_record *record);
    int (*stopped)(void *context); /* asked now and then; NULL: never */
    void *context;
};

/* Where a record's outcome belongs: its site, or its address. */
uint64_t ft_sequence_place(const struct ft_sequences *sequences,
                           const struct ft_trace_record *record);

/* Compares what rank did in two runs, whose traces lie in folder[0] and [1], and calls differs for
 * each sequence that differs, with the first difference; for those of a kind that are very many,
 * once for all. Content is compared only where nothing else differs. reached (may be NULL) is
 * called for each place that had an outcome. Returns 0, -ECANCELED when stopped says so, or
 * -ENOMEM. */
int ft_sequences_compare(struct ft_sequences *sequences, const char *const folder[2], int rank,
                         void (*differs)(void *context, const struct ft_difference *difference),
                         void (*reached)(void *context, uint64_t place,
                                         const struct ft_trace_record *record),
                         void *context);

#endif
