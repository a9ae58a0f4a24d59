/* replace: --on-failure replace. All living ranks are in ft_replace: they leave the epoch with
 * their present images, as survivors do (leave.c), and in the next one new processes have the ranks
 * of the dead. One that dies before it has left is replaced, too; one that dies behind that begins
 * again with its image. After a death while libraries start all begin again (mourn.c). */
#include <stddef.h>
#include <unistd.h>
#include "recorder/deaths.h"
#include "recover/mourn.h"
#include "recover/recover.h"

static const double patience = 300; /* seconds until all have written their images */

static void on_patience(void *context)
{
    struct ft_run *run = context;

    if (run->state != FT_RUN_LEAVING)
        return;
    ft_say("ft_replace: a rank has not written its image in %.0f s", patience);
    ft_finish(run, 1);
}

/* Nobody waits for anybody, so standard input stands still. */
void ft_replace_begin(struct ft_run *run)
{
    struct ft_leave *leave = &run->leave;

    run->state = FT_RUN_LEAVING;
    run->epoch++;
    leave->told = 1;
    if (!run->members[0].mourned)
        ft_input_pause(run->input, 1);
    leave->input = ft_input_written(run->input);
    for (int i = 0; i < run->size; i++)
        if (!run->members[i].mourned)
            ft_rank_send(&run->members[i], FT_WIRE_LEAVE, NULL, 0, NULL, 0, -1);
    ft_loop_after(run->loop, &leave->tick, patience, on_patience, run);
}

/* The deaths and revocations so far are of another life of the libraries. */
static int tell_healed(struct ft_member *member)
{
    const uint32_t healed[] = {member->run->deaths.count, member->run->deaths.revoked};
    const off_t at = (off_t)(FT_RECORDER_BYTES + offsetof(struct ft_deaths, healed));

    _Static_assert(offsetof(struct ft_deaths, healed_revokes) ==
                       offsetof(struct ft_deaths, healed) + sizeof(healed[0]),
                   "both are written at once");
    return pwrite(member->recorder_fd, healed, sizeof(healed), at) == sizeof(healed) ? 0 : -1;
}

/* A new process reads the input from its beginning. */
static void member_take(struct ft_member *member)
{
    member->replacement = member->mourned;
    if (member->mourned && member->rank == 0) {
        member->run->input_position = 0;
        ft_input_pause(member->run->input, 0);
    }
    member->mourned = member->ended = 0;
    member->gap = member->gap_now = 0;
}

int ft_replace_take(struct ft_run *run)
{
    if (ft_mourn_nobody_lives(run)) {
        ft_say("all ranks have died in ft_replace");
        ft_finish(run, 1);
        return -1;
    }
    for (int i = 0; i < run->size; i++) {
        member_take(&run->members[i]);
        if (tell_healed(&run->members[i])) {
            ft_say("no memory to tell the ranks that the dead are replaced");
            ft_finish(run, 1);
            return -1;
        }
    }
    run->deaths.healed_revokes = run->deaths.revoked;
    run->deaths.gap_order = 0;
    run->deaths.renewed++;
    ft_agree_free(run);
    return 0;
}
