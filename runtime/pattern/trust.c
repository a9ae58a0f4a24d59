/* ftrun says which patterns are believed; the table says which of them a site belongs to. It is of
 * the executable, so every life reads the same one. It is not in the image. */
#include "ft.h"
#include "handle/handle.h"
#include "pattern/pattern.h"
#include "sites/sites.h"

static struct ft_sites *sites;

void ft_trust_start(struct ft_rank *self)
{
    if (self->spbc && self->spbc->noted & FT_NOTED_PLACE &&
        ft_sites_read("/proc/self/exe", &sites) != 0)
        ft_panic("the table of sites cannot be read, and patterns of it are to be trusted");
}

int ft_trust_pattern(uint32_t pattern)
{
    for (uint32_t i = 0; i < ft_life.boot.trust; i++)
        if (ft_life.boot.pattern[i] == pattern)
            return 1;
    return 0;
}

struct ft_pattern_place ft_trust_place(const struct ft_rank *self)
{
    static const struct ft_pattern_place nowhere;
    struct ft_pattern_place now = ft_pattern_now(self);
    const struct ft_site_entry *site = ft_sites_find(sites, self->mark);

    return now.pattern && site && site->pattern == now.pattern && ft_trust_pattern(now.pattern)
               ? now
               : nowhere;
}
