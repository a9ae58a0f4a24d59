/* chain' = mix(chain, item): equal chains and counts are equal sequences, but for one chance in
 * 2^64. */
#include "verify/sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/reader.h"

#define LIMIT 1000000u /* sequences in memory: about 160 MB */
#define PARTS_MAX 65536u
#define LOOK 65535u /* records between two looks at `stopped`, minus one */

struct entry { /* of a record: one of its sequences */
    struct ft_sequence_key key;
    uint64_t item;
    uint32_t content;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a + 0x9e3779b97f4a7c15u * (b + 1);

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t pair(int32_t a, int32_t b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

uint64_t ft_sequence_place(const struct ft_sequences *sequences,
                           const struct ft_trace_record *record)
{
    if (record->site && !(sequences->misplaced && sequences->misplaced(sequences->context, record)))
        return record->site;
    return FT_SEQUENCE_UNMARKED | record->address;
}

/* A receive or probe that had no choice has no outcome of its own. */
static int has_outcome(const struct ft_trace_record *record)
{
    const int wild = FT_TRACE_ANY_SOURCE | FT_TRACE_ANY_TAG;

    switch (record->kind) {
    case FT_TRACE_RECV:
        return record->flags & FT_TRACE_MATCHED && record->flags & wild;
    case FT_TRACE_PROBE:
    case FT_TRACE_CHOICE:
    case FT_TRACE_POLLS:
        return 1;
    default:
        return 0;
    }
}

static uint64_t outcome_of(const struct ft_trace_record *record)
{
    uint64_t item = mix(record->kind, pair(record->peer, record->tag));

    if (record->kind == FT_TRACE_CHOICE)
        item = mix(item, (uint64_t)(uint32_t)record->asked_tag);
    if (record->kind == FT_TRACE_CHOICE || record->kind == FT_TRACE_POLLS)
        item = mix(item, record->size);
    return item;
}

/* The sequences that a record belongs to, at most two. */
static int entries_of(const struct ft_sequences *sequences, const struct ft_trace_record *record,
                      struct entry entry[2])
{
    memset(entry, 0, 2 * sizeof *entry);
    if (record->kind == FT_TRACE_SEND) {
        entry[0].key.kind = FT_SEQUENCE_CHANNEL;
        entry[0].key.peer = record->peer;
        entry[0].key.comm = record->comm;
        entry[0].key.tag = record->tag;
        entry[0].item = record->size;
        entry[0].content = record->hash;
        entry[1].key.kind = FT_SEQUENCE_ORDER;
        entry[1].item = mix(mix(record->size, record->comm), pair(record->peer, record->tag));
        return 2;
    }
    if (record->kind == FT_TRACE_COLLECTIVE && !(record->flags & FT_TRACE_FINAL)) {
        entry[0].key.kind = FT_SEQUENCE_COLLECTIVES;
        entry[0].key.comm = record->comm;
        entry[0].item = mix(record->size, pair(record->call, record->peer));
        entry[0].content = record->hash;
        return 1;
    }
    if (!has_outcome(record))
        return 0;
    entry[0].key.kind = record->kind == FT_TRACE_POLLS ? FT_SEQUENCE_POLLS : FT_SEQUENCE_OUTCOME;
    entry[0].key.place = ft_sequence_place(sequences, record);
    entry[0].item = outcome_of(record);
    return 1;
}

/* Channels are spread over the parts, everything else is looked at in the first. */
static int is_in_part(const struct ft_sequences *sequences, const struct ft_sequence_key *key,
                      uint64_t part)
{
    if (key->kind != FT_SEQUENCE_CHANNEL)
        return part == 0;
    return mix(mix(key->comm, pair(key->peer, key->tag)), 0) % sequences->parts == part;
}

static struct ft_sequence *sequence_of(struct ft_sequences *sequences,
                                       const struct ft_sequence_key *key)
{
    struct ft_sequence *sequence;

    HASH_FIND(hh, sequences->all, key, sizeof *key, sequence);
    if (sequence)
        return sequence;
    sequence = calloc(1, sizeof *sequence);
    if (!sequence)
        return NULL;
    sequence->key = *key;
    HASH_ADD(hh, sequences->all, key, sizeof *key, sequence);
    return sequence;
}

static void forget_all(struct ft_sequences *sequences)
{
    struct ft_sequence *sequence, *next;

    HASH_ITER (hh, sequences->all, sequence, next) {
        HASH_DEL(sequences->all, sequence);
        free(sequence);
    }
}

/* -E2BIG: too many for one pass, and more passes would help. */
static int add_entry(struct ft_sequences *sequences, int side, const struct entry *entry,
                     uint64_t part)
{
    uint64_t limit = sequences->limit ? sequences->limit : LIMIT;
    struct ft_sequence *sequence = sequence_of(sequences, &entry->key);

    if (!sequence)
        return -ENOMEM;
    sequence->count[side]++;
    sequence->chain[side] = mix(sequence->chain[side], entry->item);
    sequence->content[side] = mix(sequence->content[side], entry->content);
    return HASH_COUNT(sequences->all) > limit && part == 0 && sequences->parts < PARTS_MAX ? -E2BIG
                                                                                           : 0;
}

static void count_record(struct ft_sequences *sequences, int side,
                         const struct ft_trace_record *record)
{
    sequences->messages[side] += record->kind == FT_TRACE_SEND;
    sequences->collectives[side] +=
        record->kind == FT_TRACE_COLLECTIVE && !(record->flags & FT_TRACE_FINAL);
}

static int is_stopped(const struct ft_sequences *sequences, uint64_t index)
{
    return (index & LOOK) == 0 && sequences->stopped && sequences->stopped(sequences->context);
}

/* Reads one trace and adds what belongs to `part`. -E2BIG: too many sequences. */
static int take_side(struct ft_sequences *sequences, const char *folder, int rank, int side,
                     uint64_t part)
{
    struct ft_reader reader;
    const struct ft_trace_record *record;
    struct entry entry[2];
    int code = 0;

    ft_reader_open(&reader, folder, rank);
    while (code == 0 && (record = ft_reader_next(&reader))) {
        int count = entries_of(sequences, record, entry);

        for (int i = 0; i < count && code == 0; i++)
            if (is_in_part(sequences, &entry[i].key, part))
                code = add_entry(sequences, side, &entry[i], part);
        if (is_stopped(sequences, reader.index))
            code = -ECANCELED;
        if (part == 0)
            count_record(sequences, side, record);
    }
    if (code == 0)
        code = -reader.error;
    ft_reader_close(&reader);
    return code;
}

/* The next item of one sequence. */
static struct ft_item item_next(const struct ft_sequences *sequences, struct ft_reader *reader,
                                const struct ft_sequence_key *key)
{
    const struct ft_trace_record *record;
    struct entry entry[2];
    struct ft_item item = {0};

    while ((record = ft_reader_next(reader))) {
        int count = entries_of(sequences, record, entry);

        for (int i = 0; i < count; i++)
            if (memcmp(&entry[i].key, key, sizeof *key) == 0)
                return (struct ft_item){1, entry[i].item, entry[i].content, *record};
    }
    return item;
}

static int items_agree(const struct ft_item *a, const struct ft_item *b, int content)
{
    return a->there == b->there && a->item == b->item && (!content || a->content == b->content);
}

static void show(struct ft_difference *difference, const struct ft_item *a, const struct ft_item *b)
{
    const int last = FT_DIFFERENCE_CONTEXT / 2;

    for (int side = 0; side < 2; side++) {
        memmove(difference->shown[side], difference->shown[side] + 1,
                (size_t)last * sizeof(struct ft_item));
        difference->shown[side][last] = side ? *b : *a;
    }
}

/* Reads both traces side by side up to the first difference, and a little further. */
static void locate(const struct ft_sequences *sequences, const char *const folder[2],
                   struct ft_difference *difference)
{
    struct ft_reader *reader = malloc(2 * sizeof *reader);
    const int middle = FT_DIFFERENCE_CONTEXT / 2;
    struct ft_item a, b;

    if (!reader)
        return;
    for (int side = 0; side < 2; side++)
        ft_reader_open(&reader[side], folder[side], difference->rank);
    for (difference->index = 0;; difference->index++) {
        a = item_next(sequences, &reader[0], &difference->key);
        b = item_next(sequences, &reader[1], &difference->key);
        show(difference, &a, &b);
        if (!items_agree(&a, &b, difference->content) || !a.there)
            break;
        if (is_stopped(sequences, difference->index))
            break;
    }
    difference->at[0] = a;
    difference->at[1] = b;
    difference->first = difference->index - (uint64_t)middle;
    for (int i = middle + 1; i < FT_DIFFERENCE_CONTEXT; i++)
        for (int side = 0; side < 2; side++)
            difference->shown[side][i] = item_next(sequences, &reader[side], &difference->key);
    for (int side = 0; side < 2; side++)
        ft_reader_close(&reader[side]);
    free(reader);
}

static int sequence_differs(const struct ft_sequence *sequence)
{
    return sequence->count[0] != sequence->count[1] || sequence->chain[0] != sequence->chain[1];
}

enum { LOCATED_MAX = 64 }; /* differences of one kind that are looked at closely, for each rank */

/* Tells differences that are not examined closely as one of their kind: a program that makes a
 * channel for each message may differ in all of them. */
static void report(struct ft_sequences *sequences, const char *const folder[2], int rank,
                   void (*differs)(void *context, const struct ft_difference *difference),
                   void *context)
{
    struct ft_difference rest[FT_SEQUENCE_KINDS][2] = {0};
    struct ft_sequence *sequence, *next;
    int located[FT_SEQUENCE_KINDS] = {0};

    HASH_ITER (hh, sequences->all, sequence, next) {
        uint32_t kind = sequence->key.kind;
        int content = !sequence_differs(sequence);
        struct ft_difference difference = {
            .key = sequence->key, .rank = rank, .content = content, .times = 1};

        if (content && sequence->content[0] == sequence->content[1])
            continue;
        if (located[kind]++ < LOCATED_MAX) {
            locate(sequences, folder, &difference);
            differs(context, &difference);
            continue;
        }
        difference.index = UINT64_MAX;
        difference.times += rest[kind][content].times;
        rest[kind][content] = difference;
    }
    for (int i = 0; i < FT_SEQUENCE_KINDS * 2; i++)
        if (rest[i / 2][i % 2].times)
            differs(context, &rest[i / 2][i % 2]);
}

/* Tells which places had an outcome, each once with a record of it. */
static void tell_reached(struct ft_sequences *sequences, const char *folder, int rank,
                         void (*reached)(void *context, uint64_t place,
                                         const struct ft_trace_record *record),
                         void *context)
{
    struct ft_reader reader;
    const struct ft_trace_record *record;

    ft_reader_open(&reader, folder, rank);
    while ((record = ft_reader_next(&reader)))
        if (has_outcome(record) || record->site)
            reached(context, ft_sequence_place(sequences, record), record);
    ft_reader_close(&reader);
}

static int compare_part(struct ft_sequences *sequences, const char *const folder[2], int rank,
                        uint64_t part)
{
    int code = 0;

    for (int side = 0; side < 2 && code == 0; side++)
        code = take_side(sequences, folder[side], rank, side, part);
    return code;
}

int ft_sequences_compare(struct ft_sequences *sequences, const char *const folder[2], int rank,
                         void (*differs)(void *context, const struct ft_difference *difference),
                         void (*reached)(void *context, uint64_t place,
                                         const struct ft_trace_record *record),
                         void *context)
{
    uint64_t messages[2], collectives[2];
    int code = 0;

    memcpy(messages, sequences->messages, sizeof messages);
    memcpy(collectives, sequences->collectives, sizeof collectives);
    sequences->parts = 1;
    for (uint64_t part = 0; part < sequences->parts && code == 0; part++) {
        code = compare_part(sequences, folder, rank, part);
        if (code == -E2BIG) {
            sequences->parts *= 4; /* from the beginning: nothing was reported yet */
            memcpy(sequences->messages, messages, sizeof messages);
            memcpy(sequences->collectives, collectives, sizeof collectives);
            part = UINT64_MAX;
            code = 0;
        } else if (code == 0) {
            report(sequences, folder, rank, differs, context);
        }
        forget_all(sequences);
    }
    if (code == 0 && reached)
        for (int side = 0; side < 2; side++)
            tell_reached(sequences, folder[side], rank, reached, context);
    return code;
}
