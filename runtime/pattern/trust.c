/* The table is of the executable, so every life reads the same one. It is not in the image. */
#include <stdlib.h>

#include "ft.h"
#include "handle/handle.h"
#include "pattern/pattern.h"
#include "sites/sites.h"

static struct {
    struct ft_sites *sites;
    uint32_t *pattern; /* [count] identities of trusted ones */
    uint32_t count;
} trust;

void ft_trust_start(struct ft_rank *self)
{
    const struct ft_site_entry *site;
    uint32_t sites;

    if (!self->spbc || !(self->spbc->noted & FT_NOTED_PLACE) ||
        ft_sites_read("/proc/self/exe", &trust.sites) != 0)
        return;
    site = ft_sites_all(trust.sites, &sites);
    trust.pattern = malloc((sites + 1) * sizeof *trust.pattern);
    if (!trust.pattern)
        ft_panic("no memory for the table of sites");
    for (uint32_t i = 0; i < sites; i++)
        if (ft_sites_trusted(trust.sites, site[i].pattern) && !ft_trust_pattern(site[i].pattern))
            trust.pattern[trust.count++] = site[i].pattern;
}

int ft_trust_pattern(uint32_t pattern)
{
    for (uint32_t i = 0; i < trust.count; i++)
        if (trust.pattern[i] == pattern)
            return 1;
    return 0;
}

struct ft_pattern_place ft_trust_place(const struct ft_rank *self)
{
    static const struct ft_pattern_place nowhere;
    struct ft_pattern_place now = ft_pattern_now(self);
    const struct ft_site_entry *site = ft_sites_find(trust.sites, self->mark);

    return now.pattern && site && site->pattern == now.pattern && ft_trust_pattern(now.pattern)
               ? now
               : nowhere;
}
