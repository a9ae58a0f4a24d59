/* sites: the table that ftcc puts into an executable (format.h), with one entry for each site (a
 * non-deterministic MPI call), each communication pattern, and each hook (a place for checkpoints).
 *
 * The caller of a damaged table gets -EBADMSG. It then runs without a table, which is always sound:
 * all outcomes are recorded. Thread rule: a table is constant; any thread may look things up. */
#ifndef FT_SITES_H
#define FT_SITES_H

#include <stddef.h>
#include "sites/format.h"

struct ft_sites;

/* Reads the table of the executable at `path`. 0: *out is the caller's. -ENOENT: it has none.
 * -EBADMSG: it is damaged, or of another version. -ENOMEM, or an error of open and read. On failure
 * *out is NULL. */
int ft_sites_read(const char *path, struct ft_sites **out);
/* The same from the bytes of the section, which are copied. */
int ft_sites_parse(const void *bytes, size_t length, struct ft_sites **out);
void ft_sites_destroy(struct ft_sites *sites); /* NULL is allowed */

/* The entry of a site, a pattern, a hook with this id; NULL: not in the table. `sites` NULL is an
 * empty table. */
const struct ft_site_entry *ft_sites_find(const struct ft_sites *sites, uint32_t id);
const struct ft_pattern_entry *ft_sites_pattern(const struct ft_sites *sites, uint32_t id);
const struct ft_hook_entry *ft_sites_hook(const struct ft_sites *sites, uint32_t id);

/* May the runtime match the messages of a pattern by (pattern, iteration), without a record? Yes if
 * ftcc marked the pattern as trusted, and each of its sites is a receive, or a Waitany or Waitsome
 * of a deterministic class. A probe makes the answer no: probes are repeated as they were
 * (ft_sites_unrecorded), and receives of a trusted pattern are not. */
int ft_sites_trusted(const struct ft_sites *sites, uint32_t pattern);
/* May the runtime leave unrecorded how often a probe, test or choice at this site finds nothing?
 * Yes if this site and all others but receives are of a deterministic class. Their outcomes are
 * given again in the order of the calls, and a loop may make several of them in turn. */
int ft_sites_unrecorded(const struct ft_sites *sites, uint32_t id);
/* May a rehearsal (ftrun --rehearse) try to match the messages of this pattern without a record?
 * Yes if only the proof is missing: the analysis found nothing that speaks against it. */
int ft_sites_triable(const struct ft_sites *sites, uint32_t pattern);

/* All sites, and all patterns, sorted by id. */
const struct ft_site_entry *ft_sites_all(const struct ft_sites *sites, uint32_t *count);
const struct ft_pattern_entry *ft_sites_patterns(const struct ft_sites *sites, uint32_t *count);

/* The text at an offset that an entry holds; "" for an offset outside of the table. Never NULL. */
const char *ft_sites_text(const struct ft_sites *sites, uint32_t offset);
/* "channel-deterministic", ...; "unknown" for a number that is no class. */
const char *ft_sites_class(uint32_t class);

#endif
