/* Calls with large counts, as calls with ints. */
#include "coll/lanes.h"
#include "process.h"

void ft_lanes_refuse(const char *call)
{
    ft_refuse(call, (const void *)(uintptr_t)ft_self->recorder->site,
              "counts and displacements this large are not carried with --protocol spbc yet: use "
              "the call without _c");
}

int *ft_lanes_narrow(const char *call, const MPI_Count *wide, int size)
{
    int *narrow;

    if (!wide)
        return NULL;
    narrow = ft_image_alloc((size_t)(size + 1) * sizeof(int));
    for (int i = 0; i < size; i++) {
        if (wide[i] != (int)wide[i])
            ft_lanes_refuse(call);
        narrow[i] = (int)wide[i];
    }
    return narrow;
}

int ft_lanes_neighbours(const struct ft_comm *on, int sending)
{
    int in, out;

    ft_topology_neighbours(on, &in, NULL, &out, NULL);
    return sending ? out : in;
}
