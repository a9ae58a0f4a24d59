/* trust: which patterns the ranks believe (--trust): what ftcc has proved, and what a rehearsal
 * says of it (docs/formats/rehearsal.md): supported patterns are believed like proved ones,
 * contradicted ones never. Thread rule: pure but for the files that are read. */
#ifndef FT_TRUST_H
#define FT_TRUST_H

#include <stddef.h>
#include <stdint.h>
#include "sites/sites.h"

#define FT_REHEARSAL_SCHEMA "ftrun-rehearsal-1"

enum ft_trust_result { FT_TRUST_UNSUPPORTED, FT_TRUST_SUPPORTED, FT_TRUST_CONTRADICTED };

struct ft_trust_pattern {
    uint32_t id;
    enum ft_trust_result result;
};

struct ft_trust {        /* what a rehearsal has found out */
    uint64_t executable; /* ft_trust_hash of the program that was rehearsed */
    size_t count;
    struct ft_trust_pattern pattern[]; /* no id twice */
};

/* "supported", ... */
const char *ft_trust_result(enum ft_trust_result result);
/* Hash of all bytes of a file. 0 or -errno. */
int ft_trust_hash(const char *path, uint64_t *out);

/* Reads what `ftrun --rehearse-report` wrote. 0: *out is the caller's, for free(). -EBADMSG,
 * -ENOMEM or an error of open and read, with a sentence in why[room]; *out is NULL then. */
int ft_trust_read(const char *path, struct ft_trust **out, char *why, size_t room);

/* The patterns of the table that are believed, into out[room], and FT_TRUST_POLLS if its polls
 * are (ft_sites_unrecorded); answers how many there are, which may be more. found NULL: only what
 * is proved. */
uint32_t ft_trust_choose(const struct ft_sites *sites, const struct ft_trust *found, uint32_t *out,
                         uint32_t room);

#endif
