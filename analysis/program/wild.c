/* First version: constants only. */
#include "analysis/program/wild.h"
#include "analysis/program/inside.h"

void an_stored_destroy(struct an_stored *stored)
{
    (void)stored;
}

enum an_wildness an_wild_argument(const struct an_program *program, const struct an_mpi *mpi,
                                  int number, int64_t wildcard)
{
    const struct an_node *argument = an_mpi_argument(program, mpi, (unsigned)number);

    if (!argument)
        argument = an_argument(mpi->inner, (unsigned)number);
    if (!argument)
        return AN_MAYBE;
    argument = an_plain(argument);
    if (argument->constant)
        return argument->value == wildcard ? AN_ALWAYS : AN_NEVER;
    return AN_MAYBE;
}
