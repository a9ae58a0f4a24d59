/* Invariant: but in the middle of a send, phased->sends is at most recorder->phased, and equal
 * unless the rank repeats what it did. */
#include "stream/phases.h"

#include "image/layout.h"
#include "stream/streams.h"

static uint32_t told; /* what ftrun knows: the phase of the rank's next orphan */

static uint32_t *word_of(int cluster)
{
    return &ft_life.phases->of_cluster[cluster].value;
}

static uint32_t phase_of(int cluster)
{
    return __atomic_load_n(word_of(cluster), __ATOMIC_ACQUIRE);
}

/* Other ranks of the cluster raise it, too. */
static void raise_to(int cluster, uint32_t phase)
{
    uint32_t now = phase_of(cluster);

    while (now < phase && !__atomic_compare_exchange_n(word_of(cluster), &now, phase, 0,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

static void receive(struct ft_rank *self, int world)
{
    uint32_t above = phase_of(self->spbc->of[world]) + 1;

    raise_to(self->spbc->mine, above < FT_PHASES_MOST ? above : FT_PHASES_MOST);
}

static uint32_t *ring_at(uint64_t send)
{
    uint32_t *ring = (uint32_t *)(FT_RECORDER_AT + FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES +
                                  FT_RECORDER_TRAIL_BYTES + FT_RECORDER_CONTENTS_BYTES);

    return &ring[send & (FT_RECORDER_PHASES - 1)];
}

/* The phase of a message that was sent before. One that is overwritten has the oldest that is
 * known: too high a one, so messages may go that should wait, and none waits for ever. */
static uint32_t phase_before(const struct ft_rank *self, uint64_t send)
{
    uint64_t end = self->recorder->phased;
    uint64_t oldest = end > FT_RECORDER_PHASES ? end - FT_RECORDER_PHASES : 0;

    return *ring_at(send > oldest ? send : oldest);
}

static void tell(const struct ft_rank *self)
{
    uint64_t next = self->spbc->phased->sends;
    struct ft_wire_number number = {FT_PHASES_ALL};

    if (next < self->recorder->phased)
        number.value = phase_before(self, next);
    if (number.value <= told)
        return;
    told = (uint32_t)number.value;
    if (ft_wire_send(ft_life.control, FT_WIRE_PHASE, &number, sizeof number, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

void ft_phases_start(struct ft_rank *self)
{
    if (!ft_life.phases)
        return;
    ft_life.heed = receive;
    self->spbc->phased = ft_image_alloc(sizeof *self->spbc->phased);
    self->spbc->noted |= FT_NOTED_PHASE;
    tell(self);
}

/* A job that is continued (--restart) counts from its images on, and may have another protocol. */
void ft_phases_restore(struct ft_rank *self)
{
    struct ft_phased *phased = self->spbc->phased;

    if (!ft_life.phases) {
        self->spbc->noted &= ~(uint32_t)FT_NOTED_PHASE;
        return;
    }
    if (!phased) {
        ft_phases_start(self);
        return;
    }
    ft_life.heed = receive;
    self->spbc->noted |= FT_NOTED_PHASE;
    raise_to(self->spbc->mine, phased->phase);
    if (self->recorder->phased < phased->sends)
        self->recorder->phased = phased->sends;
    if (!ft_life.boot.survivor)
        tell(self);
}

void ft_phases_send(struct ft_rank *self, struct ft_stream *stream)
{
    struct ft_phased *phased = self->spbc->phased;
    struct ft_recorder *recorder = self->recorder;
    uint64_t send = phased->sends++;
    int again = ft_unlikely(send < recorder->phased);

    phased->phase = again ? phase_before(self, send) : phase_of(self->spbc->mine);
    if (!again) {
        *ring_at(send) = phased->phase;
        __atomic_store_n(&recorder->phased, send + 1, __ATOMIC_RELEASE);
    }
    ft_places_note(&stream->phases, stream->safe.prefix, stream->last + 1,
                   (struct ft_pattern_place){phased->phase, 0});
    if (again)
        tell(self);
}

int ft_phases_wait(const struct ft_stream *stream, uint64_t number)
{
    return ft_life.phases && ft_places_find(stream->phases, number).pattern >
                                 __atomic_load_n(&ft_life.phases->allowed.value, __ATOMIC_ACQUIRE);
}
