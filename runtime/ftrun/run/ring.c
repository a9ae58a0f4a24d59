/* ring: what lies behind each rank's recorder (--protocol spbc). The rank writes it; here is
 * decided which determinants are needed no more. Two copies on different nodes (--replicas) have a
 * ring each, and ftrun a third one, in copy 0's recorder: what the leader's agent sends is written
 * there and passed on to the other agent (agent/pair.c). */
#include <stddef.h>
#include <unistd.h>
#include "host/ring.h"
#include "run/run.h"

off_t ft_ring_bytes(const struct ft_run *run)
{
    return ft_run_contains(run) ? (off_t)FT_RECORDER_RINGS_BYTES : 0;
}

uint32_t ft_ring_believed(const struct ft_member *member, int others)
{
    const struct ft_cluster *cluster = member->cluster;

    for (int i = 0; i < cluster->count; i++) {
        uint32_t believed = cluster->members[i]->recorder->believed;

        if (believed && !(others && cluster->members[i] == member))
            return believed;
    }
    return 0;
}

/* To the agent of a copy that has what both share. */
static void pass_on(const struct ft_member *member, enum ft_agent_type type, int64_t value,
                    const void *body, size_t length)
{
    if (member->holds)
        ft_node_tell(member->node, type, member->rank, member->life, value, body, length);
}

void ft_ring_tell(const struct ft_member *member)
{
    pass_on(member, FT_AGENT_PAIR, 0, member->pair, sizeof(*member->pair));
    pass_on(ft_member_twin(member), FT_AGENT_PAIR, 0, member->pair, sizeof(*member->pair));
}

/* The agent gives its memory back before the rank hears of it. */
static void drop_away(struct ft_member *member, uint64_t before, uint64_t marks)
{
    ft_host_ring_drop_marks(member->recorder_fd, &member->marks.dropped, marks);
    if (before <= member->recorder->determinants_kept)
        return;
    ft_host_ring_drop(member->recorder_fd, &member->recorder->determinants_kept, before);
    ft_node_tell(member->node, FT_AGENT_DROP, member->rank, member->life, (int64_t)before, NULL, 0);
}

/* The memory of the rank's ring: with two copies, that of the first one's recorder. */
static int ring_of(const struct ft_member *member)
{
    return member->run->copy ? ft_member_twin(member)->recorder_fd : member->recorder_fd;
}

static void drop_pair(struct ft_member *member, uint64_t before)
{
    struct ft_member *twin = ft_member_twin(member);
    uint64_t kept = member->pair->kept;

    ft_host_ring_drop(ring_of(member), &member->pair->kept,
                      before < twin->unneeded ? before : twin->unneeded);
    if (kept == member->pair->kept)
        return;
    pass_on(member, FT_AGENT_DROP, (int64_t)member->pair->kept, NULL, 0);
    pass_on(twin, FT_AGENT_DROP, (int64_t)member->pair->kept, NULL, 0);
}

/* Two copies have one ring, and each rolls back to its own checkpoints. */
void ft_ring_drop(struct ft_member *member, uint64_t before, uint64_t marks)
{
    member->unneeded = before;
    if (member->pair)
        drop_pair(member, before);
    else if (member->node)
        drop_away(member, before, marks);
    else
        ft_host_ring_drop(member->recorder_fd, &member->recorder->determinants_kept, before);
}

static void write_there(struct ft_member *member, off_t at, const void *data, size_t length)
{
    if (pwrite(ring_of(member), data, length, at) == (ssize_t)length || member->records++)
        return;
    ft_say(member->pair ? "there is no memory for what rank %d records for its other copy"
                        : "warning: there is no memory for what rank %d records: the loss of its "
                          "node takes all ranks back",
           member->rank);
}

void ft_ring_take(struct ft_member *member, uint64_t first, const void *entries, size_t length)
{
    if (length > (FT_RECORDER_RING - first % FT_RECORDER_RING) * FT_RECORDER_ENTRY)
        return;
    write_there(member, ft_host_ring_at(first), entries, length);
    if (member->pair)
        pass_on(ft_member_twin(member), FT_AGENT_OUTCOMES, (int64_t)first, entries, length);
}

void ft_ring_take_marks(struct ft_member *member, uint64_t first, const void *marks, size_t length)
{
    struct ft_logged_marks *logged = &member->marks;

    if (member->pair) {
        pass_on(ft_member_twin(member), FT_AGENT_MARKS, (int64_t)first, marks, length);
        return;
    }
    if (length > (FT_RECORDER_TRAIL - first % FT_RECORDER_TRAIL) * sizeof(uint32_t))
        return;
    write_there(member, ft_host_ring_mark(first), marks, length);
    if (first != logged->next)
        logged->from = logged->dropped = first;
    logged->next = first + length / sizeof(uint32_t);
}

/* The words of a copy, which the other one's agent hears if they are new: first, because what it
 * says of outcomes may end a wait that looks at them. */
static void take_words(struct ft_member *member, const struct ft_agent_made *made)
{
    struct ft_pair *pair = member->pair;
    uint64_t *came = &pair->came[member->run->copy];
    int changed = *came != made->came;

    *came = made->came;
    if (made->leads && (pair->begun != made->begun || pair->made != made->acted)) {
        pair->there = made->there;
        pair->size = made->size;
        pair->made = made->acted;
        pair->begun = made->begun;
        ft_run_first(member->run)->changes[member->rank] = made->begun;
        changed = 1;
    }
    if (changed)
        ft_ring_tell(member);
}

/* The outcomes of a copy that follows are its leader's. */
static void made_by_copy(struct ft_member *member, const struct ft_agent_made *made, size_t length)
{
    take_words(member, made);
    if (!made->leads)
        return;
    __atomic_store_n(&member->pair->determinants, made->end, __ATOMIC_RELEASE);
    pass_on(ft_member_twin(member), FT_AGENT_MADE, 0, made, length);
}

static void change_all(struct ft_member *member, const struct ft_cut_change *change, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        write_there(member, ft_host_ring_at(change[i].number), &change[i].as, sizeof(change[i].as));
}

void ft_ring_made(struct ft_member *member, uint64_t changes, const struct ft_agent_made *made,
                  size_t length)
{
    if (length < offsetof(struct ft_agent_made, entry) ||
        (length - offsetof(struct ft_agent_made, entry)) / sizeof(made->entry[0]) < made->count)
        return;
    change_all(member, made->entry, made->count);
    if (member->pair) {
        made_by_copy(member, made, length);
        return;
    }
    member->made = changes;
    member->logged = made->end;
    if (made->marks)
        member->marks.end = made->marks;
}

/* Marks that are there already are left out. */
static void take_marks(struct ft_member *member, const struct ft_carried *carried)
{
    const uint32_t *marks = ft_carried_marks(carried);
    uint64_t first = carried->first_mark, end = first + carried->marks;

    if (first < member->marks.next)
        first = member->marks.next;
    for (uint64_t at = first; at < end; at++)
        ft_ring_take_marks(member, at, &marks[at - carried->first_mark], sizeof(*marks));
    if (carried->believed)
        member->marks.end = end;
}

/* While its node lives the agent tells more. Changes between two moments lead from any moment
 * between them to the later one (recorder/cut.h). */
void ft_ring_carried(struct ft_member *member, const struct ft_carried *carried)
{
    if (member->lost != FT_LOST_NODE || carried->from > member->made ||
        carried->made <= member->made)
        return;
    for (uint64_t i = 0; i < carried->entries; i++)
        ft_ring_take(member, carried->first + i, &ft_carried_entries(carried)[i],
                     sizeof(struct ft_determinant));
    change_all(member, ft_carried_changes(carried), carried->changes);
    take_marks(member, carried);
    ft_events_emit(member->run->events, "carried", "{s:i, s:I, s:I}", "rank", member->rank, "from",
                   (json_int_t)member->logged, "outcomes",
                   (json_int_t)(carried->first + carried->entries));
    member->made = carried->made;
    member->logged = carried->first + carried->entries;
}

/* Sends what the memory holds of one ring; at: where entry `from` lies. */
static void give(struct ft_member *member, enum ft_agent_type type, uint64_t from, uint64_t end,
                 uint64_t size, uint64_t bytes, off_t (*at)(uint64_t number))
{
    static char block[1 << 20];

    while (from < end) {
        uint64_t count = sizeof(block) / bytes;

        if (count > end - from)
            count = end - from;
        if (count > size - from % size)
            count = size - from % size;
        if (pread(ring_of(member), block, count * bytes, at(from)) < 0)
            return; /* a memfd has no such error */
        ft_node_tell(member->node, type, member->rank, member->life, (int64_t)from, block,
                     count * bytes);
        from += count;
    }
}

void ft_ring_give(struct ft_member *member)
{
    const struct ft_recorder *recorder = member->recorder;

    if (member->pair) {
        give(member, FT_AGENT_OUTCOMES, member->pair->kept, member->pair->determinants,
             FT_RECORDER_RING, FT_RECORDER_ENTRY, ft_host_ring_at);
        return;
    }
    give(member, FT_AGENT_OUTCOMES, recorder->determinants_kept, recorder->determinants,
         FT_RECORDER_RING, FT_RECORDER_ENTRY, ft_host_ring_at);
    give(member, FT_AGENT_MARKS, member->marks.dropped, recorder->trail, FT_RECORDER_TRAIL,
         sizeof(uint32_t), ft_host_ring_mark);
}

void ft_ring_lose(struct ft_member *member, uint64_t determinants, uint64_t trail)
{
    struct ft_recorder *recorder = member->recorder;
    int all = member->lost == FT_LOST_ALL;

    if (member->pair) { /* ftrun has the outcomes, and marks are not compared again */
        recorder->trail_from = recorder->trail;
        recorder->contents = 0;
        member->lost = FT_LOST_NOTHING;
        return;
    }
    if (all || member->logged < determinants)
        member->logged = determinants;
    if (all || member->marks.end < trail)
        member->marks = (struct ft_logged_marks){.from = trail, .dropped = trail, .end = trail};
    recorder->determinants = member->logged;
    recorder->trail = member->marks.end;
    recorder->trail_from = member->marks.from;
    if (all)
        recorder->determinants_kept = determinants;
    recorder->contents = 0;
    member->given = member->node != NULL && !all;
    member->unmarked |= member->given;
    member->uncertain = member->given && ft_options_doubts(&member->run->options);
    member->lost = FT_LOST_NOTHING;
}

int ft_ring_is_spread(const struct ft_member *member)
{
    const struct ft_cluster *cluster = member->cluster;

    for (int i = 0; member->node && i < cluster->count; i++) {
        if (cluster->members[i]->node != member->node)
            return 1;
    }
    return 0;
}

uint64_t ft_ring_count(const struct ft_member *member)
{
    return __atomic_load_n(member->pair ? &member->pair->determinants
                                        : &member->recorder->determinants,
                           __ATOMIC_ACQUIRE);
}

int ft_run_leads(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].pair->leads != (uint32_t)run->copy)
            return 0;
    }
    return !run->given_up;
}

uint64_t ft_ring_acts(const struct ft_run *run)
{
    uint64_t acts = 0;

    for (int i = 0; run->twin && i < run->size; i++)
        acts += __atomic_load_n(&run->members[i].pair->begun, __ATOMIC_ACQUIRE);
    return acts;
}
