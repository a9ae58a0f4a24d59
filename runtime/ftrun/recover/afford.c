/* afford: has the machine room for the survivors of a death twice?
 *
 * From the image that a survivor writes when it leaves its epoch until all are back in the program
 * its memory is there twice, so that a death meanwhile takes nothing more back. Where that is too
 * much the kernel would kill processes: of the job, or of others. */
#include <stdlib.h>
#include "host/memory.h"
#include "host/proc.h"
#include "recover/recover.h"

/* The memory of the process alone, bytes; 0 when it is gone. */
static uint64_t own_memory(pid_t pid)
{
    char text[8192];

    ft_proc_read(pid, "status", text, sizeof(text));
    return 1024 * (strtoull(ft_proc_value(text, "\nRssAnon:"), NULL, 10) +
                   strtoull(ft_proc_value(text, "\nVmSwap:"), NULL, 10));
}

/* Memory that will be needed: the images of survivors; the memory of those that have died and
 * are started again. The others of a fallen cluster have theirs until then. */
static uint64_t needed(const struct ft_run *run)
{
    uint64_t bytes = 0;

    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];
        const struct ft_manifest *newest = ft_cluster_newest(member->cluster);

        if (!member->cluster->fallen)
            bytes += own_memory(member->pid);
        else if (member->pid <= 0 && newest)
            bytes += newest->ranks[member->place].bytes;
    }
    return bytes;
}

int ft_afford_survivors(const struct ft_run *run)
{
    struct ft_memory memory;
    uint64_t bytes = needed(run);

    ft_memory_look("", &memory);
    if (bytes <= memory.left)
        return 1;
    ft_say("to keep the ranks that have not died takes %.1f MB of memory, and %.1f are left: all "
           "ranks roll back",
           (double)bytes / 1e6, (double)memory.left / 1e6);
    return 0;
}
