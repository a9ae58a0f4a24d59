/* nameless: files without a name that ranks of several clusters have open.
 *
 * An image carries the content of such a file, and nobody can open it by a path. So the images of
 * two clusters have the same file only when they are of one moment: clusters that share such a file
 * are joined before one of them has it in a checkpoint (commit/join.c). /proc tells what a rank has
 * open, while it is held or computes. Ranks that only read a file do not depend on each other. */
#include <stdio.h>
#include "host/proc.h"
#include "putback/putback.h"

struct search {
    const struct ft_run *run;
    int cluster; /* of the start: of the rank whose files are looked at */
    char *path;  /* of the file that was found */
};

static int is_same(void *context, const struct ft_proc_nameless *file)
{
    const struct ft_proc_nameless *own = context;

    return file->device == own->device && file->inode == own->inode &&
           (file->writes || own->writes);
}

static int find_other(void *context, const struct ft_proc_nameless *own)
{
    const struct search *search = context;
    const struct ft_run *run = search->run;
    struct ft_proc_nameless file = *own;

    for (int i = 0; i < run->size; i++) {
        if (run->of[i] == search->cluster || !ft_proc_nameless(run->members[i].pid, is_same, &file))
            continue;
        snprintf(search->path, FT_WIRE_PATH, "%s", own->path);
        return 1;
    }
    return 0;
}

int ft_nameless_shared(const struct ft_cluster *cluster, char *path)
{
    struct search search = {.run = cluster->run, .path = path};

    for (int i = 0; cluster->run->parts > 1 && i < cluster->count; i++) {
        const struct ft_member *member = cluster->members[i];

        search.cluster = cluster->run->of[member->rank];
        if (ft_proc_nameless(member->pid, find_other, &search))
            return 1;
    }
    return 0;
}
