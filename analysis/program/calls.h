/* calls: what each MPI function is to the analysis, and what its arguments are.
 *
 * Thread rule: constants. */
#ifndef AN_CALLS_H
#define AN_CALLS_H

enum an_role {
    AN_LOCAL,    /* neither sends nor receives, nor asks whether something has come */
    AN_SEND,     /* point-to-point */
    AN_RECEIVE,  /* point-to-point; Mrecv and Imrecv take what a probe has matched */
    AN_EXCHANGE, /* Sendrecv: both */
    AN_PROBE,    /* Probe, Mprobe: waits for a message */
    AN_POLL,     /* Iprobe, Improbe: asks for a message */
    AN_TEST,     /* asks for completion: one flag */
    AN_CHOICE,   /* several may complete, an index says which; Testany has a flag, too */
    AN_WAIT,     /* waits for what was named */
    AN_START,    /* starts persistent or partitioned requests */
    AN_COLLECTIVE,
    AN_ONE_SIDED, /* puts, gets, and their synchronisation */
    AN_CLOCK,
    AN_BEGIN, /* nothing may communicate before it */
    AN_END,   /* nothing may communicate behind it */
};

enum {
    AN_NONBLOCKING = 1,  /* gives a request that is completed elsewhere */
    AN_PERSISTENT = 2,   /* gives a request that AN_START calls start: nothing happens here */
    AN_SYNCHRONISES = 4, /* no member leaves before all have entered, whatever the counts are */
    AN_SETS_UP = 8,      /* makes or frees a communicator, window or file, or works on a file */
};

/* Numbers of arguments, from 0; -1: there is no such argument. */
struct an_message_arguments {
    signed char buffer, count,
        datatype;     /* counts and datatypes are arrays for Alltoallw and such */
    signed char peer; /* destination, source, or root */
    signed char tag;
};

struct an_call {
    const char *name; /* without "MPI_" and "_c" */
    enum an_role role;
    unsigned flags;                            /* AN_NONBLOCKING, ... */
    const char *letters;                       /* see calls.def */
    signed char arguments;                     /* how many */
    struct an_message_arguments send, receive; /* a probe has receive.peer and receive.tag */
    signed char comm;
    signed char request;        /* or the array of them */
    signed char requests;       /* how many are in the array */
    signed char status;         /* or the array of them */
    signed char index, indices; /* where the index goes, or the array; how many are in the array */
    signed char flag;
    signed char message;   /* handle of a matched message */
    signed char operation; /* of a reduction */
};

/* The entry for "MPI_Send", "PMPI_Send" or "MPI_Send_c", or NULL when it is no function of MPI. */
const struct an_call *an_call_find(const char *function);

/* The entry that the end of a name like "hypre_MPI_Irecv" names, or NULL. */
const struct an_call *an_call_find_suffix(const char *function);

#endif
