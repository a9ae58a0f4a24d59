/* sites: what ftcc found out about the program's sites, patterns and hooks (format.h), read from
 * the file of the executable.
 *
 * A table that is damaged in any way is no table: whoever asks gets -EBADMSG and goes on without
 * facts, which is always sound. Thread rule: a table is constant; any thread may look things up. */
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

/* The entry of an id; NULL: not in the table. `sites` NULL is an empty table. */
const struct ft_site_entry *ft_sites_find(const struct ft_sites *sites, uint32_t id);
const struct ft_pattern_entry *ft_sites_pattern(const struct ft_sites *sites, uint32_t id);
const struct ft_hook_entry *ft_sites_hook(const struct ft_sites *sites, uint32_t id);

/* May the runtime match the messages of a pattern by (pattern, iteration), without a record? Where
 * the table trusts it, and all its sites are plain receives, or choices (ft_sites_choice), of a good
 * class: how often a probe finds nothing may be counted by the program. */
int ft_sites_trusted(const struct ft_sites *sites, uint32_t pattern);
/* May the runtime leave unrecorded which requests MPI_Waitany and MPI_Waitsome find complete at this
 * site? Where its class is a good one, and all else of the program whose outcomes are given again
 * in the order of calls is of a good class, too: another order of completion may lead to another
 * order of these calls. */
int ft_sites_choice(const struct ft_sites *sites, uint32_t id);
/* May a rehearsal say the same of it? Where nothing speaks against it but that there is no proof. */
int ft_sites_triable(const struct ft_sites *sites, uint32_t pattern);

/* All sites, and all patterns, by id. */
const struct ft_site_entry *ft_sites_all(const struct ft_sites *sites, uint32_t *count);
const struct ft_pattern_entry *ft_sites_patterns(const struct ft_sites *sites, uint32_t *count);

/* A text of an entry; never NULL. */
const char *ft_sites_text(const struct ft_sites *sites, uint32_t offset);
/* "channel-deterministic", ...; "unknown" for a number that is no class. */
const char *ft_sites_class(uint32_t class);

#endif
