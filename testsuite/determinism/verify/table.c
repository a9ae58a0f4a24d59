/* table: writes a table of sites (runtime/shared/sites/format.h) as a section's bytes, from lines such as
 *
 *     site ID PATTERN CLASS FLAGS FILE:LINE FUNCTION CALL       numbers in hexadecimal, by id
 *     pattern ID FLAGS FILE:LINE FUNCTION
 *     hook ID CHOSEN FILE:LINE FUNCTION
 *
 * on the standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/shared/sites/format.h"

enum { MOST = 64 };

static struct ft_sites_header header = {.magic = FT_SITES_MAGIC, .version = FT_SITES_VERSION};
static struct ft_site_entry sites[MOST];
static struct ft_pattern_entry patterns[MOST];
static struct ft_hook_entry hooks[MOST];
static char text[8192];

static uint32_t text_add(const char *word)
{
    uint32_t at = header.text;

    strcpy(text + at, word);
    header.text += (uint32_t)strlen(word) + 1;
    return at;
}

/* Cuts "FILE:LINE". */
static uint32_t line_of(char *place)
{
    char *colon = strrchr(place, ':');

    *colon = 0;
    return (uint32_t)atoi(colon + 1);
}

static int take_line(const char *line)
{
    unsigned id, a, b, c;
    char place[256], function[64], call[64];

    if (sscanf(line, "site %x %x %x %x %255s %63s %63s", &id, &a, &b, &c, place, function, call) ==
        7)
        sites[header.sites++] = (struct ft_site_entry){
            id, a, b, c, 0, text_add(function), text_add(call), line_of(place)};
    else if (sscanf(line, "pattern %x %x %255s %63s", &id, &a, place, function) == 4)
        patterns[header.patterns++] =
            (struct ft_pattern_entry){id, a, 0, text_add(function), line_of(place), 0};
    else if (sscanf(line, "hook %x %x %255s %63s", &id, &a, place, function) == 4)
        hooks[header.hooks++] =
            (struct ft_hook_entry){id, a, 0, text_add(function), line_of(place), 0};
    else
        return 1;
    return 0;
}

/* All entries come from one file, whose name is given as the argument. */
int main(int argc, char **argv)
{
    static char section[65536];
    size_t length = sizeof header;
    char line[1024];

    text_add(argc > 1 ? argv[1] : "");
    while (fgets(line, sizeof line, stdin))
        if (take_line(line))
            return 1;
#define APPEND(from, bytes) (memcpy(section + length, from, bytes), length += (bytes))
    APPEND(sites, header.sites * sizeof *sites);
    APPEND(patterns, header.patterns * sizeof *patterns);
    APPEND(hooks, header.hooks * sizeof *hooks);
    APPEND(text, header.text);
#undef APPEND
    header.checksum = XXH64(section + sizeof header, length - sizeof header, 0);
    memcpy(section, &header, sizeof header);
    return fwrite(section, length, 1, stdout) != 1;
}
