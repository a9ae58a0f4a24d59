/* Reading a profile: every number is checked, because people edit such files. */
#include "ftcluster/profile.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 512, RANKS_MOST = 1 << 20 };

static int fail(char *why, const char *path, const char *what)
{
    snprintf(why, WHY, "%s: %s", path, what);
    return -1;
}

/* One entry [from, to, messages, bytes]. */
static int edge_read(json_t *entry, int ranks, struct ft_profile_edge *edge)
{
    json_int_t from, to, messages, bytes;

    if (json_unpack(entry, "[IIII!]", &from, &to, &messages, &bytes) != 0)
        return -1;
    if (from < 0 || from >= ranks || to < 0 || to >= ranks || messages < 0 || bytes < 0)
        return -1;
    *edge = (struct ft_profile_edge){(int)from, (int)to, (uint64_t)messages, (uint64_t)bytes};
    return 0;
}

static int edge_order(const void *a, const void *b)
{
    const struct ft_profile_edge *one = a, *two = b;

    if (one->from != two->from)
        return one->from - two->from;
    return one->to - two->to;
}

static int edges_read(json_t *list, struct ft_profile *profile)
{
    profile->count = json_array_size(list);
    profile->edge = calloc(profile->count + 1, sizeof *profile->edge);
    if (!profile->edge)
        return -1;
    for (size_t i = 0; i < profile->count; i++)
        if (edge_read(json_array_get(list, i), profile->ranks, &profile->edge[i]) != 0)
            return -1;
    qsort(profile->edge, profile->count, sizeof *profile->edge, edge_order);
    for (size_t i = 1; i < profile->count; i++)
        if (edge_order(&profile->edge[i - 1], &profile->edge[i]) == 0)
            return -1;
    return 0;
}

static int root_read(json_t *root, struct ft_profile *profile, const char *path, char *why)
{
    const char *format = NULL;
    json_int_t version = 0, ranks = 0; /* not int, into which jansson would press any number */
    double seconds = 0;
    json_t *list = NULL;

    if (json_unpack(root, "{s:s, s:I, s:I, s:F, s:o}", "format", &format, "version", &version,
                    "ranks", &ranks, "seconds", &seconds, "traffic", &list) != 0 ||
        strcmp(format, "ftcc-profile") != 0)
        return fail(why, path, "not a profile; ftrun --profile writes one");
    if (version != 1)
        return fail(why, path, "a profile of another version");
    if (ranks < 1 || ranks > RANKS_MOST || !isnormal(seconds) || seconds < 0 ||
        !json_is_array(list))
        return fail(why, path, "a damaged profile: ranks, seconds or traffic are impossible");
    profile->ranks = (int)ranks;
    profile->seconds = seconds;
    if (edges_read(list, profile) != 0) {
        ft_profile_free(profile);
        return fail(why, path, "a damaged profile: an entry of traffic is wrong or comes twice");
    }
    return 0;
}

int ft_profile_read(const char *path, struct ft_profile *profile, char *why)
{
    struct ft_profile read = {0};
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    int code;

    if (!root) {
        snprintf(why, WHY, "%s: %s", path, error.text);
        return -1;
    }
    code = root_read(root, &read, path, why);
    json_decref(root);
    if (code == 0)
        *profile = read;
    return code;
}

void ft_profile_free(struct ft_profile *profile)
{
    free(profile->edge);
    *profile = (struct ft_profile){0};
}
