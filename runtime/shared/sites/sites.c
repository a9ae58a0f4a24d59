/* The table is checked once, completely, when it is read: after that every lookup is safe.
 *
 *     length == header + sites + patterns + hooks + text,  ids ascend strictly,  text ends with 0
 */
#include "sites/sites.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define SECTION_MAX (1u << 30) /* bytes; a longer section is nonsense */

struct ft_sites {
    const struct ft_site_entry *site;
    const struct ft_pattern_entry *pattern;
    const struct ft_hook_entry *hook;
    const char *text;
    struct ft_sites_header header; /* what follows it in the section stands behind it */
};

static const uint32_t entry_bytes[3] = {
    sizeof(struct ft_site_entry), sizeof(struct ft_pattern_entry), sizeof(struct ft_hook_entry)};

static int length_fits(const struct ft_sites_header *header, size_t length)
{
    uint64_t expected = sizeof *header + header->text;

    expected += (uint64_t)header->sites * entry_bytes[0];
    expected += (uint64_t)header->patterns * entry_bytes[1];
    expected += (uint64_t)header->hooks * entry_bytes[2];
    return expected == length;
}

static int header_is_valid(const struct ft_sites_header *header, size_t length)
{
    return memcmp(header->magic, FT_SITES_MAGIC, sizeof header->magic) == 0 &&
           header->version == FT_SITES_VERSION && length_fits(header, length) &&
           XXH64(header + 1, length - sizeof *header, 0) == header->checksum;
}

/* Entries of `size` bytes begin with their id, and the texts they name are there. */
static int ids_ascend(const void *entries, uint32_t count, uint32_t size)
{
    const char *at = entries;

    for (uint32_t i = 1; i < count; i++, at += size)
        if (*(const uint32_t *)(const void *)at >= *(const uint32_t *)(const void *)(at + size))
            return 0;
    return 1;
}

static int sites_are_valid(const struct ft_sites *sites)
{
    const struct ft_sites_header *header = &sites->header;
    uint32_t text = header->text;
    int valid = (text == 0 || sites->text[text - 1] == 0) &&
                ids_ascend(sites->site, header->sites, 32) &&
                ids_ascend(sites->pattern, header->patterns, 24) &&
                ids_ascend(sites->hook, header->hooks, 24);

    for (uint32_t i = 0; valid && i < header->sites; i++)
        valid = sites->site[i].file < text && sites->site[i].function < text &&
                sites->site[i].call < text && sites->site[i].class <= FT_SITE_UNKNOWN;
    for (uint32_t i = 0; valid && i < header->patterns; i++)
        valid = sites->pattern[i].file < text && sites->pattern[i].function < text;
    for (uint32_t i = 0; valid && i < header->hooks; i++)
        valid = sites->hook[i].file < text && sites->hook[i].function < text;
    return valid;
}

_Static_assert(sizeof(struct ft_site_entry) == 32 && sizeof(struct ft_pattern_entry) == 24 &&
                   sizeof(struct ft_hook_entry) == 24 && sizeof(struct ft_sites_header) == 40,
               "the layout of docs/formats/sites.md");

int ft_sites_parse(const void *bytes, size_t length, struct ft_sites **out)
{
    struct ft_sites_header header;
    struct ft_sites *sites;

    *out = NULL;
    if (length < sizeof header)
        return -EBADMSG;
    sites = malloc(sizeof *sites + length - sizeof header);
    if (!sites)
        return -ENOMEM;
    memcpy(&sites->header, bytes, length);
    sites->site = (const void *)(&sites->header + 1);
    if (!header_is_valid(&sites->header, length)) {
        free(sites);
        return -EBADMSG;
    }
    sites->pattern = (const void *)(sites->site + sites->header.sites);
    sites->hook = (const void *)(sites->pattern + sites->header.patterns);
    sites->text = (const char *)(sites->hook + sites->header.hooks);
    if (!sites_are_valid(sites)) {
        free(sites);
        return -EBADMSG;
    }
    *out = sites;
    return 0;
}

static int read_at(int fd, uint64_t offset, void *to, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(fd, (char *)to + done, length - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EBADMSG;
        done += (size_t)got;
    }
    return 0;
}

/* A part of the file in memory; NULL with *code set. */
static void *load(int fd, uint64_t offset, uint64_t length, int *code)
{
    void *bytes = length && length <= SECTION_MAX ? malloc(length) : NULL;

    *code = bytes                             ? read_at(fd, offset, bytes, length)
            : length <= SECTION_MAX && length ? -ENOMEM
                                              : -EBADMSG;
    if (*code != 0) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Finds the section among the `count` headers. -ENOENT: there is none. */
static int find_section(int fd, const Elf64_Shdr *headers, unsigned count, unsigned names,
                        Elf64_Shdr *out)
{
    int code = 0;
    char *text = load(fd, headers[names].sh_offset, headers[names].sh_size, &code);
    size_t length = sizeof FT_SITES_SECTION;

    if (!text)
        return code == -EBADMSG ? -ENOENT : code;
    code = -ENOENT;
    for (unsigned i = 0; i < count && code != 0; i++) {
        uint64_t at = headers[i].sh_name;

        if (at + length > headers[names].sh_size ||
            memcmp(text + at, FT_SITES_SECTION, length) != 0)
            continue;
        *out = headers[i];
        code = 0;
    }
    free(text);
    return code;
}

static int locate(int fd, Elf64_Shdr *out)
{
    Elf64_Ehdr elf;
    Elf64_Shdr *headers;
    int code = read_at(fd, 0, &elf, sizeof elf);

    if (code != 0)
        return code == -EBADMSG ? -ENOENT : code;
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_shentsize != sizeof *headers ||
        elf.e_shnum == 0 || elf.e_shstrndx >= elf.e_shnum)
        return -ENOENT;
    headers = load(fd, elf.e_shoff, (uint64_t)elf.e_shnum * sizeof *headers, &code);
    if (!headers)
        return code == -EBADMSG ? -ENOENT : code;
    code = find_section(fd, headers, elf.e_shnum, elf.e_shstrndx, out);
    free(headers);
    return code;
}

int ft_sites_read(const char *path, struct ft_sites **out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), code;
    Elf64_Shdr section = {0};
    void *bytes;

    *out = NULL;
    if (fd < 0)
        return -errno;
    code = locate(fd, &section);
    if (code == 0 && (section.sh_type == SHT_NOBITS || section.sh_flags & SHF_COMPRESSED))
        code = -EBADMSG;
    if (code == 0) {
        bytes = load(fd, section.sh_offset, section.sh_size, &code);
        if (bytes)
            code = ft_sites_parse(bytes, section.sh_size, out);
        free(bytes);
    }
    close(fd);
    return code;
}

void ft_sites_destroy(struct ft_sites *sites)
{
    free(sites);
}

static int by_id(const void *id, const void *entry)
{
    uint32_t a = *(const uint32_t *)id, b = *(const uint32_t *)entry;

    return (a > b) - (a < b);
}

const struct ft_site_entry *ft_sites_find(const struct ft_sites *sites, uint32_t id)
{
    return sites ? bsearch(&id, sites->site, sites->header.sites, entry_bytes[0], by_id) : NULL;
}

const struct ft_pattern_entry *ft_sites_pattern(const struct ft_sites *sites, uint32_t id)
{
    return sites ? bsearch(&id, sites->pattern, sites->header.patterns, entry_bytes[1], by_id)
                 : NULL;
}

const struct ft_hook_entry *ft_sites_hook(const struct ft_sites *sites, uint32_t id)
{
    return sites ? bsearch(&id, sites->hook, sites->header.hooks, entry_bytes[2], by_id) : NULL;
}

static int is_receive(const struct ft_sites *sites, const struct ft_site_entry *site)
{
    const char *call = ft_sites_text(sites, site->call);

    return strcmp(call, "MPI_Recv") == 0 || strcmp(call, "MPI_Irecv") == 0;
}

static int is_choice(const struct ft_sites *sites, const struct ft_site_entry *site)
{
    const char *call = ft_sites_text(sites, site->call);

    return strcmp(call, "MPI_Waitany") == 0 || strcmp(call, "MPI_Waitsome") == 0;
}

static int is_good(const struct ft_site_entry *site)
{
    return site->class <= FT_SITE_CHANNEL_DETERMINISTIC && !(site->flags & FT_SITE_LOGGED);
}

int ft_sites_unrecorded(const struct ft_sites *sites, uint32_t id)
{
    const struct ft_site_entry *entry = ft_sites_find(sites, id);

    if (!entry || is_receive(sites, entry))
        return 0;
    for (uint32_t i = 0; i < sites->header.sites; i++)
        if (!is_receive(sites, &sites->site[i]) && !is_good(&sites->site[i]))
            return 0;
    return 1;
}

/* Has the pattern receives, are all its sites plain receives or choices, and is none of a class
 * beyond `worst`, or with a flag of `never`? */
static int sites_are(const struct ft_sites *sites, uint32_t pattern, uint32_t worst, uint32_t never)
{
    int found = 0;

    for (uint32_t i = 0; i < sites->header.sites; i++) {
        const struct ft_site_entry *site = &sites->site[i];

        if (site->pattern != pattern)
            continue;
        if (site->class > worst || site->flags & never ||
            !(is_receive(sites, site) || is_choice(sites, site)))
            return 0;
        found |= is_receive(sites, site);
    }
    return found;
}

int ft_sites_trusted(const struct ft_sites *sites, uint32_t pattern)
{
    const struct ft_pattern_entry *entry = ft_sites_pattern(sites, pattern);

    return entry &&
           (entry->flags & (FT_PATTERN_TRUSTED | FT_PATTERN_CAPTURE)) == FT_PATTERN_TRUSTED &&
           sites_are(sites, pattern, FT_SITE_CHANNEL_DETERMINISTIC, FT_SITE_LOGGED);
}

/* FT_SITE_UNKNOWN may turn out well; that a class is not deterministic is known. */
int ft_sites_triable(const struct ft_sites *sites, uint32_t pattern)
{
    const struct ft_pattern_entry *entry = ft_sites_pattern(sites, pattern);

    if (!entry || entry->flags & FT_PATTERN_CAPTURE)
        return 0;
    for (uint32_t i = 0; i < sites->header.sites; i++)
        if (sites->site[i].pattern == pattern && sites->site[i].class == FT_SITE_NON_DETERMINISTIC)
            return 0;
    return sites_are(sites, pattern, FT_SITE_UNKNOWN, 0);
}

const struct ft_site_entry *ft_sites_all(const struct ft_sites *sites, uint32_t *count)
{
    *count = sites ? sites->header.sites : 0;
    return sites ? sites->site : NULL;
}

const struct ft_pattern_entry *ft_sites_patterns(const struct ft_sites *sites, uint32_t *count)
{
    *count = sites ? sites->header.patterns : 0;
    return sites ? sites->pattern : NULL;
}

const char *ft_sites_text(const struct ft_sites *sites, uint32_t offset)
{
    return sites && offset < sites->header.text ? sites->text + offset : "";
}

const char *ft_sites_class(uint32_t class)
{
    static const char *const names[] = {"deterministic", "send-deterministic",
                                        "channel-deterministic", "non-deterministic", "unknown"};

    return names[class <= FT_SITE_UNKNOWN ? class : FT_SITE_UNKNOWN];
}
