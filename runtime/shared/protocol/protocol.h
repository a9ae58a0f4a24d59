/* protocol: the protocols of --protocol, side by side: what each does at a send, a receive, an
 * outcome that time decides, a checkpoint, a death, and when messages are resent. protocol.c has
 * the table.
 *
 * They run on one mechanism of images, streams, logs and determinants, so an entry is made of a few
 * choices, and each choice names the code that carries it out. ftrun decides by the entry; a rank
 * learns its part from BOOT (wire/wire.h). The fast paths of a rank ask one word that was there
 * before (ft_spbc.noted), so a protocol costs nothing to the others. */
#ifndef FT_PROTOCOL_H
#define FT_PROTOCOL_H

#include <stddef.h>

enum ft_protocol_kind {                          /* the mechanism that carries it */
                        FT_PROTOCOL_AUTO,        /* coordinated with one cluster, otherwise spbc */
                        FT_PROTOCOL_COORDINATED, /* all ranks take checkpoints together, and roll
                                                    back together */
                        FT_PROTOCOL_SPBC, /* those of a cluster do; the others keep what they have
                                             done */
                        FT_PROTOCOL_NONE  /* no checkpoints; a death ends the run */
};

enum ft_on_send { /* a message leaves its cluster */
                  FT_ON_SEND_NOTHING,
                  FT_ON_SEND_LOG,       /* it is copied into its sender's log (stream/quick.h) */
                  FT_ON_SEND_LOG_PHASE, /* and the log knows its phase (stream/phases.h) */
                  FT_ON_SEND_LOG_HOLD   /* and it waits there for a receiver that has not passed the
                                           marker which   the sender has passed (stream/marks.h) */
};

enum ft_on_receive { /* a message of another cluster is received */
                     FT_ON_RECEIVE_NOTHING,
                     FT_ON_RECEIVE_COUNT, /* its stream counts it (stream/quick.h) */
                     FT_ON_RECEIVE_PHASE  /* and the cluster's phase rises above its sender's
                                             (stream/phases.h) */
};

enum ft_on_outcome { /* time has decided what a call returns */
                     FT_ON_OUTCOME_NOTHING,
                     FT_ON_OUTCOME_RECORD, /* it is in memory that survives the rank before the call
                                              returns (determinant/determinant.h), unless ftcc has
                                              proved that to be needless (--trust), and in ftrun
                                              before another node can depend on it
                                              (determinant/logged.h) */
                     FT_ON_OUTCOME_RECORD_CARRY, /* likewise, or travels there in front of the
                                                    message (stream/carried.h) */
                     FT_ON_OUTCOME_RECORD_LATER  /* it is in ftrun some time later: whoever depends
                                                    on one that is lost is found at a recovery
                                                    (stream/orphans.h) */
};

enum ft_on_checkpoint { /* ftrun orders one */
                        FT_ON_CHECKPOINT_NONE,
                        FT_ON_CHECKPOINT_ALL, /* all ranks stop, and drain what is between them */
                        FT_ON_CHECKPOINT_CLUSTER, /* those of a cluster do (ftrun/commit) */
                        FT_ON_CHECKPOINT_MARKS    /* each rank takes its image when it comes to the
                                                     gate, and goes on */
};

enum ft_on_death {                      /* a rank has died: these roll back */
                   FT_ON_DEATH_END,     /* nobody: the run ends */
                   FT_ON_DEATH_ALL,     /* all */
                   FT_ON_DEATH_CLUSTER, /* its cluster (ftrun/recover/leave.c) */
                   FT_ON_DEATH_RANK     /* it alone: each rank is a cluster */
};

enum ft_on_replay { /* others lack messages of the log */
                    FT_ON_REPLAY_NOTHING,
                    FT_ON_REPLAY_AT_ONCE, /* as fast as they are received (stream/replay.c) */
                    FT_ON_REPLAY_PHASES   /* phase by phase, as the coordinator says
                                             (recover/phases.c) */
};

struct ft_protocol {
    const char *name;  /* of --protocol */
    const char *after; /* what it follows */
    enum ft_protocol_kind kind;
    enum ft_on_send send;
    enum ft_on_receive receive;
    enum ft_on_outcome outcome;
    enum ft_on_checkpoint checkpoint;
    enum ft_on_death death;
    enum ft_on_replay replay;
};

/* The protocol of that name; NULL: there is none, and *why says what to do. Both are static. */
const struct ft_protocol *ft_protocol_find(const char *name, const char **why);

#endif
