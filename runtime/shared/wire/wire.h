/* wire: the messages between ftrun and a rank, over one SOCK_SEQPACKET socketpair per rank and
 * life.
 *
 * Both ends come from one build and one machine, so structs travel as they are; FT_WIRE_VERSION is
 * checked in HELLO. A message is a struct ft_wire_head followed by the payload struct of its type
 * and, where the payload says so, by a tail of bytes. A rank reads its socket only at the start, in
 * MPI_Init, at the gate and in MPI_Finalize. The cloned image writer sends WRITTEN on the same
 * socket: SEQPACKET keeps messages whole. docs/formats/wire.md describes the exchange. */
#ifndef FT_WIRE_H
#define FT_WIRE_H

#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

#define FT_WIRE_VERSION 27
#define FT_WIRE_MAX 131072  /* bytes of one message, head included */
#define FT_WIRE_PATH 3072   /* bytes of a path, with its 0 */
#define FT_WIRE_FAULTS 64   /* for a rank; as many as recorder->fault_done has */
#define FT_WIRE_POINT 64    /* bytes of the name of a point, with its 0 */
#define FT_WIRE_ARGUMENTS 3 /* of a point */
#define FT_WIRE_WINDOW 50   /* BOOT.window, unless --replay-window says otherwise */
#define FT_WIRE_TOPOLOGY 64
#define FT_WIRE_FOLDER 64
#define FT_WIRE_PATTERNS 1024

/* Environment through which ftrun tells a rank that it is one: "FD" of the socket. Absent: native.
 */
#define FT_WIRE_ENV "FT_CONTROL_FD"
#define FT_WIRE_PROBE "FT_PROBE_FD" /* set: a trial start; the program answers there and ends */
#define FT_WIRE_ENV_FIRST                                                                          \
    "0003" /* in a new process; always four digits: the layout is the same                         \
            */

enum ft_wire_type {
    /* rank to ftrun */
    FT_WIRE_HELLO = 1,  /* first message of a life */
    FT_WIRE_GATE,       /* held at a safe point, with clocks (tail); several when `more` is set */
    FT_WIRE_REQUEST,    /* asks for a checkpoint: a hook (--checkpoint-every), enum ft_wire_why */
    FT_WIRE_SNAPSHOT,   /* the image is taken (a writer holds it), the rank goes on */
    FT_WIRE_WRITTEN,    /* sent by the writer: the image file is complete, or why not */
    FT_WIRE_RESTORED,   /* image in, library up, about to go back to user code */
    FT_WIRE_BAD_IMAGE,  /* the image cannot be used (checksum, layout): tail is the reason */
    FT_WIRE_HOOK,       /* a hook was executed (only when BOOT asks) */
    FT_WIRE_FINALIZING, /* in MPI_Finalize, waits for FINALIZE */
    FT_WIRE_ABORT,      /* MPI_Abort: the program's own end, with its code */
    FT_WIRE_REFUSED,    /* a call the runtime cannot carry; the rank exits after it. Tail: text */
    FT_WIRE_CRASH,      /* a fatal signal's backtrace, as text in the tail */
    FT_WIRE_INITED,     /* PMPI_Init has returned (for the timeline) */
    FT_WIRE_LEFT,       /* answer to LEAVE; ancillary: a memfd with the rank's image */
    FT_WIRE_REGROUP,    /* a communicator is to be made again that waits for another epoch */
    FT_WIRE_HELD,       /* answer to HOLD */
    FT_WIRE_HINDERED,   /* nothing is wrong with the image, but the life cannot go on from it: what
                           it needs is not there now. Tail: the reason */
    FT_WIRE_FIRED,      /* a fault of the plan is about to be carried out */
    FT_WIRE_DOUBT,   /* on several nodes: the library has failed as it does when a peer is gone; the
                        rank waits */
    FT_WIRE_RECORDS, /* on several nodes: outcomes of the rank will be lost with its node, and it
                        waits for the answer */
    FT_WIRE_TRAFFIC, /* with clusters, before FINALIZING: a list of struct ft_wire_traffic[size] */
    FT_WIRE_PHASE,   /* with --protocol hydee: of the rank's next orphan (stream/phases.h) */
    FT_WIRE_REVOKE,  /* with --ulfm: this communicator (its identity) is revoked */
    FT_WIRE_AGREE,   /* with --ulfm: a contribution. Tail: int32_t world ranks of all members */
    FT_WIRE_CLEAR,   /* with --protocol optimistic or causal: nobody has a message of the rank any
                        more that it   has not sent again */
    FT_WIRE_FRESH,   /* likewise: the rank is about to decide an outcome anew, and waits */
    FT_WIRE_SHIP,    /* to the agent: what the node's ranks have recorded goes to ftrun now */
    FT_WIRE_CARRIED, /* with --protocol causal, before LEFT: outcomes of a rank of another node
                        (recorder/carried.h) */
    FT_WIRE_GAP,     /* with --ulfm: the rank's question of this number, from 1: has each other rank
                        been outside of its library since? */
    /* ftrun to rank */
    FT_WIRE_BOOT = 64, /* answer to HELLO; ancillary: the recorder's memfd after EXEC, or none */
    FT_WIRE_PMI,       /* tail: "NAME=VALUE\0" strings; ancillary: the PMI descriptor */
    FT_WIRE_RELEASE,   /* leave the gate, go on to the next safe point */
    FT_WIRE_HOLD,      /* everybody is held: note what open files are like, and stay */
    FT_WIRE_FREEZE,    /* everybody is held and nobody is behind: drain, take the image, go on */
    FT_WIRE_FINALIZE,  /* all ranks are in MPI_Finalize: return from it */
    FT_WIRE_LEAVE,     /* all survivors are held: drain, write the image into memory, wait */
    FT_WIRE_EXEC,      /* all survivors have left: execute the program anew, on this socket */
    FT_WIRE_ALIVE,  /* answer to DOUBT: nobody has died, the error is the program's; to RECORDS and
                       to FIRED of a whole node; and to FRESH, when no message is in doubt any more
                     */
    FT_WIRE_END,    /* the rank's cluster rolls back: end, outside of the MPI library */
    FT_WIRE_AGREED, /* with --ulfm: all living members have contributed */
    /* with a zygote (BOOT's rank is -1; start/zygote.c) */
    FT_WIRE_SPAWN = 96, /* ftrun to zygote; ancillary: the control socket of the new rank */
    FT_WIRE_SPAWNED,    /* zygote to ftrun: the pid of the new rank, ftrun's child; or -errno */
    FT_WIRE_FD          /* ftrun to the new rank, before HELLO: ancillary: becomes descriptor
                           `value`, or the recorder's memfd when that is -1 */
};

struct ft_wire_head {
    uint32_t type;   /* enum ft_wire_type */
    uint32_t length; /* bytes after the head */
};

struct ft_wire_hello {
    uint32_t version; /* FT_WIRE_VERSION */
    int32_t pid;
    uint64_t layout; /* hash of module names, addresses and build ids: must equal the image's */
    uint64_t build;  /* hash of the executable's build id alone */
};

/* An order of a fault plan for one rank: what happens, and where (points/points.h). */
struct ft_wire_fault {
    uint32_t point;    /* enum ft_point */
    uint32_t kind;     /* enum ft_fault_kind */
    uint32_t call;     /* MPI: enum ft_call; 0: any */
    uint32_t moment;   /* MPI: enum ft_moment */
    int32_t value;     /* KILL: the signal; EXIT, EXIT_NOW: the status */
    uint32_t compared; /* bit i: only passes whose argument i is argument[i] count */
    int64_t argument[FT_WIRE_ARGUMENTS];
    uint64_t number; /* HOOK, CALL: the logical number. Others: the first pass of the point at which
                        it happens, counted from 1 over all lives of the rank */
    uint64_t times;  /* how often it happens, in all lives */
    uint64_t delay;  /* KILL: nanoseconds behind the point; 0: at it */
    uint64_t instruction;     /* KILL: instructions behind the point; 0: at it */
    uint64_t address;         /* FLIP: of the byte */
    uint64_t null;            /* SEGV: 0, the address that is written to */
    double seconds;           /* SLOW */
    uint32_t bit;             /* FLIP: of the byte, from 0 */
    char name[FT_WIRE_POINT]; /* PROGRAM: the point */
};

struct ft_wire_fired {
    uint32_t index;  /* in BOOT.fault */
    uint64_t number; /* of the pass */
    int64_t argument[FT_WIRE_ARGUMENTS];
};

#define FT_TRUST_POLLS 0 /* among patterns: the sites of ft_sites_unrecorded; no pattern has it */

struct ft_wire_boot {
    int32_t rank, size;
    uint32_t epoch;
    int32_t restore; /* number of the checkpoint to restore, -1: start from main */
    uint64_t every;  /* ask for a checkpoint at each hook whose number is a multiple; 0: never */
    uint32_t hook_events; /* nonzero: send HOOK */
    uint32_t faults;      /* entries of fault[] */
    int32_t recorder_fd;  /* the recorder's memfd, inherited, mapped MAP_SHARED */
    uint32_t call_events; /* nonzero: count the calls of each kind in the recorder */
    struct ft_wire_fault fault[FT_WIRE_FAULTS];
    char image[FT_WIRE_PATH];    /* the image file to restore, "" with restore == -1 */
    char undo[FT_WIRE_PATH];     /* folder for this rank's undo records of files, exists, private */
    char trace[FT_WIRE_PATH];    /* file to write the trace of a verification to; "": none */
    uint64_t seed;               /* of its choices; 0: nothing is perturbed */
    char log[FT_WIRE_PATH];      /* with clusters: folder for the rank's log, exists, private */
    char folder[FT_WIRE_FOLDER]; /* ftrun's private one */
    char topology[FT_WIRE_TOPOLOGY]; /* file for what is known of the machine (hwloc) */
    uint64_t log_limit;              /* bytes of memory that the log may take; 0: any */
    double begun;                    /* its start, seconds of CLOCK_MONOTONIC */
    double waiting;                  /* seconds that the rank may wait on purpose */
    uint64_t progress;  /* calls of the rank in the undisturbed run, to spread them over */
    int32_t clusters;   /* --protocol spbc: how many, and the tail holds int32_t[size], the
                           cluster of each rank; 0: another protocol */
    int32_t survivor;   /* enum ft_survivor */
    uint32_t adversary; /* nonzero: logged messages are resent as early, and messages
                           inside a cluster that rolled back as late as possible */
    uint32_t content;   /* nonzero: --check-content */
    uint32_t window;    /* messages on their way to a rank while they are resent */
    uint32_t nodes;     /* nonzero: ranks are on several nodes, and */
    uint32_t spread;    /* so are those of its cluster: ftrun does not get its outcomes in time */
    uint32_t unmarked;  /* nonzero: its marks were lost with a node (determinant/trail.h) */
    uint32_t hasty;     /* nonzero: --protocol optimistic: no send waits for `logged` */
    uint32_t carries;   /* nonzero: --protocol causal: what `logged` lacks travels with messages */
    uint32_t
        uncertain; /* nonzero: likewise, outcomes of this rank may be lost (stream/orphans.h) */
    uint32_t logged_place;        /* among those of `logged` */
    uint32_t native;              /* nonzero: --protocol none: the library stands aside */
    uint32_t believed;            /* recorder->believed of a rank of its cluster; 0: of none */
    uint32_t replicas;            /* nonzero: the rank has a second copy (recorder/pair.h), and */
    uint32_t copy;                /* this one is 0 or 1. Shared by both: */
    uint32_t compare;             /* nonzero: --replicas-compare */
    char other[FT_WIRE_TOPOLOGY]; /* the file of the other copy's recorder */
    uint32_t
        crossed; /* nonzero: `image` is of the other copy, and so perhaps of an earlier place */
    char pair[FT_WIRE_TOPOLOGY];    /* the file of their words */
    char changes[FT_WIRE_TOPOLOGY]; /* the file that counts the changes of files, uint64_t[size]; ""
                                       between nodes, where ftrun counts them */
    char ring[FT_WIRE_TOPOLOGY];    /* copy 1: the file of the recorder with the ring; "" of copy 0,
                                       and between nodes, where each copy has its own */
    char marks[FT_WIRE_TOPOLOGY];   /* with --protocol coordinated:nonblocking: the file of
                                       protocol/marks.h; "" */
    char phases[FT_WIRE_TOPOLOGY];  /* with --protocol hydee: the file of protocol/phases.h; "" */
    char logged[FT_WIRE_TOPOLOGY];  /* on several nodes with clusters: that of protocol/logged.h, by
                                       the agent; "" */
    uint32_t ulfm;                  /* enum ft_wire_ulfm */
    uint32_t renewed; /* with FT_ULFM_REPLACE: how often the libraries of all ranks were made anew
                         (ft_replace), and */
    uint32_t replacement;               /* nonzero: this process takes a dead rank's place */
    uint32_t trust;                     /* --trust: entries of pattern[] */
    uint32_t pattern[FT_WIRE_PATTERNS]; /* those that are believed; FT_TRUST_CHOICES: choices */
};

enum ft_wire_ulfm {
    FT_ULFM_NONE,
    FT_ULFM_SHRINK, /* --ulfm */
    FT_ULFM_REPLACE /* and the program may call ft_replace: --on-failure replace */
};

enum ft_survivor { /* `image` was taken when the rank left the last epoch */
                   FT_SURVIVOR_NONE = 0,
                   FT_SURVIVOR_EXEC = 1, /* by this process: its descriptors are still open */
                   FT_SURVIVOR_NEW = 2   /* by a process that was killed since */
};

enum ft_waiting {
    FT_WAITING_NOT = 0,     /* at a hook or call */
    FT_WAITING_MESSAGE = 1, /* inside a point-to-point wait */
    FT_WAITING_END = 2      /* in MPI_Finalize: it enters no more collectives */
};

/* Where the rank stands when it is held. The tail holds `count` struct ft_wire_clock. */
struct ft_wire_gate {
    uint32_t generation; /* recorder order it answers */
    uint32_t waiting;    /* enum ft_waiting */
    uint64_t hooks;
    uint32_t count; /* clocks in this message */
    uint32_t more;  /* 1: another GATE with more clocks follows */
};

struct ft_wire_clock {
    uint64_t comm;  /* job-wide identity of a communicator with two or more members */
    uint64_t clock; /* collectives entered or posted on it, and its free */
};

enum { FT_WIRE_OTHER = 1 << 30 };

struct ft_wire_freeze {
    uint32_t checkpoint; /* its number */
    uint32_t stays;      /* nonzero: go on when all have taken their images (recorder->taken) */
    char image[FT_WIRE_PATH]; /* temporary file to write; ftrun's commit renames the folder */
    char near[FT_WIRE_PATH];  /* not "": the image goes there, and what is beside it not */
    char store[FT_WIRE_PATH]; /* with clusters: the folder of all checkpoints, and the tail holds
                                 int32_t[clusters], the oldest kept one of each, -1: none */
    char other[FT_WIRE_PATH]; /* with replicas: that of the other copies; FT_WIRE_OTHER in a number
                                 of the tail says that the checkpoint lies there */
    int32_t kept;             /* with clusters: the oldest kept one of the rank's own; -1: none */
};

struct ft_wire_snapshot {
    uint32_t checkpoint;
    int32_t writer; /* pid of the writer, a child of ftrun (clone(CLONE_PARENT)); 0: the image was
                       not taken, error says why (a positive errno: ENOMEM, no memory to fork) */
    int32_t error;
    uint32_t pad;
    uint64_t hooks;        /* hook counter in the image */
    uint64_t determinants; /* that lie before it; 0 without clusters */
    uint64_t trail;        /* marks, likewise */
    double held;           /* seconds at the gate until FREEZE */
    double drain;          /* seconds of drain and barrier */
    double fork;           /* seconds to clone the writer */
    uint64_t stdin_left;   /* bytes still unread in the stdin pipe (rank 0), else 0 */
};

struct ft_wire_written {
    uint32_t checkpoint;
    int32_t error;     /* 0, or a positive errno of the write */
    uint64_t bytes;    /* of the file */
    uint64_t checksum; /* XXH3-64 of the whole file */
};

struct ft_wire_left {
    int32_t error; /* 0, or a positive errno: there is no image. Tail: the reason, or empty */
    uint32_t interrupted; /* 1: called by a signal, in the middle of a computation */
    uint64_t bytes;       /* of the image */
    double drain;         /* seconds */
    double image;         /* seconds to write it */
    uint64_t stdin_left;  /* bytes still unread in the stdin pipe (rank 0), else 0 */
};

struct ft_wire_restored {
    uint64_t hooks;
    double image;   /* seconds: reading the image */
    double library; /* seconds: waiting for PMI and PMPI_Init */
    double handles; /* seconds: handles and pending receives */
};

enum ft_wire_why {                       /* value of REQUEST; 0: a hook */
                   FT_REQUEST_ROOM = -1, /* there is little room for determinants */
                   FT_REQUEST_LOG = -2   /* the log is nearly full; the tail holds int32_t[], the
                                            clusters that receive most of it */
};

struct ft_wire_number { /* HOOK: the hook; ABORT: the code; REFUSED: call site; CRASH: signal; ...
                         */
    int64_t value;
};

struct ft_wire_agree {     /* a member's word in an agreement */
    uint64_t comm;         /* identity of the communicator */
    uint32_t number;       /* of the agreement on it, from 1 */
    int32_t flag;          /* the result is the bitwise and */
    int32_t proposal;      /* the result is the highest */
    uint32_t acknowledged; /* deaths that the rank has acknowledged on it */
    uint32_t count;        /* ranks in the tail */
    uint32_t kind;         /* enum ft_agreement_kind, the same of all members */
};

enum ft_agreement_kind {
    FT_AGREEMENT_AGREE,
    FT_AGREEMENT_IAGREE,
    FT_AGREEMENT_SHRINK, /* its two agreements */
    FT_AGREEMENT_SHRUNK,
    FT_AGREEMENT_BIRTH,
    FT_AGREEMENT_REPLACE /* ft_replace: its answer is LEAVE */
};

struct ft_wire_agreed { /* the same for all members */
    uint64_t comm;
    uint32_t number;
    int32_t flag, proposal;
    uint32_t deaths;       /* in the job when it was decided: the first so many are meant */
    uint32_t acknowledged; /* the lowest */
    uint32_t pad;
};

struct ft_wire_traffic { /* what a rank has sent to another one, of another cluster */
    uint64_t messages, bytes;
};

/* Sends one message: head, payload of `length` bytes, tail of `tail` bytes. fd < 0 passes none.
 * Returns 0 or -errno. Async-signal-safe; never raises SIGPIPE. */
int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd);

/* Sends `count` entries of `size` bytes in as many messages as it takes. The payload of each is a
 * struct ft_wire_number: the index of its first entry. Returns as above. */
int ft_wire_send_list(int socket, uint32_t type, const void *list, size_t size, size_t count);

/* Receives one message into buffer (FT_WIRE_MAX bytes). Returns the total length, 0 at end of
 * file, or -errno (-EAGAIN when wait is 0 and nothing is there). *fd is a received descriptor
 * (close-on-exec, owned by the caller), -1, or -EMFILE: one was sent, and this process can have no
 * more. A malformed message is -EPROTO. */
ssize_t ft_wire_receive(int socket, int wait, void *buffer, int *fd);

/* The payload of a received message, or NULL when it is shorter than `length`. */
const void *ft_wire_payload(const void *buffer, size_t length);

#endif
