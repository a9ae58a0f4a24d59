/* still: a rank that computes may do so for hours, and is waited for. But when all ranks are inside
 * of MPI calls, and none comes to another one for long, they wait for each other, or for a library
 * that does not answer. */
#include "run/still.h"

#include <errno.h>
#include <stdlib.h>
#include "run/run.h"

struct ft_still {
    double since;    /* ft_loop_now of the last movement that was seen */
    uint64_t seen[]; /* [size] calls of each rank at the last look */
};

/* An operation of the program's own may run inside of a call. */
static const double standard = 60;

/* 0, or -EINVAL: what is named is none, and *seconds as if nothing was. */
static int read_patience(double *seconds)
{
    const char *named = getenv("FT_PATIENCE");
    char *end = NULL;
    double value = named && *named ? strtod(named, &end) : standard;
    int wrong = (end && *end) || !(value > 0 && value < 1e9);

    *seconds = wrong ? standard : value;
    return wrong ? -EINVAL : 0;
}

double ft_still_patience(void)
{
    double seconds;

    read_patience(&seconds);
    return seconds;
}

int ft_still_check(void)
{
    double seconds;

    return read_patience(&seconds);
}

int ft_still_create(int size, struct ft_still **out)
{
    *out = calloc(1, sizeof(**out) + (size_t)size * sizeof((*out)->seen[0]));
    return *out ? 0 : -ENOMEM;
}

void ft_still_destroy(struct ft_still *still)
{
    free(still);
}

void ft_still_begin(struct ft_still *still)
{
    still->since = ft_loop_now();
}

static int is_moving(struct ft_still *still, const struct ft_member *member)
{
    const struct ft_recorder *recorder = member->recorder;
    uint64_t before = still->seen[member->rank];

    still->seen[member->rank] = recorder->calls;
    if (member->pid <= 0 || (member->run->state == FT_RUN_LEAVING && member->cluster->fallen))
        return 0;
    return recorder->calls != before || recorder->where == FT_WHERE_USER;
}

double ft_still_look(struct ft_still *still, const struct ft_run *run)
{
    int moving = 0;

    for (int i = 0; i < run->size; i++)
        moving |= is_moving(still, &run->members[i]);
    if (moving)
        still->since = ft_loop_now();
    return ft_loop_now() - still->since;
}
