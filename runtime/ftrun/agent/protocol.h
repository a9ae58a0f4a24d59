/* protocol: the messages between the coordinator and an agent, over a link (host/link.h).
 *
 * Each is a struct ft_agent_head and a body. Both ends are one build, which HELLO says, on machines
 * of one kind, so structs travel as they are. docs/formats/agent.md describes the exchange. */
#ifndef FT_AGENT_PROTOCOL_H
#define FT_AGENT_PROTOCOL_H

#include <stdint.h>
#include "recorder/cut.h"
#include "recorder/pair.h"
#include "recorder/recorder.h"

enum ft_agent_type {
    /* agent to coordinator */
    FT_AGENT_HELLO = 1, /* first message; body: struct ft_agent_hello */
    FT_AGENT_READY,     /* answer to JOB. value: 0, and with a local folder body: struct
                           ft_agent_local; or body: why this node cannot be used */
    FT_AGENT_STARTED,   /* answer to START. value: pid; or -errno and, as the body, why */
    FT_AGENT_OUTPUT,    /* value: 0 stdout, 1 stderr; body: what the rank has printed */
    FT_AGENT_EXITED,    /* the rank's process has ended. value: status of waitpid */
    FT_AGENT_CHILD,     /* another process was reaped. value: pid; body: int32_t status */
    FT_AGENT_GONE,      /* nobody is left in the rank's process group */
    FT_AGENT_USED,      /* value: microseconds of processor that the rank's process has used */
    FT_AGENT_TAKEN,     /* value: bytes of standard input that have gone into the rank's pipe */
    FT_AGENT_STOP,      /* SIGTERM has come: the batch system is about to end the job */
    FT_AGENT_QUIET,     /* answer to ASK, when no rank of the node is about to be reaped; value: the
                           same */
    FT_AGENT_COPIED,    /* answer to COPY. value: checkpoint; body: empty, or why not */
    FT_AGENT_FETCHED,   /* answer to FETCH. value: checkpoint; body: empty, or why not */
    FT_AGENT_SAVED,     /* answer to SAVE. value: 0, or it could not be done */
    /* both */
    FT_AGENT_WIRE = 32, /* a message of wire/wire.h, from or to the rank */
    FT_AGENT_LINES, /* changed lines of the recorder's page; value: bit by bit which, body: them */
    FT_AGENT_PMI,   /* life: epoch. All ranks of the node are in the barrier; body: what they have
                       put.   Answer, when all ranks of all nodes are: what all of them have */
    FT_AGENT_OUTCOMES, /* value: number of the first; body: determinants of the rank. To an agent:
                          behind START, those that were recorded on another node */
    FT_AGENT_MARKS,    /* the same of marks of its trail. With two copies of the rank
                          (recorder/pair.h), to an agent: those of the other copy, at any time */
    FT_AGENT_MADE,     /* behind OUTCOMES and MARKS: these were all of the rank's first `value`
                          changes (protocol/logged.h); body: struct ft_agent_made. To an agent: of
                          the rank's other copy, which leads */
    FT_AGENT_BEAT,     /* the sender lives. From an agent, body: struct ft_agent_state */
    /* coordinator to agent */
    FT_AGENT_JOB = 64, /* body: struct ft_agent_job and its strings */
    FT_AGENT_EPOCH,    /* life: epoch, value: ranks of the node; body: PMI_process_mapping */
    FT_AGENT_START,    /* body: struct ft_agent_start: a process for the rank */
    FT_AGENT_KILL,  /* value 0: the rank's process group, until it is gone; else the process `value`
                       alone */
    FT_AGENT_CALL,  /* value: enum ft_interrupt_why: a signal to the rank, if it computes */
    FT_AGENT_CUT,   /* kills the rank if it is in the program's own code */
    FT_AGENT_INPUT, /* body: standard input for the rank; empty: its end */
    FT_AGENT_FORGET, /* the image of a survivor is needed no more */
    FT_AGENT_SAFE,   /* answer to MADE. value: the same */
    FT_AGENT_DROP,   /* value: determinants that are needed no more */
    FT_AGENT_SAVE,   /* body: path. The image of a survivor goes there, too, for its other copy */
    FT_AGENT_PAIR,   /* body: struct ft_pair, of which the rank's other copy and ftrun write some */
    FT_AGENT_SWEEP,  /* all ranks of the node are gone: removes what they have left in /dev/shm */
    FT_AGENT_PAUSE,  /* value 1: what ranks print stays in their pipes; 0: no more */
    FT_AGENT_LOOK,   /* value: milliseconds between two looks at recorders */
    FT_AGENT_ASK,    /* see QUIET */
    FT_AGENT_COPY, /* value: checkpoint; body: struct ft_carry_copy and ranks: sends pieces of their
                      images to other nodes */
    FT_AGENT_FETCH,  /* value: checkpoint; body: struct ft_carry_fetch: the rank, which has been
                        started, gets its image first */
    FT_AGENT_REMOVE, /* value: checkpoint, which leaves the local folder */
    FT_AGENT_END     /* farewell: kills what runs, removes all, ends; value 1: the local folder
                        stays */
};

struct ft_agent_head {
    uint32_t type;
    int32_t rank;  /* or -1 */
    uint32_t life; /* of the rank's process, counted by the coordinator; messages of older ones are
                      dropped */
    uint32_t pad;
    int64_t value;
};

enum { FT_AGENT_LINE = 64, FT_AGENT_LINES_MAX = FT_RECORDER_BYTES / FT_AGENT_LINE };

struct ft_agent_hello {
    uint64_t build; /* of ftrun: ft_agent_build */
    int32_t node;   /* its number, from the invitation */
    int32_t pad;
};

struct ft_agent_job {
    int32_t size;  /* ranks of the job */
    int32_t fixed; /* see ft_starter */
    int32_t restart;
    int32_t words, names; /* strings in argv and envp */
    int32_t copy;         /* of its ranks that this node has; -1: each rank has one */
    uint64_t stack_limit;
    uint64_t ring;    /* bytes behind the page of a recorder */
    double heartbeat; /* seconds */
    /* strings behind it: path, what executes it or "", working directory, folder in /dev/shm, a
     * file that all nodes see, local folder or "", argv, envp */
};

struct ft_agent_file { /* in the local folder */
    uint32_t checkpoint;
    int32_t rank, piece, pad;
    uint64_t bytes;
};

struct ft_agent_local {
    char address[64]; /* where the agent lets other agents connect, numeric */
    int32_t port, count;
    struct ft_agent_file file[]; /* [count] what an earlier run has left */
};

struct ft_agent_start {
    int32_t local;                /* number among the ranks of the node */
    int32_t input;                /* 1: it gets standard input */
    char page[FT_RECORDER_BYTES]; /* its recorder */
    struct ft_pair pair;          /* with two copies: its `determinants` are here, or follow */
};

struct ft_agent_made { /* only entries that are there are sent */
    uint64_t end;      /* determinants so far, */
    uint64_t marks;    /* and marks; 0: they were not sent */
    uint64_t leads;    /* with two copies of the rank, 1: this one leads: its determinants count */
    uint64_t came;     /* and these words of its own in struct ft_pair, */
    uint64_t begun, acted; /* (`made`) */
    int64_t there, size;
    uint64_t count;
    struct ft_cut_change entry[FT_CUT_CHANGES]; /* [count] determinants that were counted up */
};

struct ft_agent_state {
    uint64_t memory; /* bytes that processes may still have */
};

/* The words written to an agent's standard input: lines "WORD VALUE", and "end". */
#define FT_AGENT_GREETING "ftrun-agent"

/* ftrun --agent: the whole life of an agent. Returns the exit code. */
int ft_agent_main(void);
/* A hash of the executable of this process: 0 or -errno. */
int ft_agent_build(uint64_t *build);

#endif
