/* profile: what the ranks have sent to each other, for ftcluster (docs/formats/profile.md). Every
 * rank is a cluster of its own in such a run, so all messages to others are counted, also those
 * that collectives are made of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "run/run.h"
#include "store/text.h"

void ft_profile_note(struct ft_member *member, int64_t first, const void *traffic, size_t bytes)
{
    const size_t one = sizeof(*member->traffic), all = (size_t)member->run->size;

    if (!member->run->options.profile || first < 0 || (size_t)first > all ||
        bytes / one > all - (size_t)first)
        return;
    if (!member->traffic)
        member->traffic = calloc(all, one);
    if (member->traffic)
        memcpy(member->traffic + first, traffic, bytes / one * one);
}

/* [from, to, messages, bytes] for each pair that has talked. */
static json_t *traffic_list(const struct ft_run *run)
{
    json_t *list = json_array();

    for (int from = 0; from < run->size; from++) {
        const struct ft_wire_traffic *traffic = run->members[from].traffic;

        for (int to = 0; traffic && to < run->size; to++)
            if (traffic[to].messages)
                json_array_append_new(list, json_pack("[i, i, I, I]", from, to,
                                                      (json_int_t)traffic[to].messages,
                                                      (json_int_t)traffic[to].bytes));
    }
    return list;
}

static int all_told(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++)
        if (!run->members[i].traffic)
            return 0;
    return 1;
}

int ft_profile_write(const struct ft_run *run)
{
    const char *path = run->options.profile;
    json_t *root;
    int code;

    if (!path)
        return 0;
    if (!all_told(run)) {
        ft_say("no profile was written: not every rank came to MPI_Finalize");
        return -1;
    }
    root = json_pack("{s:s, s:i, s:o, s:i, s:f, s:o}", "format", "ftcc-profile", "version", 1,
                     "program", ft_text_json(run->program.path), "ranks", run->size, "seconds",
                     ft_loop_now() - run->started, "traffic", traffic_list(run));
    code = root ? json_dump_file(root, path, JSON_INDENT(1)) : -1;
    json_decref(root);
    if (code)
        ft_say("%s: %s", path, strerror(errno));
    return code;
}
