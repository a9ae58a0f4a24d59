/* The table. */
#include "protocol/protocol.h"

#include <string.h>

/* clang-format off */
static const struct ft_protocol table[] = {
    {"auto", "coordinated with one cluster, spbc with several", FT_PROTOCOL_AUTO,
     FT_ON_SEND_NOTHING, FT_ON_RECEIVE_NOTHING, FT_ON_OUTCOME_NOTHING,
     FT_ON_CHECKPOINT_ALL, FT_ON_DEATH_ALL, FT_ON_REPLAY_NOTHING},
    {"none", "Vdummy of MPICH-V (Bouteiller et al., 2006)", FT_PROTOCOL_NONE,
     FT_ON_SEND_NOTHING, FT_ON_RECEIVE_NOTHING, FT_ON_OUTCOME_NOTHING,
     FT_ON_CHECKPOINT_NONE, FT_ON_DEATH_END, FT_ON_REPLAY_NOTHING},
    {"coordinated", "blocking coordination, Pcl of MPICH-V (Buntinas et al., 2008)", FT_PROTOCOL_COORDINATED,
     FT_ON_SEND_NOTHING, FT_ON_RECEIVE_NOTHING, FT_ON_OUTCOME_NOTHING,
     FT_ON_CHECKPOINT_ALL, FT_ON_DEATH_ALL, FT_ON_REPLAY_NOTHING},
    {"coordinated:nonblocking", "Chandy and Lamport, 1985; Vcl of MPICH-V", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG_HOLD, FT_ON_RECEIVE_COUNT, FT_ON_OUTCOME_RECORD,
     FT_ON_CHECKPOINT_MARKS, FT_ON_DEATH_ALL, FT_ON_REPLAY_AT_ONCE},
    {"spbc", "Ropars et al., SC'13", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG, FT_ON_RECEIVE_COUNT, FT_ON_OUTCOME_RECORD,
     FT_ON_CHECKPOINT_CLUSTER, FT_ON_DEATH_CLUSTER, FT_ON_REPLAY_AT_ONCE},
    {"hydee", "Guermouche et al., IPDPS'12", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG_PHASE, FT_ON_RECEIVE_PHASE, FT_ON_OUTCOME_RECORD,
     FT_ON_CHECKPOINT_CLUSTER, FT_ON_DEATH_CLUSTER, FT_ON_REPLAY_PHASES},
    {"pessimistic", "MPICH-V2 (Bouteiller et al., SC'03)", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG, FT_ON_RECEIVE_COUNT, FT_ON_OUTCOME_RECORD,
     FT_ON_CHECKPOINT_CLUSTER, FT_ON_DEATH_RANK, FT_ON_REPLAY_AT_ONCE},
    {"causal", "Vcausal of MPICH-V (Bouteiller et al., IPDPS'05), with an event logger", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG, FT_ON_RECEIVE_COUNT, FT_ON_OUTCOME_RECORD_CARRY,
     FT_ON_CHECKPOINT_CLUSTER, FT_ON_DEATH_RANK, FT_ON_REPLAY_AT_ONCE},
    {"optimistic", "Strom and Yemini, 1985; Riesen et al., SC'12", FT_PROTOCOL_SPBC,
     FT_ON_SEND_LOG, FT_ON_RECEIVE_COUNT, FT_ON_OUTCOME_RECORD_LATER,
     FT_ON_CHECKPOINT_CLUSTER, FT_ON_DEATH_RANK, FT_ON_REPLAY_AT_ONCE}};
/* clang-format on */

static const struct {
    const char *name, *why;
} refused[] = {
    {"causal:unlogged", "outcomes that travel until the next checkpoint are not carried: use "
                        "causal, which has ftrun as its event logger"},
    {"channel-memory", "loggers that pass all messages on would have to match them as MPI does, "
                       "and are not carried: use pessimistic"}};

const struct ft_protocol *ft_protocol_find(const char *name, const char **why)
{
    *why = "it is none of none, coordinated, coordinated:nonblocking, spbc, hydee, pessimistic, "
           "causal, "
           "optimistic, auto";
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (!strcmp(name, table[i].name))
            return &table[i];
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (!strcmp(name, refused[i].name))
            *why = refused[i].why;
    }
    return NULL;
}
