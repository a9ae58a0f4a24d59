/* copies: the second copies of all ranks (--replicas).
 *
 * The ranks have two copies each, and the copies are two teams. A team is a job of its own: N
 * ranks, each of them a cluster, in a world of its own of the MPI library; a rank sends to ranks of
 * its team alone. So nothing of the library has to be repaired when a process of the other team
 * dies. The two share the ring of outcomes that each pair shares (recorder/pair.h): the copy that
 * leads writes it, the other one repeats its entries.
 *
 * The second team begins with the images of the first one's first checkpoint, so both have the same
 * bits.
 *
 * A copy dies. Its own team is treated like any job with clusters (leave.c): the survivors of
 * the team leave their epoch with their present images, and the dead copy's successor begins
 * with an image that the living copy takes for it, as for a checkpoint, or, where its team is
 * broken, too, has left its epoch with. Where none comes in time, or the other copy is dead,
 * too, the successor begins with the dead one's last checkpoint. The other team goes on
 * meanwhile, and leads: each rank's lead is handed over when its copy in the broken team is
 * dead, or has left, because then it writes nothing any more. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commit/commit.h"
#include "recover/recover.h"

static const double look_seconds = 0.005;
static const double image_patience = 5; /* until a copy that computes has given its image */

static void give_lead(const struct ft_member *member)
{
    const struct ft_member *other = ft_member_twin(member);
    struct ft_pair *pair = member->pair;

    if (pair->leads == (uint32_t)other->run->copy)
        return;
    __atomic_store_n(&pair->leads, (uint32_t)other->run->copy, __ATOMIC_RELEASE);
    pair->changes++;
    ft_ring_tell(member);
    ft_events_emit(other->run->events, "lead", "{s:i, s:i, s:I, s:f}", "rank", other->rank, "pid",
                   ft_rank_number(other), "call", (json_int_t)other->recorder->calls, "seconds",
                   member->run->died > 0 ? ft_loop_now() - member->run->died : 0);
}

void ft_copies_left(const struct ft_member *member)
{
    const struct ft_member *other = ft_member_twin(member);

    if (other && other->run->state == FT_RUN_RUNNING && other->pid > 0)
        give_lead(member);
}

/* Gives the lead of the rank to its other copy, if that is alive, or this one will have no
 * successor. Otherwise the successor of this copy leads. */
void ft_copies_died(const struct ft_member *member)
{
    const struct ft_member *other = ft_member_twin(member);

    if (other && member->pid <= 0) { /* its successor has not come to that change of files yet */
        __atomic_store_n(&member->pair->came[member->run->copy], 0, __ATOMIC_RELEASE);
        ft_ring_tell(member);
    }
    if (other && member->run->given_up)
        give_lead(member);
    else if (other && other->pid > 0 && !member->ended && member->run->state != FT_RUN_ENDING)
        give_lead(member);
}

/* The images of the first checkpoint of each rank, which stay for as long as they are open, or
 * linked, where another node opens them. 0 or -errno. */
static int open_origins(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    int code;

    run->twin->origin = calloc(2 * (size_t)run->size, sizeof(*run->twin->origin));
    if (!run->twin->origin)
        return -ENOMEM;
    for (int i = 0; i < run->size; i++) {
        const struct ft_manifest *first = run->members[i].cluster->kept[0];

        ft_store_image(run->store, first->checkpoint, i, 0, path);
        run->twin->members[i].origin = open(path, O_RDONLY | O_CLOEXEC);
        if (run->twin->members[i].origin < 0)
            return -errno;
        if (run->nodes && (code = ft_store_lend_image(path, run->twin->store, i, FT_STORE_ORIGIN)))
            return code;
        if ((code = ft_store_lend_log(run->store, first->checkpoint, i, run->twin->store)))
            return code;
        if (ft_position_copy(&first->output[0], &run->twin->origin[2 * i]) ||
            ft_position_copy(&first->output[1], &run->twin->origin[2 * i + 1]))
            return -ENOMEM;
        if (i == 0)
            run->twin->origin_input = first->input;
    }
    return 0;
}

/* All begin with those images, and take checkpoints as soon as they run. 0 or -errno. */
static int begin_all(struct ft_run *second)
{
    second->input_position = second->origin_input;
    for (int i = 0; i < second->size; i++) {
        struct ft_member *member = &second->members[i];

        if (ft_output_rollback(second->output, i, 0, &second->origin[2 * i], 1) ||
            ft_output_rollback(second->output, i, 1, &second->origin[2 * i + 1], 1))
            return -ENOMEM;

        ft_rank_drop_image(member);
        member->image_fd = fcntl(member->origin, F_DUPFD_CLOEXEC, 0);
        if (member->image_fd < 0)
            return -errno;
        member->cluster->fallen = 0;
        member->cluster->checkpoint.wanted = 1;
    }
    return 0;
}

static int has_checkpoints(const struct ft_run *run)
{
    for (int i = 0; i < run->cluster_count; i++) {
        if (!run->clusters[i]->kept_count)
            return 0;
    }
    return 1;
}

/* Have its agents taken the job? */
static int is_ready(const struct ft_run *run)
{
    for (int i = 0; run->nodes && i < run->nodes->count; i++) {
        if (!run->nodes->node[i].ready)
            return 0;
    }
    return 1;
}

static void leave_alone(struct ft_run *run);

static void look(void *context)
{
    struct ft_run *run = context;
    int code;

    if (run->state == FT_RUN_ENDING)
        return;
    if (run->twin->nodeless) {
        leave_alone(run->twin);
        return;
    }
    if (run->state != FT_RUN_RUNNING || !has_checkpoints(run) || !is_ready(run->twin)) {
        ft_loop_after(run->loop, &run->second, look_seconds, look, run);
        return;
    }
    code = open_origins(run);
    if (!code)
        code = begin_all(run->twin);
    if (code) {
        ft_say("the second copies cannot begin: %s", strerror(-code));
        ft_finish(run, 1);
        return;
    }
    ft_lack_start(run->twin);
    ft_epoch_start(run->twin);
}

void ft_copies_start(struct ft_run *run)
{
    ft_loop_after(run->loop, &run->second, look_seconds, look, run);
}

/* Can the rank's other copy take a checkpoint for this one? The files of its log lie elsewhere. */
static int can_give(const struct ft_member *other)
{
    const struct ft_run *run = other->run;

    return run->state == FT_RUN_RUNNING && !run->finalized && other->pid > 0 && !other->ended &&
           !other->recorder->log_spilled;
}

/* Its team is broken, too, and the copy has left its epoch: the image that it left with serves two
 * processes. */
static int is_out(const struct ft_member *other)
{
    return ft_member_survives(other) &&
           (other->run->state == FT_RUN_LEAVING || other->run->state == FT_RUN_STARTING);
}

/* Likewise; on another node its agent has put the image where this copy's node finds it. */
static int has_left(const struct ft_member *other)
{
    return is_out(other) && (!other->left || other->lent == FT_LENT_SAVED);
}

static int will_leave(const struct ft_member *other)
{
    return (other->run->state == FT_RUN_LEAVING && !other->cluster->fallen && other->pid > 0) ||
           (is_out(other) && other->lent != FT_LENT_FAILED);
}

static struct ft_member *twin_of(const struct ft_cluster *cluster)
{
    return ft_member_twin(cluster->members[0]);
}

/* Ranks that are dead in this team, and whose other copy can help. */
static int is_asked(const struct ft_cluster *cluster)
{
    const struct ft_member *other = twin_of(cluster);

    return cluster->fallen && (can_give(other) || has_left(other) || will_leave(other));
}

/* Has the other copy taken a checkpoint since it was asked? */
static int has_taken(const struct ft_cluster *cluster)
{
    const struct ft_member *other = twin_of(cluster);

    return other->run->state == FT_RUN_RUNNING && ft_cluster_newest(other->cluster) &&
           other->cluster->saved > cluster->run->healing;
}

/* The image that the other copy has left with lies in the memory of its node. */
static void ask_agent(const struct ft_member *member, struct ft_member *other)
{
    char path[FT_STORE_PATH];

    ft_store_lent_image(member->run->store, member->rank, FT_STORE_CROSSED, path);
    other->lent =
        ft_store_make_lent(member->run->store, member->rank) ? FT_LENT_FAILED : FT_LENT_ASKED;
    if (other->lent == FT_LENT_ASKED)
        ft_node_tell(other->node, FT_AGENT_SAVE, other->rank, other->life, 0, path,
                     strlen(path) + 1);
}

/* Not in its turn: behind checkpoints of all other ranks, which a slow disk writes, it may come too
 * late. */
static void ask(const struct ft_cluster *cluster)
{
    struct ft_member *other = twin_of(cluster);

    if (can_give(other))
        ft_checkpoint_begin_now(other->cluster);
    else if (is_out(other) && other->left && !other->lent)
        ask_agent(cluster->members[0], other);
}

static int waits_for_images(const struct ft_run *run)
{
    int waits = 0;

    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        if (!is_asked(cluster) || has_left(twin_of(cluster)) || has_taken(cluster))
            continue;
        ask(cluster);
        waits = 1;
    }
    return waits;
}

/* Takes the positions in output and input where the rank begins. 0 or -ENOMEM. */
static int take_positions(struct ft_member *member, const struct ft_position *printed,
                          uint64_t input)
{
    struct ft_run *run = member->run;
    int code = ft_output_rollback(run->output, member->rank, 0, &printed[0], 1);

    if (!code)
        code = ft_output_rollback(run->output, member->rank, 1, &printed[1], 1);
    if (!code && member->rank == 0)
        run->input_position = input;
    return code;
}

/* The image of the checkpoint that the other copy has taken. Its descriptor, or a negative number.
 */
static int open_taken(struct ft_member *member)
{
    const struct ft_member *other = ft_member_twin(member);
    const struct ft_manifest *taken = ft_cluster_newest(other->cluster);
    char path[FT_STORE_PATH];
    int fd;

    ft_store_image(other->run->store, taken->checkpoint, member->rank, 0, path);
    if (member->node &&
        ft_store_lend_image(path, member->run->store, member->rank, FT_STORE_CROSSED))
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !take_positions(member, taken->output, taken->input))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The image that the other copy has left its epoch with, or was about to begin with itself. */
static int open_image(struct ft_member *member, const struct ft_member *other)
{
    char path[FT_STORE_PATH];

    if (!other->node)
        return fcntl(other->image_fd, F_DUPFD_CLOEXEC, 0);
    if (!other->left) {
        ft_store_lent_image(other->run->store, other->rank,
                            other->crossed ? FT_STORE_CROSSED : FT_STORE_ORIGIN, path);
        if (ft_store_lend_image(path, member->run->store, member->rank, FT_STORE_CROSSED))
            return -1;
    }
    ft_store_lent_image(member->run->store, member->rank, FT_STORE_CROSSED, path);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Likewise, with its positions. */
static int open_left(struct ft_member *member)
{
    struct ft_member *other = ft_member_twin(member);
    struct ft_position printed[2] = {{0}};
    int fd = -1;

    ft_pipes_drain(other);
    if (!ft_output_position(other->run->output, other->rank, 0, &printed[0]) &&
        !ft_output_position(other->run->output, other->rank, 1, &printed[1]) &&
        !take_positions(member, printed, other->run->input_position))
        fd = open_image(member, other);
    free(printed[0].text);
    free(printed[1].text);
    return fd;
}

/* The rank begins with an image of its other copy. Where there is none its cluster rolls back to
 * its own checkpoint. */
static void take_image(struct ft_cluster *cluster)
{
    struct ft_member *member = cluster->members[0];
    struct ft_run *run = cluster->run;
    int left = has_left(twin_of(cluster));
    int fd = left ? open_left(member) : has_taken(cluster) ? open_taken(member) : -1;

    if (fd < 0)
        return;
    ft_rank_drop_image(member);
    member->image_fd = fd;
    member->crossed = 1;
    cluster->fallen = 0;
    ft_events_emit(run->events, "healed", "{s:i, s:I, s:b, s:i, s:f}", "rank", member->rank, "call",
                   (json_int_t)twin_of(cluster)->recorder->calls, "left", left, "epoch",
                   (int)run->epoch, "seconds", ft_loop_now() - run->healing);
}

static void look_for_images(void *context)
{
    struct ft_run *run = context;

    if (run->state >= FT_RUN_ENDING)
        return;
    if (waits_for_images(run) && ft_loop_now() - run->healing < image_patience) {
        ft_loop_after(run->loop, &run->heal, look_seconds, look_for_images, run);
        return;
    }
    for (int i = 0; i < run->cluster_count; i++) {
        if (run->clusters[i]->fallen)
            take_image(run->clusters[i]);
    }
    run->healing = 0;
    run->healed = 1;
    ft_recover_next(run);
}

static int is_whole(const struct ft_run *run)
{
    return !run->given_up && (run->state == FT_RUN_RUNNING || run->state == FT_RUN_STARTING) &&
           !ft_clusters_fallen(run);
}

int ft_copies_gives_up(const struct ft_run *run)
{
    return run->twin && is_whole(run->twin) &&
           (run->options.unfilled || run->nodeless ||
            (run->twin->finalized && !run->options.compare));
}

/* Not again and again: images of the other copies may be why epochs fail. */
int ft_copies_heal(struct ft_run *run)
{
    int asked = 0;

    if (run->healing > 0)
        return 1;
    if (!run->twin || run->healed || run->fruitless > 1 || run->nodeless ||
        ft_copies_gives_up(run)) {
        run->healed = 0;
        return 0;
    }
    run->healing = ft_loop_now();
    for (int i = 0; i < run->cluster_count; i++)
        asked |= is_asked(run->clusters[i]);
    if (asked)
        look_for_images(run);
    else
        run->healing = 0;
    return asked;
}

/* Would a rank read again a file that was changed since its checkpoint? Nothing is put back. */
static const struct ft_cluster *who_reads_again(const struct ft_run *run)
{
    uint64_t acts = ft_ring_acts(run);
    int all = ft_clusters_need_main(run);

    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        if (all ? acts > 0 : cluster->fallen && cluster->acts != acts)
            return cluster;
    }
    return NULL;
}

static void leave_alone(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (member->pid <= 0) /* else when it is dead (ft_copies_died) */
            give_lead(member);
        member->unneeded = UINT64_MAX;
        __atomic_store_n(&member->pair->alone, 1, __ATOMIC_RELEASE);
        ft_ring_tell(member);
    }
    run->given_up = 1;
    ft_events_emit(run->events, "parted", "{s:i}", "epoch", (int)run->epoch);
    ft_epoch_clear(run, FT_RUN_ENDING);
}

int ft_copies_part(struct ft_run *run)
{
    const struct ft_cluster *cluster = run->twin ? who_reads_again(run) : NULL;

    if (run->nodeless || ft_copies_gives_up(run)) {
        leave_alone(run);
        return 1;
    }
    if (!cluster)
        return 0;
    if (is_whole(run->twin)) {
        ft_say("warning: a copy of rank %d died, the other one gave no image in time, and files "
               "were changed since its checkpoint: from here on each rank has one copy",
               cluster->number);
        leave_alone(run);
    } else {
        ft_say("rank %d has no copy that lives, and files were changed since its last checkpoint, "
               "so it cannot go back alone: start the program again",
               cluster->number);
        ft_finish(run, 1);
    }
    return 1;
}

/* The team of second copies has not begun before it starts an epoch. */
static int has_begun(const struct ft_run *run)
{
    return run->epoch_started > 0;
}

int ft_copies_lose(struct ft_run *run)
{
    if (!run->twin || run->twin->given_up || run->twin->nodeless || !has_begun(run->twin))
        return 0;
    ft_say("warning: no node is left for the %s copies: from here on each rank has one copy",
           run->copy ? "second" : "first");
    run->nodeless = 1;
    return 1;
}

/* The team that takes the last checkpoint: the first one, unless that is broken and the second one
 * is not. NULL: it is not known yet. */
static struct ft_run *keeper_of(struct ft_run *run)
{
    if (run->state == FT_RUN_RUNNING && is_whole(run))
        return run;
    return run->twin->state == FT_RUN_RUNNING && is_whole(run->twin) ? run->twin : NULL;
}

static void stop(void *context)
{
    struct ft_run *run = context, *keeper = keeper_of(run);

    if (run->state == FT_RUN_ENDING && !run->given_up)
        return;
    if (!keeper) {
        ft_loop_after(run->loop, &run->second, look_seconds, stop, run);
        return;
    }
    if (!keeper->twin->given_up)
        leave_alone(keeper->twin);
    if (!ft_run_leads(keeper)) { /* processes of the other team are still ending */
        ft_loop_after(run->loop, &run->second, look_seconds, stop, run);
        return;
    }
    keeper->stopping = 1;
    ft_checkpoint_begin_last(keeper);
}

/* The team that is left leads. When it has given again what the other one had recorded, nobody has
 * done anything that its checkpoint does not know of. */
void ft_copies_stop(struct ft_run *run)
{
    ft_loop_cancel(run->loop, &run->second); /* a second team that has not begun does not */
    stop(run);
}

int ft_copies_begin_again(struct ft_run *run)
{
    if (!run->copy)
        return 0;
    ft_events_emit(run->events, "wide", "{s:s, s:i}", "reason",
                   "a second copy had no checkpoint of its own yet", "epoch", (int)run->epoch);
    return !begin_all(run);
}
