/* Places are kept until no receive can be cancelled any more that was promised their messages: a
 * cancelled one gives its message to the one behind it. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "stream/notices.h"

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

#define NOTICE_TAG 2 /* on the runtime's communicator */
#define ROOM_FIRST 16u
#define SAID_FEW 64u /* of ft_said */

struct notice { /* as it travels */
    uint64_t comm;
    int32_t tag;
    uint32_t pattern, iteration, pad;
};

struct flight { /* a notice that the library has not sent yet; not in the image */
    struct flight *next;
    MPI_Request request;
    struct notice notice;
};

struct ft_said { /* of one source, communicator and tag, in this epoch */
    struct {
        uint64_t comm;
        int32_t world, tag;
    } key;
    uint64_t taken;                 /* messages that receives have, or are promised */
    uint64_t heard;                 /* notices */
    uint64_t first;                 /* notices that are not kept any more */
    struct ft_pattern_place *place; /* [heard - first] the others */
    uint32_t room;
    UT_hash_handle hh;
};

static struct flight *flights;
static const struct ft_listener *listening;
static unsigned said_most = UINT_MAX; /* when there are so many, what is settled goes */

static void flights_poll(void)
{
    struct flight **link = &flights, *flight;
    int flag;

    while ((flight = *link)) {
        if (PMPI_Test(&flight->request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag) {
            link = &flight->next;
            continue;
        }
        *link = flight->next;
        free(flight);
    }
}

/* Whether it went at once is not known before; then its data must not be on the stack. */
void ft_notice_send(struct ft_rank *self, const struct ft_comm *comm, int world, int tag,
                    struct ft_pattern_place place)
{
    struct flight *flight = malloc(sizeof *flight);

    flights_poll();
    if (!flight)
        ft_panic("no memory to tell the place of a message");
    flight->notice = (struct notice){comm->id, tag, place.pattern, place.iteration, 0};
    flight->next = flights;
    if (PMPI_Isend(&flight->notice, sizeof flight->notice, MPI_BYTE, world, NOTICE_TAG,
                   ft_comm_runtime(self), &flight->request) != MPI_SUCCESS) {
        ft_life.torn = 1; /* the receiver is dead, and the epoch ends */
        free(flight);
    } else {
        flights = flight;
    }
}

static struct ft_said key_of(uint64_t comm, int world, int tag)
{
    struct ft_said said;

    memset(&said, 0, sizeof said);
    said.key.comm = comm;
    said.key.world = world;
    said.key.tag = tag;
    return said;
}

static struct ft_said *said_find(struct ft_rank *self, uint64_t comm, int world, int tag)
{
    struct ft_said *said, asked = key_of(comm, world, tag);

    HASH_FIND(hh, self->spbc->said, &asked.key, sizeof asked.key, said);
    return said;
}

static void said_destroy(struct ft_rank *self, struct ft_said *said)
{
    HASH_DEL(self->spbc->said, said);
    ft_image_free(said->place);
    ft_image_free(said);
}

/* A program with fresh tags gets very many, and this epoch may last. A count of which everything
 * heard is taken, and nothing will be given back, can begin anew. */
static void said_sweep(struct ft_rank *self)
{
    struct ft_said *said, *next;

    HASH_ITER (hh, self->spbc->said, said, next) {
        if (said->heard == said->taken &&
            !listening->promised(self, said->key.comm, said->key.world, said->key.tag))
            said_destroy(self, said);
    }
    said_most = 2 * HASH_COUNT(self->spbc->said) + SAID_FEW;
}

/* Another one of before may be gone. */
static struct ft_said *said_of(struct ft_rank *self, uint64_t comm, int world, int tag)
{
    struct ft_said *said = said_find(self, comm, world, tag);

    if (said)
        return said;
    if (ft_unlikely(HASH_COUNT(self->spbc->said) >= said_most))
        said_sweep(self);
    said = ft_image_alloc(sizeof *said);
    *said = key_of(comm, world, tag);
    HASH_ADD(hh, self->spbc->said, key, sizeof said->key, said);
    return said;
}

void ft_notices_forget(struct ft_rank *self)
{
    struct ft_said *said, *next;

    self->spbc->hearing = 0;
    said_most = UINT_MAX;
    HASH_ITER (hh, self->spbc->said, said, next)
        said_destroy(self, said);
}

void ft_notices_begin(struct ft_rank *self, const struct ft_listener *listener)
{
    if (!self->spbc->identified)
        return;
    listening = listener;
    said_most = SAID_FEW;
    self->spbc->hearing = 1;
    self->spbc->replaying++;
    self->spbc->resending++;
    ft_log_debug("request", "the places of messages are heard from here on");
}

/* Places that nobody asks for any more go. */
static void places_drop(struct ft_rank *self, struct ft_said *said)
{
    uint64_t pending = listening->pending(self), until, count = said->heard - said->first;

    until = said->taken > pending ? said->taken - pending : 0;
    if (until > said->heard)
        until = said->heard;
    if (until <= said->first)
        return;
    count -= until - said->first;
    memmove(said->place, said->place + (until - said->first), count * sizeof *said->place);
    said->first = until;
}

static void hear(struct ft_rank *self, struct ft_said *said, struct ft_pattern_place place)
{
    if (said->heard - said->first == said->room)
        places_drop(self, said);
    if (said->heard - said->first == said->room) {
        said->room = said->room ? 2 * said->room : ROOM_FIRST;
        said->place = ft_image_realloc(said->place, said->room * sizeof *said->place);
    }
    said->place[said->heard++ - said->first] = place;
}

int ft_notices_hear(struct ft_rank *self)
{
    MPI_Comm comm = ft_comm_runtime(self);
    int flag = 0, count = 0;
    struct notice notice;
    MPI_Status status;

    while (PMPI_Iprobe(MPI_ANY_SOURCE, NOTICE_TAG, comm, &flag, &status) == MPI_SUCCESS && flag) {
        if (PMPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, NOTICE_TAG, comm,
                      MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
        hear(self, said_of(self, notice.comm, status.MPI_SOURCE, notice.tag),
             (struct ft_pattern_place){notice.pattern, notice.iteration});
        count++;
    }
    return count;
}

void ft_notices_turn(struct ft_rank *self)
{
    listening->turn(self);
}

void ft_notice_taken(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                     int count)
{
    if (source >= 0 && source < comm->peers && !ft_comm_is_lanes(comm))
        said_of(self, comm->id, comm->world[source], tag)->taken += (uint64_t)(int64_t)count;
}

static struct ft_pattern_place place_of(const struct ft_said *said, uint64_t number)
{
    return said->place[number - said->first - 1];
}

int ft_notice_next(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                   struct ft_pattern_place *place)
{
    const struct ft_said *said = said_find(self, comm->id, comm->world[source], tag);

    if (!said || said->heard <= said->taken)
        return 0;
    *place = place_of(said, said->taken + 1);
    return 1;
}

/* The sender has given it to the library right behind the message. */
struct ft_pattern_place ft_notice_drained(struct ft_rank *self, const struct ft_comm *comm,
                                          int source, int tag)
{
    struct ft_pattern_place place;

    while (!ft_notice_next(self, comm, source, tag, &place))
        if (!ft_notices_hear(self))
            sched_yield();
    said_of(self, comm->id, comm->world[source], tag)->taken++;
    return place;
}
