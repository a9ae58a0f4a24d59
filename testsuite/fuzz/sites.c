/* Any bytes as the section .ftcc.sites. The checksum is set right, so that what it guards is read:
 * then each entry of an accepted table is found by its id, and its texts end. */
#include "sites/sites.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void check(const struct ft_sites *sites)
{
    uint32_t count;
    const struct ft_site_entry *site = ft_sites_all(sites, &count);
    size_t read = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert(ft_sites_find(sites, site[i].id) == &site[i]);
        read += strlen(ft_sites_text(sites, site[i].file));
        read += strlen(ft_sites_text(sites, site[i].function));
        read += strlen(ft_sites_text(sites, site[i].call));
        read += strlen(ft_sites_class(site[i].class));
        const struct ft_pattern_entry *pattern = ft_sites_pattern(sites, site[i].pattern);
        read += pattern ? strlen(ft_sites_text(sites, pattern->file)) : 0;
        const struct ft_hook_entry *hook = ft_sites_hook(sites, site[i].id);
        read += hook ? strlen(ft_sites_text(sites, hook->function)) : 0;
    }
    assert(count == 0 || read > 0);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct ft_sites *sites = NULL;
    struct ft_sites_header header;
    unsigned char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    if (length >= sizeof header) {
        memcpy(&header, copy, sizeof header);
        header.checksum = XXH64(copy + sizeof header, length - sizeof header, 0);
        memcpy(copy, &header, sizeof header);
    }
    int code = ft_sites_parse(copy, length, &sites);
    assert(code == 0 ? sites != NULL : code == -EBADMSG && sites == NULL);
    if (sites)
        check(sites);
    ft_sites_destroy(sites);
    free(copy);
    return 0;
}
