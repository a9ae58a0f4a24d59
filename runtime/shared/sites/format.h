/* format: the section ".ftcc.sites" of an executable: what ftcc found out about its sites, patterns
 * and hooks, for the runtime. ftcc writes it after the link; the section is not loaded, the runtime
 * reads it from the file when a run needs it. docs/formats/sites.md describes it.
 *
 *     header | sites, by id | patterns, by id | hooks, by id | text
 *
 * All integers are little-endian. Texts are offsets from the beginning of `text`, which ends
 * with a '\0'. A change of the layout needs a new version; another version is no facts at all. */
#ifndef FT_SITES_FORMAT_H
#define FT_SITES_FORMAT_H

#include <stdint.h>

#define FT_SITES_SECTION ".ftcc.sites"
#define FT_SITES_MAGIC "ftsites"
enum { FT_SITES_VERSION = 1 };

struct ft_sites_header {
    char magic[8]; /* FT_SITES_MAGIC */
    uint32_t version;
    uint32_t sites, patterns, hooks; /* numbers of entries */
    uint32_t text;                   /* bytes */
    uint32_t reserved;               /* 0 */
    uint64_t checksum;               /* XXH64, seed 0, of everything behind the header */
};

enum ft_site_class { /* as in docs/determinism.md */
                     FT_SITE_DETERMINISTIC,
                     FT_SITE_SEND_DETERMINISTIC,
                     FT_SITE_CHANNEL_DETERMINISTIC,
                     FT_SITE_NON_DETERMINISTIC,
                     FT_SITE_UNKNOWN,
};

enum { FT_SITE_OVERRIDE = 1, FT_SITE_LOGGED = 2, FT_SITE_ANONYMOUS = 4 };

struct ft_site_entry {
    uint32_t id;                   /* of FT_SITE(id) */
    uint32_t pattern;              /* id, or 0 */
    uint32_t class;                /* enum ft_site_class */
    uint32_t flags;                /* FT_SITE_* */
    uint32_t file, function, call; /* texts */
    uint32_t line;
};

/* CAPTURE: not trusted, because a message of another iteration can be taken (the finding
 * `capture`). */
enum { FT_PATTERN_TRUSTED = 1, FT_PATTERN_CAPTURE = 2 };

struct ft_pattern_entry {
    uint32_t id;
    uint32_t flags;          /* FT_PATTERN_* */
    uint32_t file, function; /* texts */
    uint32_t line;
    uint32_t reserved;
};

struct ft_hook_entry {
    uint32_t id;
    uint32_t chosen;         /* 0 or 1 */
    uint32_t file, function; /* texts */
    uint32_t line;
    uint32_t reserved;
};

#endif
