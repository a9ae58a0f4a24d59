/* crowd: what a rank of that program has, gives and takes. Coins are neither made nor lost, and how
 * many go with a message depends on what has come first so far. */
#ifndef CROWD_H
#define CROWD_H

#include "draw.h"

enum { RANKS = 16, EACH = 3, SURPLUS = 2, MOST = RANKS * EACH + SURPLUS, LONGEST = 12000 };
enum { HEAD = 3, FILLED = 8 }; /* words of each message; how many of the others are looked at */
enum { TAGS = 3, ANSWER = TAGS, DONE, STOP, TAGS_OF_STEP };

/* Where the messages of a step are: a communicator, and `tag`, with the TAGS_OF_STEP from there on.
 * Alone: nobody has other messages there, so a receive of any tag gets one of this step's. */
struct place {
    MPI_Comm comm;
    int alone, rank, size, tag, tags;
    int messages[RANKS][RANKS]; /* from, to */
    int seen[RANKS];            /* of each sender, those that came, a bit for each */
};

static uint64_t state;  /* the same in every run */
static uint64_t course; /* of all that time has decided */
static int64_t coins, numbers, walked;
static uint64_t inbox[MOST][LONGEST];

static struct {
    int count;
    MPI_Request *request;
    uint64_t **word;
} outbox;

static inline void sway(int by)
{
    course = mix(course ^ (uint64_t)by);
}

static inline int tag_of(const struct place *place, int source, int which)
{
    return place->tag + (source + which) % place->tags;
}

static inline int length_of(const struct place *place, int source, int which)
{
    uint64_t lot = mix(seed ^ (uint64_t)(place->tag * 1000 + source * 10 + which));

    return HEAD + (int)(lot % 12 ? lot % 40 : lot % (LONGEST - HEAD));
}

/* ---- Giving ---- */

/* A message of `length` words with its head: which it is, coins, and a number. */
static inline uint64_t *outbox_begin(int which, int length, int number)
{
    uint64_t *word = malloc(sizeof *word * (size_t)length);
    int64_t gift = coins > 0 ? coins / 64 * (int64_t)(course % 16) : 0;

    coins -= gift;
    word[0] = (uint64_t)which;
    word[1] = (uint64_t)gift;
    word[2] = (uint64_t)number;
    return word;
}

static inline void outbox_send(const struct place *place, uint64_t *word, int length, int to,
                               int tag, int synchronous)
{
    int last = outbox.count++;

    outbox.request = realloc(outbox.request, sizeof(MPI_Request) * (size_t)outbox.count);
    outbox.word = realloc(outbox.word, sizeof(uint64_t *) * (size_t)outbox.count);
    outbox.word[last] = word;
    (synchronous ? MPI_Issend : MPI_Isend)(word, length, MPI_UINT64_T, to, tag, place->comm,
                                           &outbox.request[last]);
}

static inline void send_one(const struct place *place, int to, int which)
{
    int length = length_of(place, place->rank, which), synchronous = draw_own(4) == 0;
    uint64_t *word = outbox_begin(which, length, 0);

    for (int i = HEAD; i < length; i++)
        word[i] = mix(state + (uint64_t)i);
    outbox_send(place, word, length, to, tag_of(place, place->rank, which), synchronous);
}

/* All messages of this rank; which receiver comes first is its own affair. */
static inline void sends_begin(const struct place *place)
{
    int first = draw_own(place->size);

    for (int i = 0; i < place->size; i++) {
        int to = (first + i) % place->size;

        for (int which = 0; which < place->messages[place->rank][to]; which++)
            send_one(place, to, which);
    }
}

static inline void sends_end(void)
{
    MPI_Waitall(outbox.count, outbox.request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < outbox.count; i++)
        free(outbox.word[i]);
    outbox.count = 0;
}

/* ---- Taking ---- */

static inline void take_coins(const uint64_t *word, const MPI_Status *status)
{
    coins += (int64_t)word[1];
    sway(status->MPI_SOURCE);
}

/* One of those that send_one sends; the sum does not depend on which came first. */
static inline uint64_t take_in(struct place *place, const uint64_t *word, const MPI_Status *status)
{
    int source = status->MPI_SOURCE, which = (int)word[0], length;
    uint64_t sum = mix((uint64_t)(source * EACH + which));

    MPI_Get_count(status, MPI_UINT64_T, &length);
    check(length == length_of(place, source, which), "length", place->tag);
    check(status->MPI_TAG == tag_of(place, source, which), "tag", place->tag);
    check(!(place->seen[source] >> which & 1), "message that came twice", place->tag);
    place->seen[source] |= 1 << which;
    for (int i = HEAD; i < length && i < HEAD + FILLED; i++)
        sum = mix(sum ^ word[i]);
    sum = mix(sum ^ word[length - 1] * (length > HEAD));
    take_coins(word, status);
    return sum;
}

static inline void all_seen(const struct place *place)
{
    for (int source = 0; source < place->size; source++)
        check(place->seen[source] == (1 << place->messages[source][place->rank]) - 1, "who came",
              place->tag);
}

/* Into the first inbox, in one of TAKE_WAYS ways. */
enum { TAKE_WAYS = 6 };

static inline MPI_Status receive(const struct place *place, int source, int tag, int way)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status = {.MPI_SOURCE = source, .MPI_TAG = tag};
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;

    if (way == 1)
        MPI_Probe(source, tag, place->comm, &status);
    for (; way == 2 && !flag; sway(way))
        MPI_Iprobe(source, tag, place->comm, &flag, &status);
    if (way == 3)
        MPI_Mprobe(source, tag, place->comm, &message, &status);
    for (; way == 4 && !flag; sway(way))
        MPI_Improbe(source, tag, place->comm, &flag, &message, &status);
    if (way == 5) {
        MPI_Irecv(inbox[0], LONGEST, MPI_UINT64_T, source, tag, place->comm, &request);
        for (; !flag; sway(way))
            MPI_Test(&request, &flag, &status);
    } else if (message != MPI_MESSAGE_NULL)
        MPI_Mrecv(inbox[0], LONGEST, MPI_UINT64_T, &message, &status);
    else
        MPI_Recv(inbox[0], LONGEST, MPI_UINT64_T, status.MPI_SOURCE, status.MPI_TAG, place->comm,
                 &status);
    return status;
}

#endif
