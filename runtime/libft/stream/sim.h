/* sim: a simulated machine for the tests of streams. Ranks are structures in arenas of memory, so
 * that an image is a copy of an arena; the MPI library is a list of messages, which is lost
 * whenever an epoch ends. Included by one test, with all it needs. */
#ifndef FT_STREAM_SIM_H
#define FT_STREAM_SIM_H

#define SIM_WINDOW 7

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "handle/pack.h"
#include "stream/quick.h"

enum { RANKS = 5, CLUSTERS = 3, TAGS = 3, LIST = 700, PENDING = 12, ARENA = 1 << 20, NET = 4000 };

struct receive { /* pending */
    int what;    /* index in the list */
    int source, tag;
    uint64_t number; /* 0: it has none before its end */
    int met;         /* index in the net, -1: none */
};

struct actor { /* at the beginning of each arena */
    size_t used;
    void *pages; /* that were given back */
    struct ft_rank rank;
    struct ft_spbc spbc;
    struct ft_comm comm;
    struct ft_recorder recorder;
    int world[RANKS];
    uint8_t foreign[RANKS];
    int32_t of[RANKS];
    int position, count;
    struct receive receive[PENDING]; /* [count] in posting order */
};

static const int cluster_of[RANKS] = {0, 0, 1, 2, 2};
static _Alignas(64) char arena[RANKS][ARENA], before[RANKS][ARENA];
static struct {
    int source, dest, tag, taken;
    uint64_t content;
} net[NET];
static int net_count, acting, list_source[LIST], list_dest[LIST], list_tag[LIST];
static int flying[RANKS][RANKS];                 /* synchronous messages */
static int plain[RANKS][RANKS];                  /* others */
static int passed[RANKS][RANKS];                 /* most of them that a later one has overtaken */
static int grown;                                /* windows that time has opened */
static enum { MET_ANY, MET_NONE, MET_LAST } met; /* by receives, at each look */
static int any_tag[RANKS][RANKS]; /* receives from there, by here, leave the tag open */
static uint64_t words[RANKS][RANKS][4096];
static int word_count[RANKS][RANKS], hearing;
static jmp_buf panic_place;
static int panic_expected, rollbacks, replays;
static const char *panicked;                     /* what it says, without its arguments */
static char folder[] = "/tmp/ft-streams.XXXXXX"; /* of the files of logs */
static uint64_t log_limit;
static int warnings, requests;      /* said, sent to ftrun */
static int32_t requested[CLUSTERS]; /* how often a checkpoint of each was asked for */

#define PLAIN 1000 /* the request of a message that is not synchronous */

struct ft_life ft_life;
struct ft_rank *ft_self; /* of --protocol hydee alone */

static struct actor *actor_of(int rank)
{
    return (struct actor *)arena[rank];
}

void *ft_image_alloc(size_t bytes)
{
    struct actor *actor = actor_of(acting);
    size_t *block = (size_t *)(arena[acting] + actor->used);

    actor->used += (bytes + 31) & ~(size_t)15;
    assert_true(actor->used <= ARENA);
    memset(block, 0, bytes + 16);
    *block = bytes;
    return block + 2;
}

void *ft_image_room(size_t bytes)
{
    return ft_image_alloc(bytes);
}

void *ft_image_realloc(void *block, size_t bytes)
{
    void *made = ft_image_alloc(bytes);

    if (block)
        memcpy(made, block, ((size_t *)block)[-2]);
    return made;
}

void ft_image_free(void *block)
{
    (void)block;
}

/* Pages that were given back are mapped again. */
void *ft_image_pages(size_t bytes)
{
    struct actor *actor = actor_of(acting);

    for (void **link = &actor->pages, *pages; (pages = *link); link = pages)
        if (((size_t *)pages)[1] == bytes) {
            *link = *(void **)pages;
            return memset(pages, 0, bytes);
        }
    return ft_image_alloc(bytes);
}

void ft_image_pages_free(void *pages, size_t bytes)
{
    struct actor *actor = actor_of(acting);

    *(void **)pages = actor->pages;
    ((size_t *)pages)[1] = bytes;
    actor->pages = pages;
}

void ft_image_pages_touch(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}

void ft_image_pages_apart(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}

void ft_image_pages_drop(void *pages, size_t bytes)
{
    memset(pages, 0xee, bytes);
}

void ft_log_debug(const char *room, const char *format, ...)
{
    (void)room, (void)format;
}

void ft_warn(const char *format, ...)
{
    assert_non_null(strstr(format, "--store"));
    warnings++;
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    const int32_t *cluster = tail;

    (void)socket, (void)fd;
    assert_int_equal(type, FT_WIRE_REQUEST);
    assert_int_equal(length, sizeof(struct ft_wire_number));
    assert_int_equal(((const struct ft_wire_number *)payload)->value, FT_REQUEST_LOG);
    requests++;
    for (size_t i = 0; i < tail_length / sizeof *cluster; i++)
        requested[cluster[i]]++;
    return 0;
}

void ft_panic(const char *format, ...)
{
    if (!panic_expected)
        fail_msg("panic: %s", format);
    panicked = format;
    longjmp(panic_place, 1);
}

void ft_trust_belief(uint32_t site, char *text, size_t size)
{
    (void)site;
    *text = 0;
    (void)size;
}

void ft_disbelieve(const struct ft_rank *self, const char *what)
{
    (void)self;
    ft_panic("%s", what);
    abort();
}

struct ft_comm *ft_comm_first(struct ft_rank *self)
{
    (void)self;
    return &actor_of(acting)->comm;
}

struct ft_comm *ft_comm_lanes(struct ft_rank *self)
{
    (void)self;
    return NULL;
}

MPI_Comm ft_comm_runtime(struct ft_rank *self)
{
    (void)self;
    return MPI_COMM_WORLD;
}

void ft_comm_hold(struct ft_rank *self, struct ft_comm *comm)
{
    (void)self;
    comm->held++;
}

void ft_comm_release(struct ft_rank *self, struct ft_comm *comm)
{
    (void)self;
    comm->held--;
}

/* Nobody says the place of a message here. */
int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)buffer, (void)count, (void)type, (void)dest, (void)tag, (void)comm, (void)request;
    return MPI_ERR_OTHER;
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    (void)source, (void)tag, (void)comm, (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm, (void)status;
    return MPI_ERR_OTHER;
}

static void net_put(int dest, int tag, uint64_t content)
{
    assert_true(net_count < NET);
    net[net_count].source = acting;
    net[net_count].dest = dest;
    net[net_count].tag = tag;
    net[net_count].taken = 0;
    net[net_count++].content = content;
}

/* Time stands still while a test does not change `grown`: the window does not grow. */
double ft_os_now(void)
{
    return 1 + grown;
}

int PMPI_Issend_c(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    uint64_t content;

    (void)comm;
    assert_int_equal(type, MPI_BYTE);
    assert_int_equal(count, sizeof content);
    memcpy(&content, buffer, sizeof content);
    net_put(dest, tag, content);
    *request = dest + 1;
    replays++;
    assert_true(++flying[acting][dest] <=
                (int)ft_life.boot.window * (1 + grown) + passed[acting][dest]);
    return MPI_SUCCESS;
}

/* Like the short ones of the library: complete at once, but a test has to say so. */
int PMPI_Isend_c(const void *buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    uint64_t content;

    (void)comm;
    assert_int_equal(type, MPI_BYTE);
    assert_int_equal(count, sizeof content);
    memcpy(&content, buffer, sizeof content);
    net_put(dest, tag, content);
    *request = PLAIN;
    replays++;
    assert_int_equal(flying[acting][dest], 0);
    assert_true(++plain[acting][dest] <= (int)ft_life.boot.window);
    return MPI_SUCCESS;
}

static void net_lost(void)
{
    net_count = 0;
    memset(plain, 0, sizeof plain);
    memset(flying, 0, sizeof flying);
    memset(passed, 0, sizeof passed);
}

int PMPI_Testsome(int count, MPI_Request list[], int *done, int index[], MPI_Status status[])
{
    (void)status;
    *done = 0;
    for (int i = 0; i < count; i++)
        if (list[i] == PLAIN) {
            list[i] = MPI_REQUEST_NULL;
            index[(*done)++] = i;
        } else if (met == MET_ANY ? rand() % 2 : met == MET_LAST && i == count - 1) {
            int dest = list[i] - 1, left = i - *done;

            flying[acting][dest]--;
            if (left > passed[acting][dest])
                passed[acting][dest] = left;
            list[i] = MPI_REQUEST_NULL;
            index[(*done)++] = i;
        }
    return MPI_SUCCESS;
}

int PMPI_Ialltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                   MPI_Datatype in_type, MPI_Comm comm, MPI_Request *request)
{
    const int *counts = out;
    int *answer = in;

    (void)out_count, (void)out_type, (void)in_count, (void)in_type, (void)comm;
    for (int i = 0; i < RANKS; i++)
        if (hearing)
            answer[i] = word_count[i][acting];
        else
            word_count[acting][i] = counts[i];
    *request = 1;
    return MPI_SUCCESS;
}

int PMPI_Ialltoallv(const void *out, const int out_counts[], const int out_places[],
                    MPI_Datatype out_type, void *in, const int in_counts[], const int in_places[],
                    MPI_Datatype in_type, MPI_Comm comm, MPI_Request *request)
{
    (void)out_type, (void)in_type, (void)comm;
    for (int i = 0; i < RANKS; i++)
        if (hearing)
            memcpy((uint64_t *)in + in_places[i], words[i][acting], (size_t)in_counts[i] * 8);
        else
            memcpy(words[acting][i], (const uint64_t *)out + out_places[i],
                   (size_t)out_counts[i] * 8);
    *request = 1;
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)request, (void)status;
    *flag = 1;
    return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype type, int *size)
{
    *size = type == MPI_UINT64_T ? 8 : 1;
    return MPI_SUCCESS;
}

int PMPI_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count *size)
{
    (void)count, (void)type, (void)comm, (void)size;
    return MPI_ERR_TYPE;
}

int ft_pack(const void *buffer, MPI_Count count, MPI_Datatype real, void *data, MPI_Count room,
            MPI_Count *used, MPI_Comm comm)
{
    (void)buffer, (void)count, (void)real, (void)data, (void)room, (void)used, (void)comm;
    return MPI_ERR_TYPE;
}

static struct ft_rank *act(int rank)
{
    acting = rank;
    snprintf(ft_life.boot.log, sizeof ft_life.boot.log, "%s/%d", folder, rank);
    ft_life.boot.log_limit = log_limit;
    ft_life.boot.window = SIM_WINDOW;
    return &actor_of(rank)->rank;
}

static void actor_start(int rank)
{
    struct actor *actor = actor_of(rank);

    memset(actor, 0, sizeof *actor);
    actor->used = (sizeof *actor + 63) & ~(size_t)63;
    for (int i = 0; i < RANKS; i++) {
        actor->world[i] = i;
        actor->of[i] = cluster_of[i];
        actor->foreign[i] = cluster_of[i] != cluster_of[rank];
    }
    actor->spbc = (struct ft_spbc){
        .clusters = CLUSTERS, .mine = cluster_of[rank], .of = actor->of, .foreign = actor->foreign};
    actor->comm = (struct ft_comm){.id = 77, .peers = RANKS, .world = actor->world, .size = RANKS};
    actor->rank = (struct ft_rank){
        .rank = rank, .size = RANKS, .spbc = &actor->spbc, .recorder = &actor->recorder};
    ft_streams_start(act(rank));
}

static void actor_send_by(int dest, int tag, uint64_t content, int log)
{
    struct actor *actor = actor_of(acting);

    struct ft_message message = {&actor->comm, &content, 1, dest, tag, MPI_UINT64_T, 0};
    struct ft_stream *stream;
    int due = ft_stream_due(&actor->rank, &message, &stream) && !log;

    if (due)
        net_put(dest, tag, content);
    assert_int_equal(ft_stream_log(&actor->rank, &message, stream, due), MPI_SUCCESS);
}

static void actor_send(int dest, int tag, uint64_t content)
{
    actor_send_by(dest, tag, content, 0);
}

static void actor_post(int source, int tag, int what)
{
    struct actor *actor = actor_of(acting);
    struct receive *receive = &actor->receive[actor->count++];

    *receive = (struct receive){.what = what, .source = source, .tag = tag, .met = -1};
    if (tag != MPI_ANY_TAG)
        receive->number = ft_stream_posted(&actor->rank, &actor->comm, source, tag);
}

/* The next piece of the rank's program. Answers 0 at its end. */
static int actor_step(int rank)
{
    struct actor *actor = actor_of(rank);
    int what = actor->position;

    act(rank);
    if (what == LIST)
        return 0;
    if (list_dest[what] == rank && actor->count == PENDING)
        return 1;
    if (list_source[what] == rank)
        actor_send(list_dest[what], list_tag[what], (uint64_t)what);
    if (list_dest[what] == rank)
        actor_post(list_source[what],
                   any_tag[list_source[what]][rank] ? MPI_ANY_TAG : list_tag[what], what);
    actor->position++;
    return 1;
}

/* The library: each message meets the first receive posted for it. */
static void net_match(struct actor *actor)
{
    for (int i = 0; i < net_count; i++) {
        if (net[i].taken || net[i].dest != actor->rank.rank)
            continue;
        for (int k = 0; k < actor->count; k++) {
            struct receive *receive = &actor->receive[k];

            if (receive->met >= 0 || receive->source != net[i].source ||
                (receive->tag != MPI_ANY_TAG && receive->tag != net[i].tag))
                continue;
            receive->met = i;
            net[i].taken = 1;
            break;
        }
    }
}

/* Is one without a number before it, that could have taken its message? */
static int is_kept_back(const struct actor *actor, int at)
{
    for (int i = 0; i < at; i++)
        if (!actor->receive[i].number && actor->receive[i].source == actor->receive[at].source)
            return 1;
    return 0;
}

/* Any of the receives that have met a message completes. */
static void actor_receive(int rank)
{
    struct actor *actor = actor_of(rank);
    int at = actor->count ? rand() % actor->count : 0;
    struct receive receive = actor->receive[at];

    act(rank);
    net_match(actor);
    if (actor->count == 0 || actor->receive[at].met < 0 || is_kept_back(actor, at))
        return;
    receive = actor->receive[at];
    assert_int_equal(net[receive.met].content, receive.what);
    ft_stream_received(&actor->rank, &actor->comm, receive.source, net[receive.met].tag,
                       receive.number);
    memmove(&actor->receive[at], &actor->receive[at + 1],
            (size_t)(--actor->count - at) * sizeof receive);
}

#endif
