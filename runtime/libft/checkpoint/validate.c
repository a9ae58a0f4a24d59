/* The checks of debug builds in each epoch, and before each image. */
#include "checkpoint/checkpoint.h"

#ifndef NDEBUG
#include "handle/handle.h"
#include "stream/stream.h"

void ft_checkpoint_validate(const struct ft_rank *self)
{
    const char *wrong = ft_handles_wrong(self);

    if (!wrong && self->spbc)
        wrong = ft_streams_wrong(self);
    if (wrong)
        ft_panic("the runtime is not as it should be: %s", wrong);
}
#endif
