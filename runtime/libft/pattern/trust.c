/* ftrun says which patterns are believed; the table says which of them a site belongs to. It is of
 * the executable, so every life reads the same one. It is not in the image. */
#include <stdio.h>

#include "ft.h"
#include "handle/handle.h"
#include "pattern/pattern.h"
#include "sites/sites.h"

static struct ft_sites *sites;
static int polls; /* are probes, tests and choices trusted? */

void ft_trust_start(struct ft_rank *self)
{
    if (self->spbc && self->spbc->noted & FT_NOTED_PLACE &&
        ft_sites_read("/proc/self/exe", &sites) != 0)
        ft_panic("the table of sites cannot be read, and patterns of it are to be trusted");
    polls = ft_trust_pattern(FT_TRUST_POLLS);
}

int ft_trust_patterns(void)
{
    for (uint32_t i = 0; i < ft_life.boot.trust; i++)
        if (ft_life.boot.pattern[i] != FT_TRUST_POLLS)
            return 1;
    return 0;
}

/* Is the outcome of the probe, test or choice at this site trusted? ftrun trusts those of all sites
 * in the program's table, or of none. Only probes, tests and choices call this function, so the
 * table's receives need no check. The cache serves loops that poll at the same few sites. */
int ft_trust_poll(uint32_t site)
{
    static uint32_t known[64];

    if (!polls || !site)
        return 0;
    if (known[site % 64] == site)
        return 1;
    if (!ft_sites_find(sites, site))
        return 0;
    known[site % 64] = site;
    return 1;
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

static void list_patterns(char *text, size_t size)
{
    uint32_t count, listed = 0;
    const struct ft_pattern_entry *pattern = ft_sites_patterns(sites, &count);
    int used = 0;

    for (uint32_t i = 0; i < count && listed < 3; i++)
        if (ft_trust_pattern(pattern[i].id) && used < (int)size)
            used += snprintf(text + used, size - (size_t)used, "%s %s at %s:%u",
                             listed++ ? "," : "the trusted patterns are",
                             ft_sites_text(sites, pattern[i].function),
                             ft_sites_text(sites, pattern[i].file), pattern[i].line);
}

void ft_trust_belief(uint32_t site, char *text, size_t size)
{
    const struct ft_site_entry *entry = ft_sites_find(sites, site);
    const struct ft_pattern_entry *pattern = entry ? ft_sites_pattern(sites, entry->pattern) : NULL;
    int used;

    snprintf(text, size, "some site is");
    if (!entry) {
        list_patterns(text, size);
        return;
    }
    used =
        snprintf(text, size, "%s at %s:%u in %s (site %08x) is said to be %s%s",
                 ft_sites_text(sites, entry->call), ft_sites_text(sites, entry->file), entry->line,
                 ft_sites_text(sites, entry->function), site, ft_sites_class(entry->class),
                 entry->flags & FT_SITE_OVERRIDE ? ", by a comment of the user" : "");
    if (pattern && used < (int)size)
        snprintf(text + used, size - (size_t)used, ", in the trusted pattern at %s:%u",
                 ft_sites_text(sites, pattern->file), pattern->line);
}
