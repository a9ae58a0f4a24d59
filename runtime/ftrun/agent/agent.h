/* agent: a node's parent of ranks (ftrun --agent), which does what the coordinator says and tells
 * it what it sees. It decides nothing.
 *
 *     agent.c   from the invitation to the end; messages that are of the whole node
 *     ranks.c   one rank's process: its start, socket, pipes, recorder, death
 *     ship.c    what ranks record of non-deterministic outcomes goes to ftrun
 *     pair.c    and comes from there to a rank's other copy (--replicas)
 *     local.c   the node's own folder of checkpoints (--local), by children:
 *     carry.c   what these do with images, which are cut into
 *     pieces.c  and go from node to node
 *     peer.c    over connections between agents
 *
 * Thread rule: one thread. */
#ifndef FT_AGENT_H
#define FT_AGENT_H

#include <sys/socket.h>
#include <sys/types.h>
#include "agent/protocol.h"
#include "host/call.h"
#include "host/link.h"
#include "host/loop.h"
#include "host/pmi.h"
#include "host/shm.h"
#include "host/start.h"
#include "wire/wire.h"

struct ft_agent_rank { /* a rank that has had a process on this node */
    struct ft_agent *agent;
    int rank, local;
    uint32_t life;
    pid_t pid, group;        /* 0: none */
    int control, out[2], in; /* -1: none */
    int recorder_fd, image_fd;
    pid_t saver; /* child that copies the image to a file; 0: none */
    struct ft_recorder *recorder;
    char shadow[FT_RECORDER_BYTES]; /* of the page, as the coordinator has it */
    int continued; /* its process executes the program anew: it has no recorder's descriptor */
    int killing;   /* its group is killed until it is gone */
    int held;      /* standard input stands still while an image is taken */
    int input_ends;
    char *input; /* bytes that its pipe has not taken */
    size_t input_from, input_to;
    struct ft_caller call;
    struct ft_paired *paired;      /* what it has of its other copy (pair.c); NULL: there is none */
    struct ft_shipper *shipper;    /* its ring of determinants (ship.c); NULL: it has none */
    struct ft_local_job *fetching; /* its image comes from other nodes; NULL: it does not */
    struct ft_held *waiting;       /* messages to it, meanwhile */
};

struct ft_agent {
    struct ft_loop *loop;
    struct ft_link *link;
    struct ft_pmi *pmi;
    struct ft_shm *shm;
    struct ft_starter starter;
    struct ft_program program;
    struct ft_agent_job job;
    unsigned char secret[FT_LINK_SECRET];
    int node;                     /* its number */
    struct ft_agent_rank **ranks; /* [job.size] NULL: it has never been here */
    struct ft_logged *logged;     /* shared with the ranks; NULL: there are no determinants */
    struct ft_agent_rank **logs;  /* [logged->count] the ranks that it speaks of */
    int logged_fd;                /* its memfd */
    int topology;                 /* memfd for what a rank finds out about the machine */
    int signals;                  /* signalfd */
    int paused;                   /* output is not read */
    int asked;                    /* ASK is to be answered */
    int64_t question;             /* its value */
    uint32_t epoch;
    double look_seconds;
    double heard; /* ft_loop_now of the coordinator's last message */
    struct ft_timer look, beat, clear;
    struct sockaddr_storage own; /* its end of the connection to the coordinator */
    struct ft_local *local;      /* NULL: there is no local folder */
    int stays;                   /* the local folder stays at the end */
    int done, code;
};

/* agent.c */
void ft_agent_tell(struct ft_agent *agent, enum ft_agent_type type,
                   const struct ft_agent_rank *rank, int64_t value, const void *body,
                   size_t length);

/* ranks.c */
void ft_agent_start(struct ft_agent *agent, const struct ft_agent_head *head,
                    const struct ft_agent_start *start);
void ft_agent_wire(struct ft_agent_rank *rank, void *message,
                   size_t length); /* from the coordinator */
void ft_agent_lines(struct ft_agent_rank *rank, uint64_t which, const char *lines, size_t length);
void ft_agent_input(struct ft_agent_rank *rank, const void *data, size_t length);
void ft_agent_watch(struct ft_agent *agent);      /* `paused` is another one */
void ft_agent_mirror(struct ft_agent_rank *rank); /* tells what its recorder shows */
void ft_agent_reap(struct ft_agent *agent);       /* SIGCHLD */
int ft_agent_clear(
    struct ft_agent *agent); /* kills what is to be killed: how many groups are left */
int ft_agent_quiet(const struct ft_agent *agent); /* is no rank about to be reaped? */
void ft_agent_save(struct ft_agent_rank *rank, const char *path, size_t length); /* SAVE */
void ft_agent_drop(struct ft_agent_rank *rank, uint64_t before);
/* ship.c */
int ft_ship_open(struct ft_agent *agent);       /* 0 or -errno */
int ft_ship_rank(struct ft_agent_rank *rank);   /* it is new here. 0 or -errno */
void ft_ship_begin(struct ft_agent_rank *rank); /* a life of it begins */
void ft_ship_boot(const struct ft_agent_rank *rank, struct ft_wire_boot *boot);
void ft_ship_all(struct ft_agent *agent);
void ft_ship_safe(struct ft_agent_rank *rank, uint64_t made); /* SAFE */
void ft_ship_end(struct ft_agent_rank *rank);                 /* its process has ended */
/* OUTCOMES, MARKS: they belong there, in the memory of the recorder. */
void ft_ship_take(struct ft_agent_rank *rank, off_t at, const void *body, size_t length);
/* pair.c. Without a second copy of each rank none of these does anything. */
struct ft_pair *ft_paired_words(const struct ft_agent_rank *rank); /* NULL: it has one copy */
int ft_paired_leads(const struct ft_agent_rank *rank);             /* this copy does, or alone */
int ft_paired_rank(struct ft_agent_rank *rank);                    /* it is new here. 0 or -errno */
/* A life of it begins; in *pair as ftrun has it. */
void ft_paired_begin(struct ft_agent_rank *rank, const struct ft_pair *pair);
void ft_paired_boot(const struct ft_agent_rank *rank, struct ft_wire_boot *boot);
void ft_paired_take(struct ft_agent_rank *rank, const void *body, size_t length); /* PAIR */
void ft_paired_made(struct ft_agent_rank *rank, const void *body, size_t length); /* MADE */
void ft_paired_marks(struct ft_agent_rank *rank, uint64_t first, const void *body,
                     size_t length); /* MARKS of the other copy */
void ft_paired_drop(struct ft_agent_rank *rank, uint64_t before);
/* ship.c: this copy leads from now on. */
void ft_ship_lead(struct ft_agent_rank *rank);
/* local.c */
/* Opens the folder, and listens. 0 or -errno with a sentence. */
int ft_local_open(struct ft_agent *agent, const char *folder, char *why, size_t size);
void ft_local_close(struct ft_agent *agent, int stays); /* NULL is allowed */
void ft_local_ready(struct ft_agent *agent);            /* tells READY */
void ft_local_copy(struct ft_agent *agent, uint32_t checkpoint, const void *body, size_t length);
void ft_local_fetch(struct ft_agent_rank *rank, uint32_t checkpoint, const void *body,
                    size_t length);
void ft_local_remove(struct ft_agent *agent, uint32_t checkpoint);
int ft_local_reaped(struct ft_agent *agent, pid_t pid, int status); /* was it one of its own? */
/* Its writer is about to write an image: makes the folder, or the writer says why that fails. */
void ft_local_expect(const struct ft_agent_rank *rank, const struct ft_wire_freeze *freeze);
/* Does the message wait until the rank has its image? */
int ft_local_holds(struct ft_agent_rank *rank, const void *message, size_t length);
void ft_local_forget(struct ft_agent_rank *rank); /* another life of the rank begins */

#endif
