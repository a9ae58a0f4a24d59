/* Invariant: FT_NOTED_DOUBTED is set from the exchange of streams on until CLEAR was sent. */
#include "stream/orphans.h"

#include <utlist.h>

#include "stream/streams.h"

void ft_orphans_look(struct ft_rank *self)
{
    const struct ft_stream *stream;

    DL_FOREACH (self->spbc->streams->out.first, stream)
        if (stream->known > stream->last)
            return;
    self->spbc->noted &= ~(uint32_t)FT_NOTED_DOUBTED;
    if (ft_wire_send(ft_life.control, FT_WIRE_CLEAR, NULL, 0, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}
