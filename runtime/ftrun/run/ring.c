/* ring: what lies behind each rank's recorder (--protocol spbc). The rank writes it; here is
 * decided which determinants are needed no more. */
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

/* The agent gives the memory back before the rank hears of it. */
static void drop_away(struct ft_member *member, uint64_t before)
{
    if (before <= member->recorder->determinants_kept)
        return;
    member->recorder->determinants_kept = before;
    ft_node_tell(member->node, FT_AGENT_DROP, member->rank, member->life, (int64_t)before, NULL, 0);
}

/* Two copies have one ring, that of the first one's recorder, and each rolls back to its own
 * checkpoints. */
void ft_ring_drop(struct ft_member *member, uint64_t before)
{
    struct ft_member *twin = ft_member_twin(member);

    member->unneeded = before;
    if (member->node)
        drop_away(member, before);
    else if (!twin)
        ft_host_ring_drop(member->recorder_fd, &member->recorder->determinants_kept, before);
    else
        ft_host_ring_drop(member->run->copy ? twin->recorder_fd : member->recorder_fd,
                          &member->pair->kept, before < twin->unneeded ? before : twin->unneeded);
}

uint64_t ft_ring_count(const struct ft_member *member)
{
    return __atomic_load_n(member->pair ? &member->pair->determinants
                                        : &member->recorder->determinants,
                           __ATOMIC_ACQUIRE);
}

uint64_t ft_ring_acts(const struct ft_run *run)
{
    uint64_t acts = 0;

    for (int i = 0; run->twin && i < run->size; i++)
        acts += __atomic_load_n(&run->members[i].pair->begun, __ATOMIC_ACQUIRE);
    return acts;
}
