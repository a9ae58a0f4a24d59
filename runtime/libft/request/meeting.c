/* Agreement after a drain: each sender tells a receiver which synchronous sends it has, in
 * order, and gets a byte for each: does it lie in the store? A send of an earlier drain that
 * does not lie there any more was taken by the program since, and its answer is under way. */
#include "request/meeting.h"

#include <stdlib.h>

#define MEETING_TAG 1000     /* behind the tags of what else is sent there */
#define MEETING_TAGS 500000u /* numbers come again then; the library has more tags */

struct told {
    uint64_t comm; /* identity */
    int32_t tag;
    uint32_t number;   /* of this rank's sends that are told of */
    uint8_t earlier;   /* it lay in the store behind an earlier drain */
    uint8_t last;      /* nothing was sent to that rank behind it but other sends of this list */
    uint8_t unused[6]; /* of the eight bytes; 0 */
};

struct peer {
    uint32_t to, from; /* so many sends, from there and to here */
    struct told *out, *in;
    uint8_t *told, *found; /* answers: [to] of that rank, [from] of this one */
};

struct ft_meetings {
    int size, count;
    struct ft_request **request; /* [count] by rank, each in the order of the sends */
    struct peer peer[];          /* [size] by world rank */
};

static int world_of(const struct ft_request *request)
{
    return request->comm->world[request->peer];
}

static MPI_Comm own_comm(struct ft_rank *self)
{
    return self->spbc ? ft_comm_cluster(self) : ft_comm_runtime(self);
}

/* Its rank there. */
static int member_of(const struct ft_rank *self, int world)
{
    int member = 0;

    for (int i = 0; self->spbc && i < world; i++)
        member += !self->spbc->foreign[i];
    return self->spbc ? member : world;
}

static int tag_of(uint32_t number)
{
    return MEETING_TAG + (int)(number % MEETING_TAGS);
}

static void meeting_end(struct ft_rank *self, struct ft_request *request, int code)
{
    self->requests->kept -= request->awaited;
    request->meeting = request->awaited = 0;
    request->advance = NULL;
    ft_request_complete(self, request, code);
}

/* A rank that repeats what it did, and is given its outcomes again, had got past this when it
 * asks. */
static int is_past(const struct ft_rank *self)
{
    return self->spbc && ft_stream_repeats(self);
}

static void answer_turn(struct ft_rank *self, struct ft_request *request)
{
    int flag = 0;

    if (is_past(self) && !request->detached)
        PMPI_Request_free(&request->real);
    else if (PMPI_Test(&request->real, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        ft_panic("cannot ask whether a synchronous send to rank %d has been received",
                 world_of(request));
    else if (!flag)
        return;
    meeting_end(self, request, MPI_SUCCESS);
}

static void answer_post(struct ft_rank *self, struct ft_request *request)
{
    int code = PMPI_Irecv(NULL, 0, MPI_BYTE, member_of(self, world_of(request)),
                          tag_of(request->met), own_comm(self), &request->real);

    if (code != MPI_SUCCESS)
        ft_panic("cannot wait for a synchronous send to rank %d, code %d", world_of(request), code);
}

void ft_meeting_rebuild(struct ft_rank *self, struct ft_request *request)
{
    if (request->meeting)
        answer_post(self, request);
}

static void answer_await(struct ft_rank *self, struct ft_request *request)
{
    answer_post(self, request);
    request->awaited = 1;
    request->advance = answer_turn;
    self->requests->kept++;
}

void ft_meeting_tell(struct ft_rank *self, const struct ft_drained *drained)
{
    MPI_Request real;
    int code = PMPI_Isend(NULL, 0, MPI_BYTE, member_of(self, drained->world),
                          tag_of(drained->meeting), own_comm(self), &real);

    if (code != MPI_SUCCESS)
        ft_panic("cannot tell rank %d that a synchronous send of it is received, code %d",
                 drained->world, code);
    PMPI_Request_free(&real);
}

/* Those that are made again are no matter of the library, but their copies are (ft_meeting_behind).
 */
static int is_listed(const struct ft_request *request)
{
    return request->kind == FT_REQUEST_SEND && request->mode == FT_SEND_SYNCHRONOUS &&
           !request->foreign && request->peer >= 0 && request->awaited == request->meeting;
}

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);

    if (!memory)
        ft_panic("out of memory in the drain for a checkpoint");
    return memory;
}

static void peers_count(struct ft_rank *self, struct ft_meetings *meetings)
{
    struct ft_request *request;

    FT_ACTIVE_FOREACH (self->requests, request) {
        struct peer *peer;

        if (!is_listed(request))
            continue;
        peer = &meetings->peer[world_of(request)];
        if (peer->to == FT_MEETINGS_MOST)
            continue;
        peer->to++;
        meetings->count++;
    }
}

static void request_list(struct ft_rank *self, struct ft_request *request, struct told *told)
{
    if (!request->meeting)
        request->met = ++self->requests->meetings;
    *told = (struct told){.comm = request->comm->id,
                          .tag = request->tag,
                          .number = request->met,
                          .earlier = request->awaited};
    request->meeting = 1;
    request->code = MPI_SUCCESS;
}

/* From the last one on: so many others were sent behind it, and as many are on the list. */
static void last_find(const struct ft_rank *self, const struct ft_meetings *meetings, int world,
                      struct ft_request *const *request)
{
    const struct peer *peer = &meetings->peer[world];

    for (uint32_t i = peer->to; i-- > 0;)
        peer->out[i].last = self->sent[world] - request[i]->number == peer->to - 1 - i;
}

static void peers_list(struct ft_rank *self, struct ft_meetings *meetings)
{
    struct ft_request *request, **at = meetings->request;

    for (int world = 0; world < meetings->size; world++) {
        struct peer *peer = &meetings->peer[world];
        uint32_t count = 0;

        if (peer->to == 0)
            continue;
        peer->out = room(peer->to, sizeof *peer->out);
        peer->told = room(peer->to, 1);
        FT_ACTIVE_FOREACH (self->requests, request)
            if (is_listed(request) && world_of(request) == world && count < peer->to) {
                request_list(self, request, &peer->out[count]);
                at[count++] = request;
            }
        last_find(self, meetings, world, at);
        at += count;
    }
}

struct ft_meetings *ft_meetings_begin(struct ft_rank *self)
{
    struct ft_meetings *meetings =
        room(1, sizeof *meetings + (size_t)self->size * sizeof *meetings->peer);

    meetings->size = self->size;
    peers_count(self, meetings);
    if (meetings->count == 0)
        return meetings;
    meetings->request = room((size_t)meetings->count, sizeof *meetings->request);
    peers_list(self, meetings);
    return meetings;
}

uint64_t ft_meetings_to(const struct ft_meetings *meetings, int world)
{
    return meetings->peer[world].to;
}

void ft_meetings_from(struct ft_meetings *meetings, int world, uint64_t count)
{
    struct peer *peer = &meetings->peer[world];

    peer->from = (uint32_t)count;
    if (count == 0)
        return;
    peer->in = room(count, sizeof *peer->in);
    peer->found = room(count, 1);
}

int ft_meeting_poll(struct ft_request *request)
{
    int flag = 0, code;

    if (!ft_meeting_is_open(request))
        return 0;
    code = PMPI_Test(&request->real, &flag, MPI_STATUS_IGNORE);
    if (!flag && code == MPI_SUCCESS)
        return 0;
    request->code = code;
    request->real = MPI_REQUEST_NULL;
    return 1;
}

static int is_of(const struct ft_drained *drained, int world, const struct told *told)
{
    return drained->world == world && drained->comm == told->comm && drained->tag == told->tag;
}

static struct ft_drained *marked(const struct ft_rank *self, int world, const struct told *told)
{
    struct ft_drained *drained;

    DL_FOREACH (self->requests->drained, drained)
        if (drained->meeting == told->number && is_of(drained, world, told))
            return drained;
    return NULL;
}

/* The newest message of that kind that is not marked, before `behind` (NULL: of all). */
static struct ft_drained *newest(const struct ft_rank *self, int world, const struct told *told,
                                 const struct ft_drained *behind)
{
    struct ft_drained *first = self->requests->drained, *drained;

    if (!first || behind == first)
        return NULL;
    for (drained = behind ? behind->prev : first->prev;; drained = drained->prev) {
        if (drained->meeting == 0 && is_of(drained, world, told))
            return drained;
        if (drained == first)
            return NULL;
    }
}

static int is_alike(const struct told *a, const struct told *b)
{
    return a && a->comm == b->comm && a->tag == b->tag;
}

/* From the last to the first, each is the newest message that is left, or has met a receive. */
static void all_mark(const struct ft_rank *self, int world, struct peer *peer)
{
    const struct told *before = NULL;
    struct ft_drained *drained = NULL;

    for (uint32_t i = peer->from; i-- > 0;) {
        const struct told *told = &peer->in[i];

        if (told->earlier || !told->last)
            continue;
        if (is_alike(before, told) && !drained)
            continue;
        drained = newest(self, world, told, is_alike(before, told) ? drained : NULL);
        before = told;
        if (!drained)
            continue;
        drained->meeting = told->number;
        peer->found[i] = 1;
    }
}

static void earlier_find(const struct ft_rank *self, int world, struct peer *peer)
{
    for (uint32_t i = 0; i < peer->from; i++)
        if (peer->in[i].earlier)
            peer->found[i] = marked(self, world, &peer->in[i]) != NULL;
}

/* One message from each peer, and one to it. */
static int all_exchange(struct ft_rank *self, struct ft_meetings *meetings, int answers,
                        int (*wait)(void *context, int count, MPI_Request *requests), void *context)
{
    MPI_Request *requests = room(2 * (size_t)meetings->size, sizeof *requests);
    MPI_Comm comm = own_comm(self);
    int count = 0, code = MPI_SUCCESS, tag = MEETING_TAG - 2 + answers;

    for (int world = 0; world < meetings->size && code == MPI_SUCCESS; world++) {
        const struct peer *peer = &meetings->peer[world];
        int member = peer->to || peer->from ? member_of(self, world) : 0;
        int to = (int)(peer->to * (answers ? 1 : sizeof(struct told)));
        int from = (int)(peer->from * (answers ? 1 : sizeof(struct told)));

        if (peer->to)
            code = answers
                       ? PMPI_Irecv(peer->told, to, MPI_BYTE, member, tag, comm, &requests[count++])
                       : PMPI_Isend(peer->out, to, MPI_BYTE, member, tag, comm, &requests[count++]);
        if (peer->from && code == MPI_SUCCESS)
            code =
                answers
                    ? PMPI_Isend(peer->found, from, MPI_BYTE, member, tag, comm, &requests[count++])
                    : PMPI_Irecv(peer->in, from, MPI_BYTE, member, tag, comm, &requests[count++]);
    }
    if (code != MPI_SUCCESS)
        ft_panic("cannot tell of synchronous sends, code %d", code);
    code = count ? wait(context, count, requests) : 0;
    free(requests);
    return code;
}

/* Messages taken out of the store since an earlier drain were told then. */
static int answers_take(struct ft_rank *self, struct ft_meetings *meetings, const uint8_t *found,
                        int (*wait)(void *context, int count, MPI_Request *requests), void *context)
{
    MPI_Request *requests = room((size_t)meetings->count, sizeof *requests);
    int count = 0, code;

    for (int i = 0; i < meetings->count; i++)
        if (meetings->request[i]->awaited && !found[i])
            requests[count++] = meetings->request[i]->real;
    code = count ? wait(context, count, requests) : 0;
    free(requests);
    for (int i = 0; code == 0 && i < meetings->count; i++) {
        struct ft_request *request = meetings->request[i];

        if (!found[i])
            meeting_end(self, request, request->code);
        else if (!request->awaited)
            answer_await(self, request);
    }
    return code;
}

/* The answers in the order of the list. */
static int requests_settle(struct ft_rank *self, struct ft_meetings *meetings,
                           int (*wait)(void *context, int count, MPI_Request *requests),
                           void *context)
{
    uint8_t *found = room((size_t)meetings->count, 1);
    int at = 0, code;

    for (int world = 0; world < meetings->size; world++)
        for (uint32_t i = 0; i < meetings->peer[world].to; i++)
            found[at++] = meetings->peer[world].told[i];
    code = answers_take(self, meetings, found, wait, context);
    free(found);
    return code;
}

int ft_meetings_settle(struct ft_rank *self, struct ft_meetings *meetings,
                       int (*wait)(void *context, int count, MPI_Request *requests), void *context)
{
    int code = all_exchange(self, meetings, 0, wait, context);

    if (code != 0)
        return code;
    for (int world = 0; world < meetings->size; world++) {
        all_mark(self, world, &meetings->peer[world]);
        earlier_find(self, world, &meetings->peer[world]);
    }
    code = all_exchange(self, meetings, 1, wait, context);
    return code ? code : requests_settle(self, meetings, wait, context);
}

void ft_meetings_release(struct ft_meetings *meetings)
{
    for (int world = 0; world < meetings->size; world++) {
        free(meetings->peer[world].out);
        free(meetings->peer[world].in);
        free(meetings->peer[world].told);
        free(meetings->peer[world].found);
    }
    free(meetings->request);
    free(meetings);
}

struct behind { /* between a send that is made again and its copy; who ends last frees it */
    struct ft_request *copy; /* NULL: it has ended */
    int left;                /* the send has */
};

/* Nobody else polls the copy. */
static void behind_turn(struct ft_rank *self, struct ft_request *request)
{
    struct behind *behind = request->argument;

    if (behind->copy)
        ft_request_poll(self, behind->copy);
    if (behind->copy && !is_past(self))
        return;
    behind->left = 1;
    if (!behind->copy)
        ft_image_free(behind);
    request->argument = NULL;
    meeting_end(self, request, MPI_SUCCESS);
}

static void copy_ended(struct ft_rank *self, void *argument)
{
    struct behind *behind = argument;

    (void)self;
    behind->copy = NULL;
    if (behind->left)
        ft_image_free(behind);
}

void ft_meeting_behind(struct ft_rank *self, struct ft_request *request, struct ft_request *copy)
{
    struct behind *behind = ft_image_alloc(sizeof *behind);

    behind->copy = copy;
    behind->left = 0;
    copy->done = copy_ended;
    copy->argument = behind;
    request->real = MPI_REQUEST_NULL;
    request->argument = behind;
    request->advance = behind_turn;
    request->awaited = 1;
    self->requests->kept++;
    ft_request_activate(self, request);
}
