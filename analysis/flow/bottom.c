/* Idea: with MPI_BOTTOM as its buffer, a message is where the addresses in its datatype say. Which
 * ones are in which type is not followed: the buffer is all memory whose address MPI was asked for.
 */
#include "analysis/flow/flow.h"

#include <string.h>

void an_flow_bottom_note(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_node *node = an_mpi_argument(flow->program, mpi, 0);

    if (strcmp(mpi->what->name, "Get_address") != 0 && strcmp(mpi->what->name, "Address") != 0)
        return;
    struct an_flow_value place = an_flow_value_of(flow, node);
    place = an_flow_around(flow, place, node, NULL);
    flow->addressed = an_flow_either(flow, flow->addressed, place);
}

/* Whether a buffer is MPI_BOTTOM, with a datatype of the program's own. */
static bool is_bottom(struct an_flow *flow, const struct an_mpi *mpi,
                      const struct an_message_arguments *arguments)
{
    const struct an_node *buffer, *count, *type;

    if (arguments->buffer < 0 || arguments->count < 0 || arguments->datatype < 0)
        return false;
    buffer = an_mpi_argument(flow->program, mpi, (unsigned)arguments->buffer);
    count = an_mpi_argument(flow->program, mpi, (unsigned)arguments->count);
    type = an_mpi_argument(flow->program, mpi, (unsigned)arguments->datatype);
    if (!buffer || !type || type->constant || (count && count->constant && !count->value))
        return false;
    buffer = an_plain(buffer);
    if (buffer->kind != AN_REFERENCE)
        return buffer->constant && buffer->value == 0;
    struct an_flow_value value = an_flow_value_of(flow, buffer);
    return !value.targets && value.flags & AN_FLOW_CONSTANT && value.number == 0;
}

bool an_flow_bottom_find(struct an_flow *flow, const struct an_mpi *mpi,
                         const struct an_message_arguments *arguments,
                         struct an_flow_value *address)
{
    if (!is_bottom(flow, mpi, arguments))
        return false;
    *address = (struct an_flow_value){.targets = flow->addressed.targets};
    address->flags = AN_FLOW_OFFSET; /* some of that, perhaps */
    if (!address->targets && !flow->nowhere && flow->seen)
        flow->nowhere = mpi->call;
    return true;
}
