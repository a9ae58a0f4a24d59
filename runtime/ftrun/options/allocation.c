#include "options/allocation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char ft_allocation_launcher[] =
    "srun --nodelist={node} --nodes=1 --ntasks=1 --ntasks-per-node=1 --overlap --cpu-bind=none "
    "--mem=0 --mpi=none --kill-on-bad-exit=0 --wait=0 --no-kill --chdir=/ --quiet";

/* A whole number of the environment; 0: it is not there. */
static int number_of(const char *name)
{
    const char *text = getenv(name);
    int value = text ? atoi(text) : 0;

    return value > 0 ? value : 0;
}

void ft_allocation_look(struct ft_allocation *out)
{
    const char *list = getenv("SLURM_JOB_NODELIST"), *here = getenv("SLURMD_NODENAME");

    *out = (struct ft_allocation){.job = getenv("SLURM_JOB_ID")};
    if (!out->job || !list)
        return;
    out->nodes = number_of("SLURM_JOB_NUM_NODES");
    out->tasks = number_of("SLURM_NTASKS");
    out->parts = number_of("SLURM_HET_SIZE");
    out->copies = number_of("SLURM_STEP_NUM_TASKS");
    out->here = here && !strcmp(here, list);
}

/* The next node's number of tasks, of "2(x3),1": `left` nodes more have the number `last`. 0: there
 * is none. */
static int next_tasks(const char **text, int *last, int *left)
{
    int length = 0;

    if (*left > 0)
        return (*left)--, *last;
    *left = 1;
    if (sscanf(*text, "%d%n", last, &length) != 1 || *last <= 0)
        return 0;
    *text += length;
    length = 0;
    if (sscanf(*text, "(x%d)%n", left, &length) == 1 && length)
        *text += length;
    *text += **text == ',';
    return --*left >= 0 ? *last : 0;
}

int ft_allocation_hosts(const char *names, const char *tasks, struct ft_hosts *out, char *why,
                        size_t size)
{
    const char *rest = tasks ? tasks : "", *name = names;
    char *text = NULL;
    size_t length = 0;
    FILE *hosts = open_memstream(&text, &length);
    int last = 0, left = 0, count = 1, code;

    for (; hosts && *name && count; name += strcspn(name, "\n"), name += *name == '\n') {
        count = next_tasks(&rest, &last, &left);
        fprintf(hosts, "%s%.*s:%d", name > names ? "," : "", (int)strcspn(name, "\n"), name, count);
    }
    if (!hosts || fclose(hosts)) {
        snprintf(why, size, "no memory");
        free(text);
        return -ENOMEM;
    }
    if (count && !*rest && !left) {
        code = ft_hosts_read(text, out, why, size);
    } else {
        snprintf(why, size,
                 "SLURM_TASKS_PER_NODE=%s is not a number for each node: was ftrun "
                 "started by srun? Start it without, or name nodes with --hosts",
                 tasks ? tasks : "");
        code = -EINVAL;
    }
    free(text);
    return code;
}

int ft_allocation_time(const char *text, double *seconds)
{
    unsigned part[3] = {0};
    unsigned days = 0;
    int length = 0, parts = 0;

    if (!strncmp(text, "UNLIMITED", 9))
        return -ENOENT;
    if (sscanf(text, "%u-%n", &days, &length) == 1 && length)
        text += length;
    else
        days = 0;
    while (parts < 3 && sscanf(text, "%u%n", &part[parts], &length) == 1) {
        parts++;
        text += length;
        if (*text != ':')
            break;
        text++;
    }
    if (!parts || (*text && *text != '\n'))
        return -EINVAL;
    *seconds = days * 86400.0;
    for (int i = 0, unit = parts == 3 ? 3600 : parts == 2 ? 60 : 1; i < parts; i++, unit /= 60)
        *seconds += (double)part[i] * unit;
    return 0;
}
