/* The limit of a log's memory (--log-limit).
 *
 * The memory has marks. At the first, four fifths of the limit, ftrun is asked for checkpoints of
 * the clusters that receive most of what the log holds, and then of the own one, with which the log
 * is shortened: what a receiver has in its oldest checkpoint goes. At the limit the oldest messages
 * go to a file. A message pays one compare with the lower of the marks. */
#include <stdlib.h>
#include <string.h>

#include "stream/streams.h"

#define RUN_BYTES ((uint64_t)16 << 20) /* of a file, when the limit is large enough */
#define CLUSTERS 1024                  /* asked for at a time */

static void alarm_set(struct ft_streams *streams)
{
    streams->alarm = streams->spill;
    if (!streams->asked && streams->ask < streams->alarm)
        streams->alarm = streams->ask;
}

/* A log that was just shortened does not become shorter by asking at once again: it has to grow
 * by a tenth of the limit first. */
static uint64_t ask_mark(uint64_t memory, uint64_t limit)
{
    uint64_t mark = memory + limit / 10;

    if (mark < limit / 5 * 4)
        return limit / 5 * 4;
    return memory < limit && mark > limit ? limit : mark;
}

void ft_log_marks(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    uint64_t limit = ft_life.boot.log_limit;

    streams->asked = 0;
    streams->ask = limit ? ask_mark(streams->memory, limit) : UINT64_MAX;
    streams->spill = limit ? limit : UINT64_MAX;
    alarm_set(streams);
}

/* The clusters that hold at least half of an equal share of the log; answers how many. */
static int choose(const struct ft_rank *self, int32_t *chosen)
{
    const struct ft_streams *streams = self->spbc->streams;
    uint64_t *bytes = calloc((size_t)self->spbc->clusters, sizeof *bytes);
    uint64_t receivers = 0;
    int count = 0;

    if (!bytes)
        return 0;
    for (int i = 0; i < self->size; i++)
        bytes[self->spbc->of[i]] += streams->peer[i].memory;
    for (int32_t i = 0; i < self->spbc->clusters; i++)
        receivers += bytes[i] > 0;
    for (int32_t i = 0; i < self->spbc->clusters && count < CLUSTERS; i++)
        if (bytes[i] > 0 && bytes[i] * receivers * 2 >= streams->memory)
            chosen[count++] = i;
    free(bytes);
    return count;
}

static void ask(struct ft_rank *self)
{
    struct ft_wire_number why = {FT_REQUEST_LOG};
    static int32_t chosen[CLUSTERS];
    size_t count = (size_t)choose(self, chosen);

    if (ft_wire_send(ft_life.control, FT_WIRE_REQUEST, &why, sizeof why, chosen,
                     count * sizeof *chosen, -1) != 0)
        ft_panic("ftrun is gone");
    self->spbc->streams->asked = 1;
}

/* The rank that the most memory is held for. */
static struct ft_peer *fullest(const struct ft_rank *self)
{
    struct ft_peer *peer = self->spbc->streams->peer, *most = peer;

    for (int i = 1; i < self->size; i++)
        if (peer[i].memory > most->memory)
            most = &peer[i];
    return most;
}

/* A log that cannot be written stays in memory; another try is worth it when it has grown. */
static void spill(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    uint64_t limit = ft_life.boot.log_limit;
    int code = 0;

    while (code == 0 && streams->memory >= limit)
        code = ft_run_write(self, fullest(self), limit / 4 < RUN_BYTES ? limit / 4 + 1 : RUN_BYTES);
    streams->spill = code == 0 ? limit : streams->memory + limit / 4 + 1;
    if (code != 0 && !streams->full)
        ft_warn("%.1f MB of its log stay in memory, beyond --log-limit, because %s cannot be "
                "written: %s; make room there, choose another --store, or take checkpoints more "
                "often (--checkpoint-interval)",
                (double)streams->memory / 1e6, ft_life.boot.log, strerror(-code));
    streams->full = code != 0;
}

void ft_log_alarm(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;

    if (!streams->asked && streams->memory >= streams->ask)
        ask(self);
    if (streams->memory >= streams->spill)
        spill(self);
    alarm_set(streams);
}
