/* lack: a trusted receive (--trust) of a rank that has rolled back waits for a message of its own
 * pattern and iteration. If the table of sites is wrong, or what a rehearsal has supported, there
 * may be none, although a message is there that the receive could have taken. The rank cannot tell
 * that from a sender that computes. But when no rank is in the program's own code, and none comes
 * to another MPI call for long, nobody will send it.
 *
 * Rolling back does not help, because the same receive would wait again. */
#include <stdio.h>
#include "recover/recover.h"
#include "sites/sites.h"
#include "verify/verify.h"

static const double look = 1; /* seconds between two looks */

static struct ft_member *who_lacks(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].pid > 0 && run->members[i].recorder->lacks_pattern)
            return &run->members[i];
    }
    return NULL;
}

/* "FILE:LINE" of the pattern, or its identity. */
static void name_pattern(const struct ft_run *run, uint32_t id, char *text, size_t size)
{
    struct ft_sites *sites = NULL;
    const struct ft_pattern_entry *entry;

    ft_sites_read(run->program.path, &sites);
    entry = ft_sites_pattern(sites, id);
    if (entry)
        snprintf(text, size, "at %s:%u", ft_sites_text(sites, entry->file), entry->line);
    else
        snprintf(text, size, "%08x", id);
    ft_sites_destroy(sites);
}

static void give_up(struct ft_member *member)
{
    const struct ft_recorder *recorder = member->recorder;
    char pattern[FT_STORE_PATH], reason[FT_STORE_PATH + 512];

    name_pattern(member->run, recorder->lacks_pattern, pattern, sizeof(pattern));
    snprintf(
        reason, sizeof(reason),
        "in %s, it waits for a message of iteration %u of the pattern %s, and nothing has moved "
        "for %.0f s: the message that it had before the death was of another place, or is not "
        "resent. So this pattern cannot be trusted, whatever the table of sites or the "
        "rehearsal says: use --trust none",
        ft_verify_call(recorder->call), recorder->lacks_iteration, pattern, ft_still_patience());
    ft_finish_refused(member, "the trusted receive", reason, recorder->lacks_site);
}

static void on_look(void *context)
{
    struct ft_run *run = context;
    struct ft_member *member = who_lacks(run);

    if (!member || run->state != FT_RUN_RUNNING)
        ft_still_begin(run->lacking);
    else if (ft_still_look(run->lacking, run) >= ft_still_patience()) {
        give_up(member);
        return;
    }
    ft_loop_after(run->loop, &run->lack, look, on_look, run);
}

void ft_lack_start(struct ft_run *run)
{
    if (!run->trusted || !ft_run_contains(run))
        return;
    ft_still_begin(run->lacking);
    ft_loop_after(run->loop, &run->lack, look, on_look, run);
}
