/* The receivers' traces are read side by side, in the order of time, each in posting order; the
 * senders' traces as far as needed. In memory are the messages that were sent and not yet asked
 * for, as runs of equal ones: about as many as the program had in flight. */
#include "verify/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "verify/reader.h"

enum {
    LOOK = 65535,         /* records between two looks at `stopped`, minus one */
    CHANNELS_KEPT = 65536 /* that may stay though they hold no message */
};

struct channel_key {
    uint64_t comm;
    int32_t source, destination, tag, pad;
};

struct run { /* messages in a row of one channel that are alike */
    struct ft_trace_record record;
    uint64_t count;
    struct run *next, *prev;
};

struct channel {
    struct channel_key key;
    struct run *runs;
    UT_hash_handle hh;
};

struct blocker { /* a receive of which no match is known */
    struct ft_trace_record record;
    struct blocker *next;
};

struct receiver {
    struct ft_reader reader;
    const struct ft_trace_record *now; /* NULL: done */
    struct blocker *blockers;
};

struct matcher {
    int ranks;
    struct receiver *receivers; /* [ranks] */
    struct ft_reader *senders;  /* [ranks] */
    struct channel *channels;
};

static struct channel *channel_of(struct matcher *matcher, const struct channel_key *key)
{
    struct channel *channel;

    HASH_FIND(hh, matcher->channels, key, sizeof *key, channel);
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->key = *key;
    HASH_ADD(hh, matcher->channels, key, sizeof *key, channel);
    return channel;
}

static int is_alike(const struct ft_trace_record *a, const struct ft_trace_record *b)
{
    return a->pattern == b->pattern && a->iteration == b->iteration && a->site == b->site &&
           a->address == b->address;
}

/* Appends a message that `source` has sent. */
static int message_add(struct matcher *matcher, int source, const struct ft_trace_record *record)
{
    struct channel_key key = {record->comm, source, record->peer, record->tag, 0};
    struct channel *channel = channel_of(matcher, &key);
    struct run *run = channel && channel->runs ? channel->runs->prev : NULL;

    if (!channel)
        return -ENOMEM;
    if (run && is_alike(&run->record, record)) {
        run->count++;
        return 0;
    }
    run = calloc(1, sizeof *run);
    if (!run)
        return -ENOMEM;
    run->record = *record;
    run->count = 1;
    DL_APPEND(channel->runs, run);
    return 0;
}

/* Reads the sender until the channel holds a message. 0, -ENOENT: it holds none, or -ENOMEM. */
static int channel_fill(struct matcher *matcher, struct channel *channel)
{
    int source = channel->key.source, code = 0;

    while (!channel->runs && code == 0) {
        const struct ft_trace_record *record = ft_reader_next(&matcher->senders[source]);

        if (!record)
            return -ENOENT;
        if (record->kind == FT_TRACE_SEND)
            code = message_add(matcher, source, record);
    }
    return code;
}

/* Takes the first message of the channel, which may be gone then. */
static void message_take(struct matcher *matcher, struct channel *channel)
{
    struct run *run = channel->runs;

    if (--run->count > 0)
        return;
    DL_DELETE(channel->runs, run);
    free(run);
    if (channel->runs || HASH_COUNT(matcher->channels) <= CHANNELS_KEPT)
        return;
    HASH_DEL(matcher->channels, channel);
    free(channel);
}

static int blocks(const struct ft_trace_record *blocker, const struct ft_trace_record *record)
{
    return blocker->comm == record->comm &&
           (blocker->flags & FT_TRACE_ANY_SOURCE || blocker->peer == record->peer) &&
           (blocker->flags & FT_TRACE_ANY_TAG || blocker->asked_tag == record->tag);
}

static int is_blocked(const struct receiver *receiver)
{
    const struct blocker *blocker;

    LL_FOREACH (receiver->blockers, blocker)
        if (blocks(&blocker->record, receiver->now))
            return 1;
    return 0;
}

static int blocker_add(struct receiver *receiver)
{
    struct blocker *blocker = malloc(sizeof *blocker);

    if (!blocker)
        return -ENOMEM;
    blocker->record = *receiver->now;
    LL_PREPEND(receiver->blockers, blocker);
    return 0;
}

static void compare(const struct channel *channel, const struct ft_trace_record *request,
                    void (*crossed)(void *context, const struct ft_match *match), void *context)
{
    const struct ft_trace_record *message = &channel->runs->record;
    struct ft_match match;

    if (!(request->flags & (FT_TRACE_ANY_SOURCE | FT_TRACE_ANY_TAG)) ||
        (message->pattern == request->pattern && message->iteration == request->iteration))
        return;
    match = (struct ft_match){.source = channel->key.source,
                              .destination = channel->key.destination,
                              .message = *message,
                              .request = *request};
    crossed(context, &match);
}

/* A receive or probe that met a message. */
static int meet(struct matcher *matcher, struct receiver *receiver, int rank,
                void (*crossed)(void *context, const struct ft_match *match), void *context,
                uint64_t *matched)
{
    const struct ft_trace_record *request = receiver->now;
    struct channel_key key = {request->comm, request->peer, rank, request->tag, 0};
    struct channel *channel;
    int code;

    if (request->peer < 0 || request->peer >= matcher->ranks || is_blocked(receiver))
        return 0;
    channel = channel_of(matcher, &key);
    code = channel ? channel_fill(matcher, channel) : -ENOMEM;
    if (code != 0)
        return code == -ENOENT ? 0 : code;
    compare(channel, request, crossed, context);
    if (request->kind == FT_TRACE_RECV) {
        message_take(matcher, channel);
        ++*matched;
    }
    return 0;
}

static int take(struct matcher *matcher, int rank,
                void (*crossed)(void *context, const struct ft_match *match), void *context,
                uint64_t *matched)
{
    struct receiver *receiver = &matcher->receivers[rank];
    const struct ft_trace_record *record = receiver->now;

    if (record->flags & FT_TRACE_CANCELLED)
        return 0;
    if (record->flags & FT_TRACE_MATCHED)
        return meet(matcher, receiver, rank, crossed, context, matched);
    return record->kind == FT_TRACE_RECV ? blocker_add(receiver) : 0;
}

/* The next receive or probe of a rank. */
static void advance(struct receiver *receiver)
{
    do
        receiver->now = ft_reader_next(&receiver->reader);
    while (receiver->now && receiver->now->kind != FT_TRACE_RECV &&
           receiver->now->kind != FT_TRACE_PROBE);
}

static int earliest(const struct matcher *matcher)
{
    int found = -1;

    for (int i = 0; i < matcher->ranks; i++) {
        const struct ft_trace_record *now = matcher->receivers[i].now;

        if (now && (found < 0 || now->time < matcher->receivers[found].now->time))
            found = i;
    }
    return found;
}

/* Without any pattern everything belongs to the same place. */
static int has_patterns(const char *folder, int ranks)
{
    struct ft_reader *reader = malloc(sizeof *reader);
    const struct ft_trace_record *record;
    int found = 0;

    for (int i = 0; reader && i < ranks && !found; i++) {
        ft_reader_open(reader, folder, i);
        while (!found && (record = ft_reader_next(reader)))
            found = record->pattern != 0;
        ft_reader_close(reader);
    }
    free(reader);
    return found;
}

static int matcher_open(struct matcher *matcher, const char *folder, int ranks)
{
    *matcher = (struct matcher){.ranks = ranks};
    matcher->receivers = calloc((size_t)ranks, sizeof *matcher->receivers);
    matcher->senders = calloc((size_t)ranks, sizeof *matcher->senders);
    if (!matcher->receivers || !matcher->senders)
        return -ENOMEM;
    for (int i = 0; i < ranks; i++) {
        ft_reader_open(&matcher->receivers[i].reader, folder, i);
        ft_reader_open(&matcher->senders[i], folder, i);
        advance(&matcher->receivers[i]);
    }
    return 0;
}

static void channel_destroy(struct channel *channel)
{
    struct run *run, *next;

    DL_FOREACH_SAFE (channel->runs, run, next)
        free(run);
    free(channel);
}

static void matcher_close(struct matcher *matcher)
{
    struct channel *channel, *next;
    struct blocker *blocker, *after;

    for (int i = 0; matcher->senders && matcher->receivers && i < matcher->ranks; i++) {
        ft_reader_close(&matcher->receivers[i].reader);
        ft_reader_close(&matcher->senders[i]);
        LL_FOREACH_SAFE (matcher->receivers[i].blockers, blocker, after)
            free(blocker);
    }
    HASH_ITER (hh, matcher->channels, channel, next) {
        HASH_DEL(matcher->channels, channel);
        channel_destroy(channel);
    }
    free(matcher->receivers);
    free(matcher->senders);
}

int ft_match_check(const char *folder, int ranks,
                   void (*crossed)(void *context, const struct ft_match *match),
                   int (*stopped)(void *context), void *context, uint64_t *matched)
{
    struct matcher matcher;
    uint64_t records = 0;
    int rank, code;

    *matched = 0;
    if (!has_patterns(folder, ranks))
        return 0;
    code = matcher_open(&matcher, folder, ranks);
    while (code == 0 && (rank = earliest(&matcher)) >= 0) {
        code = take(&matcher, rank, crossed, context, matched);
        advance(&matcher.receivers[rank]);
        if ((records++ & LOOK) == 0 && stopped && stopped(context))
            code = -ECANCELED;
    }
    matcher_close(&matcher);
    return code;
}
