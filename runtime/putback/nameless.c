/* nameless: files without a name that ranks of several clusters have open.
 *
 * An image carries the content of such a file, and nobody can open it by a path. So images of two
 * clusters have the same file only when they are of one moment: clusters are joined before one of
 * them has it in a checkpoint (join.c), and to one of all ranks all go back that has such a file of
 * several clusters. And a rank that stays keeps the old file, where one that goes back makes,
 * writes and takes away another one: both go back then.
 *
 * /proc says what a rank has open, while it is held or computes. Two that only read a file do not
 * depend on each other. */
#include <string.h>
#include "files/undo.h"
#include "host/proc.h"
#include "putback/putback.h"

struct search {
    const struct ft_run *run;
    const struct ft_cluster *cluster; /* whose files are looked for */
    int partner;                      /* index of a cluster; -1: none */
    char *path;
};

static int is_same(void *context, const struct ft_proc_nameless *file)
{
    const struct ft_proc_nameless *own = context;

    return file->device == own->device && file->inode == own->inode &&
           (file->writes || own->writes);
}

static int find_other(void *context, const struct ft_proc_nameless *own)
{
    struct search *search = context;
    struct ft_proc_nameless file = *own;

    for (int i = 0; i < search->run->cluster_count; i++) {
        const struct ft_cluster *other = search->run->clusters[i];

        for (int j = 0; other != search->cluster && j < other->count; j++) {
            if (!ft_proc_nameless(other->members[j]->pid, is_same, &file))
                continue;
            search->partner = i;
            snprintf(search->path, FT_WIRE_PATH, "%s", own->path);
            return 1;
        }
    }
    return 0;
}

struct ft_cluster *ft_nameless_partner(const struct ft_cluster *cluster, char *path)
{
    struct search search = {.run = cluster->run, .cluster = cluster, .partner = -1, .path = path};

    for (int i = 0; cluster->run->cluster_count > 1 && i < cluster->count; i++) {
        if (ft_proc_nameless(cluster->members[i]->pid, find_other, &search))
            return cluster->run->clusters[search.partner];
    }
    return NULL;
}

struct crossing {
    const struct ft_run *run;
    int cluster; /* of the start, whose file is looked at */
};

static int find_crossing(void *context, const struct ft_proc_nameless *own)
{
    const struct crossing *crossing = context;
    const struct ft_run *run = crossing->run;
    struct ft_proc_nameless file = *own;

    for (int i = 0; i < run->size; i++) {
        if (run->of[i] != crossing->cluster &&
            ft_proc_nameless(run->members[i].pid, is_same, &file))
            return 1;
    }
    return 0;
}

int ft_nameless_crosses(const struct ft_run *run)
{
    struct crossing crossing = {.run = run};

    for (int i = 0; run->parts > 1 && i < run->size; i++) {
        crossing.cluster = run->of[i];
        if (ft_proc_nameless(run->members[i].pid, find_crossing, &crossing))
            return 1;
    }
    return 0;
}

struct fit {
    const struct ft_run *run;
    const struct ft_undo_party *parties; /* [clusters] */
    const char *path;                    /* of the file that a rank which stays has open */
    int early;                           /* cluster that is looked at */
    struct ft_undo_misfit *misfit;
    int code; /* 1: there is one; or -errno */
};

static int note_change(void *context, int party, int place, const struct ft_undo_access *access)
{
    struct fit *fit = context;

    (void)party;
    (void)place;
    if (access->change == FT_ACCESS_READ || strcmp(access->path, fit->path) != 0 ||
        (fit->code == 1 && access->time >= fit->misfit->time))
        return 0;
    fit->code = 1;
    fit->misfit->early = fit->early;
    fit->misfit->time = access->time;
    snprintf(fit->misfit->path, sizeof(fit->misfit->path), "%s", access->path);
    return 0;
}

static int find_changes(void *context, const struct ft_proc_nameless *file)
{
    struct fit *fit = context;

    fit->path = file->path;
    for (int i = 0; i < fit->run->cluster_count; i++) {
        int code = 0;

        fit->early = i;
        if (fit->parties[i].number != FT_UNDO_STAYS)
            code = ft_undo_accesses(&fit->parties[i], 1, fit->misfit->path, note_change, fit);
        if (code)
            fit->code = code;
    }
    return fit->code;
}

/* Of two of which one goes back to such a checkpoint the other one goes there, too; where it has
 * to go farther, neither stays there. */
static int is_alone(const struct ft_run *run, const struct ft_undo_party *parties, int i, int j,
                    struct ft_undo_misfit *misfit)
{
    const struct ft_manifest *newest = ft_cluster_newest(run->clusters[i]);
    int farther = parties[j].cut < parties[i].cut;

    if (parties[i].number == FT_UNDO_STAYS || parties[j].number == parties[i].number || !newest ||
        !newest->nameless)
        return 0;
    misfit->early = farther ? j : i;
    misfit->late = farther ? i : j;
    misfit->time = parties[i].cut - (uint64_t)farther;
    snprintf(misfit->path, sizeof(misfit->path), "one without a name");
    return 1;
}

int ft_nameless_fit(const struct ft_run *run, const struct ft_undo_party *parties,
                    struct ft_undo_misfit *misfit)
{
    struct fit fit = {.run = run, .parties = parties, .misfit = misfit};

    for (int i = 0; i < run->cluster_count; i++) {
        for (int j = 0; j < run->cluster_count; j++) {
            if (is_alone(run, parties, i, j, misfit))
                return 1;
        }
    }
    for (int i = 0; i < run->cluster_count && !fit.code; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        misfit->late = i;
        for (int j = 0; parties[i].number == FT_UNDO_STAYS && j < cluster->count && !fit.code; j++)
            ft_proc_nameless(cluster->members[j]->pid, find_changes, &fit);
    }
    return fit.code;
}
