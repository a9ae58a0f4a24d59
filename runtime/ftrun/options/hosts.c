/* hosts: see hosts.h. A name is given to an engine's shell, so it consists of harmless characters.
 */
#include "options/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Appends the node. */
static int add(struct ft_hosts *hosts, const char *name, size_t length, int slots, char *why,
               size_t size)
{
    struct ft_host *host;

    for (int i = 0; i < hosts->count; i++) {
        if (strlen(hosts->host[i].name) == length && !strncmp(hosts->host[i].name, name, length)) {
            snprintf(why, size, "node %.*s is named twice", (int)length, name);
            return -EINVAL;
        }
    }
    host = realloc(hosts->host, ((size_t)hosts->count + 1) * sizeof(*host));
    if (host)
        hosts->host = host;
    if (!host || !(host[hosts->count].name = strndup(name, length))) {
        snprintf(why, size, "no memory");
        return -ENOMEM;
    }
    host[hosts->count++].slots = slots;
    return 0;
}

/* "NAME", "NAME:SLOTS", "NAME slots=SLOTS". */
static int take_word(struct ft_hosts *hosts, const char *word, char *why, size_t size)
{
    size_t length = strspn(word, harmless);
    const char *rest = word + length;
    long slots = 1;
    char *end = NULL;

    rest += strspn(rest, " \t");
    if (*rest == ':')
        slots = strtol(rest + 1, &end, 10);
    else if (!strncmp(rest, "slots=", 6))
        slots = strtol(rest + 6, &end, 10);
    if (end)
        rest = end + strspn(end, " \t\r");
    if (length && *word != '-' && !*rest && slots > 0 && slots <= 65536)
        return add(hosts, word, length, (int)slots, why, size);
    snprintf(why, size, "'%s' is not NAME or NAME:SLOTS", word);
    return -EINVAL;
}

int ft_hosts_read(const char *text, struct ft_hosts *out, char *why, size_t size)
{
    char *copy = strdup(text), *rest = copy, *word;
    int code = copy ? 0 : -ENOMEM;

    *out = (struct ft_hosts){0};
    if (code)
        snprintf(why, size, "no memory");
    while (!code && (word = strsep(&rest, ",")))
        code = take_word(out, word, why, size);
    free(copy);
    if (code)
        ft_hosts_free(out);
    return code;
}

static int take_line(struct ft_hosts *hosts, char *line, char *why, size_t size)
{
    char *end;

    line[strcspn(line, "#\n")] = 0;
    while (isspace((unsigned char)*line))
        line++;
    for (end = line + strlen(line); end > line && isspace((unsigned char)end[-1]); end--)
        end[-1] = 0;
    return *line ? take_word(hosts, line, why, size) : 0;
}

int ft_hosts_read_file(const char *path, struct ft_hosts *out, char *why, size_t size)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int code = 0;

    *out = (struct ft_hosts){0};
    if (!file) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -EINVAL;
    }
    while (!code && getline(&line, &room, file) > 0)
        code = take_line(out, line, why, size);
    free(line);
    fclose(file);
    if (!code && !out->count) {
        snprintf(why, size, "%s names no node", path);
        code = -EINVAL;
    }
    if (code)
        ft_hosts_free(out);
    return code;
}

void ft_hosts_free(struct ft_hosts *hosts)
{
    for (int i = 0; i < hosts->count; i++)
        free(hosts->host[i].name);
    free(hosts->host);
    *hosts = (struct ft_hosts){0};
}

int ft_hosts_place(const struct ft_hosts *hosts, int spares, int size, int *node, char *why,
                   size_t room)
{
    int placed = 0, slots = 0;

    for (int i = 0; i < hosts->count - spares; i++) {
        slots += hosts->host[i].slots;
        for (int k = 0; k < hosts->host[i].slots && placed < size; k++)
            node[placed++] = i;
    }
    if (placed == size)
        return 0;
    snprintf(why, room, "%d ranks do not fit into %d slots of %d nodes (NAME:SLOTS)%s", size, slots,
             hosts->count - spares, spares ? "; spares take none" : "");
    return -EINVAL;
}
