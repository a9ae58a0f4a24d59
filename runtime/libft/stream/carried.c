/* Invariant: for each rank of the node and each receiver, what lies between `base` and `sent` has
 * been given to the library in front of the receiver's messages, and ftrun has `base`. */
#include "stream/carried.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

#include "determinant/logged.h"
#include "image/layout.h"
#include "library/library.h"
#include "handle/handle.h"
#include "os/os.h"
#include "recorder/carried.h"
#include "stream/stream.h"

#define CARRIED_TAG 3 /* on the runtime's communicator */

struct mate { /* a rank of this node, by its place */
    struct ft_cut_of of;
    struct ft_cut_moment base;    /* ftrun has it */
    struct ft_cut_moment pending; /* a later one, which ftrun will have; made is 0: there is none */
};

struct receiver {
    uint32_t places;
    struct ft_cut_moment sent[]; /* [places] by the mate's place */
};

struct flight { /* a message that the library has not sent yet */
    struct flight *next;
    MPI_Request request;
    union {
        struct ft_carried carried;
        char bytes[FT_CARRIED_MOST];
    };
};

struct kept { /* what was carried here */
    struct kept *prev, *next;
    struct ft_carried carried;
};

/* All of it is of this process, and not in the image. */
static struct mate **mates;         /* [size] */
static uint8_t *here;               /* [size] 1: the world rank is of this node */
static uint32_t places;             /* that are known */
static struct receiver **receivers; /* [size] */
static struct flight *flights;
static struct kept **keeps; /* [size] by the rank whose outcomes they are, in the order they came */

static void *get(size_t count, size_t bytes)
{
    void *block = calloc(count, bytes);

    if (!block)
        ft_panic("no memory for outcomes that travel with messages");
    return block;
}

static struct mate *mate_create(uint32_t place)
{
    const struct ft_logged_rank *rank = &ft_life.logged->of[place];
    size_t bytes = FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES;
    struct mate *mate = get(1, sizeof *mate);
    char *at = (char *)FT_MATES_AT + place * FT_MATE_BYTES, path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", ft_life.logged->agent, rank->recorder);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ft_os_map(at, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != at)
        ft_panic("what rank %d of this node records cannot be mapped", rank->rank);
    close(fd);
    mate->of =
        (struct ft_cut_of){.recorder = (const void *)at,
                           .determinants = &((const struct ft_recorder *)at)->determinants,
                           .ring = (const void *)(at + FT_RECORDER_BYTES),
                           .trail = (const void *)(at + FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES),
                           .made = &rank->made};
    return mate;
}

/* Ranks may have come to the node. */
static void look_around(void)
{
    uint32_t count = __atomic_load_n(&ft_life.logged->count, __ATOMIC_ACQUIRE);

    for (; ft_unlikely(places < count); places++) {
        mates[places] = mate_create(places);
        here[ft_life.logged->of[places].rank] = 1;
    }
}

static struct receiver *receiver_of(int world)
{
    struct receiver *receiver = receivers[world];
    uint32_t had = receiver ? receiver->places : 0;

    if (ft_likely(had == places))
        return receiver;
    receiver = realloc(receiver, sizeof *receiver + places * sizeof receiver->sent[0]);
    if (!receiver)
        ft_panic("no memory for outcomes that travel with messages");
    memset(receiver->sent + had, 0, (places - had) * sizeof receiver->sent[0]);
    receiver->places = places;
    return receivers[world] = receiver;
}

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

/* ftrun has the cut from now on. */
static void base_move(uint32_t place, const struct ft_cut_moment *cut)
{
    ft_logged_wait_for(place, cut->made);
    mates[place]->base = *cut;
    mates[place]->pending.made = 0;
}

/* The cut that ftrun has goes on as ftrun hears more. */
static void base_look(uint32_t place)
{
    struct mate *mate = mates[place];

    if (!mate->base.made) { /* the first time in this life */
        if (ft_cut_take(&mate->of, &mate->base, &mate->pending))
            base_move(place, &mate->pending);
    } else if (mate->pending.made && ft_logged_is_safe(place, mate->pending.made)) {
        mate->base = mate->pending;
        mate->pending.made = 0;
    }
}

/* Answers 0 when it has to wait for ftrun instead: there is too much of it. */
static int carry(struct ft_rank *self, int world, uint32_t place, const struct ft_cut_moment *from,
                 const struct ft_cut_moment *cut)
{
    struct flight *flight = malloc(sizeof *flight);
    size_t bytes;
    int code, flag = 0;

    if (!flight)
        ft_panic("no memory for outcomes that travel with messages");
    flight->carried = (struct ft_carried){.rank = ft_life.logged->of[place].rank,
                                          .base = mates[place]->base.made};
    bytes = ft_carried_write(&mates[place]->of, from, cut, &flight->carried);
    if (!bytes) {
        free(flight);
        return 0;
    }
    code = PMPI_Isend(flight->bytes, (int)bytes, MPI_BYTE, world, CARRIED_TAG,
                      ft_comm_runtime(self), &flight->request);
    if (code == MPI_SUCCESS)
        code = PMPI_Test(&flight->request, &flag, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        ft_life.torn = 1; /* the receiver is dead, and the epoch ends */
    if (code != MPI_SUCCESS || flag)
        free(flight);
    else
        LL_PREPEND(flights, flight);
    return 1;
}

/* The receiver gets what the rank at this place has recorded, `made` changes at least. */
static void send_place(struct ft_rank *self, int world, uint32_t place, uint64_t made)
{
    struct mate *mate = mates[place];
    struct ft_cut_moment *sent = &receiver_of(world)->sent[place], cut;

    base_look(place);
    if (sent->made < mate->base.made)
        *sent = mate->base;
    if (sent->made >= made)
        return;
    if (!ft_cut_take(&mate->of, sent, &cut)) {
        ft_logged_wait_for(place, made);
        return;
    }
    if (!carry(self, world, place, sent, &cut)) {
        base_move(place, &cut);
    } else if (!mate->pending.made) {
        mate->pending = cut;
    }
    *sent = cut;
}

void ft_carried_send(struct ft_rank *self, int world)
{
    if (!ft_life.boot.carries) {
        ft_logged_wait();
        return;
    }
    look_around();
    if (here[world])
        return;
    if (ft_unlikely(flights != NULL))
        flights_poll();
    for (uint32_t i = 0; i < places; i++) {
        uint64_t made = __atomic_load_n(mates[i]->of.made, __ATOMIC_ACQUIRE);

        if (!ft_logged_is_safe(i, made))
            send_place(self, world, i, made);
    }
}

static void keep(const struct ft_carried *carried)
{
    struct kept **list = &keeps[carried->rank], *old, *kept;
    size_t bytes = ft_carried_bytes(carried);

    while ((old = *list) && old->carried.made <= carried->base) {
        DL_DELETE(*list, old);
        free(old);
    }
    kept = get(1, offsetof(struct kept, carried) + bytes);
    memcpy(&kept->carried, carried, bytes);
    DL_APPEND(*list, kept);
}

static void hear(struct ft_rank *self)
{
    static union {
        struct ft_carried carried;
        char bytes[FT_CARRIED_MOST];
    } got;
    MPI_Comm comm = ft_comm_runtime(self);
    MPI_Status status;
    int flag = 0;

    while (PMPI_Iprobe(MPI_ANY_SOURCE, CARRIED_TAG, comm, &flag, &status) == MPI_SUCCESS && flag) {
        if (PMPI_Recv(&got, sizeof got, MPI_BYTE, status.MPI_SOURCE, CARRIED_TAG, comm,
                      MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        keep(&got.carried);
    }
}

/* A message of world rank `world` was received: outcomes in front of it are in the library. */
static void heed(struct ft_rank *self, int world)
{
    look_around();
    if (!here[world])
        hear(self);
}

void ft_carried_start(void)
{
    size_t size = (size_t)ft_life.boot.size;

    if (!ft_life.boot.carries || !ft_life.logged || mates)
        return;
    mates = get(size, sizeof *mates);
    here = get(size, sizeof *here);
    receivers = get(size, sizeof *receivers);
    keeps = get(size, sizeof *keeps);
    ft_life.heed = heed;
}

void ft_carried_give(struct ft_rank *self)
{
    struct kept *kept;

    if (!keeps)
        return;
    hear(self);
    for (int i = 0; i < self->size; i++) {
        DL_FOREACH (keeps[i], kept) {
            if (ft_wire_send(ft_life.control, FT_WIRE_CARRIED, &kept->carried,
                             ft_carried_bytes(&kept->carried), NULL, 0, -1) != 0)
                ft_panic("ftrun is gone");
        }
    }
}
