/* node: the coordinator's end of the agents: it starts them by an engine (ssh, or any command),
 * lets them connect, and sees when a node is lost.
 *
 * A node is lost when its agent's connection is over and its ranks are certainly dead: the engine
 * says that the agent has ended, or the lease of the agent (a heartbeat) has passed since the
 * coordinator sent the last message. A node whose agent says nothing for a heartbeat gets no
 * message any more. Thread rule: one thread. */
#ifndef FT_NODE_H
#define FT_NODE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/peer.h"
#include "agent/protocol.h"
#include "host/loop.h"
#include "options/hosts.h"

struct ft_node {
    struct ft_nodes *nodes;
    const char *name;
    int number;      /* from 0 */
    int slots;       /* ranks that it takes */
    int ranks;       /* that have been placed on it, kept by the caller */
    int place;       /* number among nodes with ranks, likewise */
    uint64_t memory; /* bytes that processes may still have, as its agent said last */
    int ready;       /* its agent has taken the job */
    int lost;
    struct ft_peer_address peer; /* where its agent lets others connect (--local) */
    struct ft_link *link;        /* NULL: none yet, or over */
    pid_t engine;                /* 0: it has ended */
    double heard;                /* ft_loop_now of its agent's last message */
    double told;                 /* and of the last one to it */
    double silent;               /* ft_loop_now at which its connection was over; 0: it is not */
    int64_t answered;            /* value of its agent's last QUIET */
    struct ft_timer verdict;
    char *why; /* it is over */
};

struct ft_nodes_calls {
    void (*ready)(void *context);                   /* all agents have taken the job */
    void (*failed)(void *context, const char *why); /* the job cannot start */
    void (*lost)(void *context, struct ft_node *node,
                 const char *why); /* all its processes are dead */
    void (*heard)(void *context, struct ft_node *node, const struct ft_agent_head *head,
                  const void *body, size_t length);
    void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
    void *context;
};

struct ft_nodes_options {
    const struct ft_hosts *hosts; /* kept */
    const char *launcher;         /* a command with {node}; NULL: ssh */
    double heartbeat;             /* seconds */
};

struct ft_nodes {
    struct ft_loop *loop;
    struct ft_nodes_calls calls;
    const char *launcher;
    double heartbeat;
    int listener, port;
    unsigned char secret[32];
    uint64_t build;
    struct ft_stranger *strangers;
    int stranger_count;
    struct ft_timer beat, patience;
    void *job; /* body of JOB, of job_length bytes */
    size_t job_length;
    int count, ready;
    int stays; /* what lies on the nodes stays at the end */
    int over;  /* nothing is called any more */
    struct ft_node node[];
};

/* Listens, and knows the nodes; none is started. 0 or -errno. */
int ft_nodes_create(struct ft_loop *loop, const struct ft_nodes_options *options,
                    const struct ft_nodes_calls *calls, struct ft_nodes **out);
/* Starts all agents, which get the job (copied). 0, or -errno after calls.say. */
int ft_nodes_start(struct ft_nodes *nodes, const void *job, size_t length);
void ft_nodes_destroy(
    struct ft_nodes *nodes); /* farewell; waits for agents and engines. NULL is allowed */
/* Sends one message; to a node that is lost, none. */
void ft_node_tell(struct ft_node *node, enum ft_agent_type type, int rank, uint32_t life,
                  int64_t value, const void *body, size_t length);
/* Injects a fault: breaks the connection to the node, if there is one (ft_link_break). */
void ft_node_break(struct ft_node *node);
int ft_nodes_reaped(struct ft_nodes *nodes, pid_t pid, int status); /* was it an engine? NULL: no */

#endif
