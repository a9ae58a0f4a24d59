/* The list of orders and clocks. A rank knows its orders by their number among its own. */
#include "faults/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count_of(const struct ft_faults *faults, int rank, int copy, size_t before)
{
    uint32_t count = 0;

    for (size_t i = 0; i < before; i++)
        count += faults->list[i].rank == rank && faults->list[i].copy == copy;
    return count;
}

int ft_faults_add(struct ft_faults *faults, int rank, int copy, const struct ft_wire_fault *order,
                  const char *text, char *why, size_t size)
{
    struct ft_fault *more = NULL;

    if (count_of(faults, rank, copy, faults->count) == FT_WIRE_FAULTS) {
        snprintf(why, size, "at most %d faults for a rank (rank %d)", FT_WIRE_FAULTS, rank);
        return -1;
    }
    if (faults->count < FT_FAULTS_MOST)
        more = realloc(faults->list, (faults->count + 1) * sizeof(*more));
    if (!more) {
        snprintf(why, size, "at most %d faults", FT_FAULTS_MOST);
        return -1;
    }
    faults->list = more;
    more += faults->count++;
    *more = (struct ft_fault){.rank = rank, .copy = copy, .order = *order};
    snprintf(more->text, sizeof(more->text), "%s", text);
    return 0;
}

struct ft_fault_clock *ft_faults_add_clock(struct ft_faults *faults)
{
    struct ft_fault_clock *more = NULL;

    if (faults->clock_count < FT_FAULTS_CLOCKS)
        more = realloc(faults->clocks, (faults->clock_count + 1) * sizeof(*more));
    if (!more)
        return NULL;
    faults->clocks = more;
    more += faults->clock_count++;
    memset(more, 0, sizeof(*more));
    return more;
}

void ft_faults_free(struct ft_faults *faults)
{
    for (size_t i = 0; i < faults->clock_count; i++)
        free(faults->clocks[i].ranks);
    free(faults->clocks);
    free(faults->list);
    *faults = (struct ft_faults){0};
}

uint32_t ft_faults_index(const struct ft_faults *faults, size_t position)
{
    return count_of(faults, faults->list[position].rank, faults->list[position].copy, position);
}

struct ft_fault *ft_faults_find(const struct ft_faults *faults, int rank, int copy, uint32_t index)
{
    for (size_t i = 0; i < faults->count; i++) {
        if (faults->list[i].rank == rank && faults->list[i].copy == copy && index-- == 0)
            return &faults->list[i];
    }
    return NULL;
}
