/* format: what one rank writes down with ftrun --verify: a file of records of equal
 * size, in the order of its calls. docs/formats/trace.md describes it.
 *
 * Files live as long as the ftrun that ordered them and are read by it, so structs go as they are;
 * FT_TRACE_VERSION is checked all the same. The file grows in windows of zeros: the first
 * FT_TRACE_END after the head is its end, also when the rank was killed. */
#ifndef FT_TRACE_FORMAT_H
#define FT_TRACE_FORMAT_H

#include <stdint.h>

enum { FT_TRACE_VERSION = 1, FT_TRACE_WINDOW = 16384 /* records */ };

enum ft_trace_kind {
    FT_TRACE_END = 0,
    FT_TRACE_HEAD,   /* the first record: size = FT_TRACE_VERSION, peer = the rank */
    FT_TRACE_VOID,   /* a call that failed */
    FT_TRACE_SEND,   /* a message, when it is sent */
    FT_TRACE_RECV,   /* a receive, when it is posted; what it matched is filled in later */
    FT_TRACE_PROBE,  /* a probe that found a message */
    FT_TRACE_CHOICE, /* a completion call that had a choice: asked_tag = how many it took, size =
                        a hash of their indices, peer = the first index */
    FT_TRACE_POLLS,  /* fruitless polls of one site since the last record: size = how many */
    FT_TRACE_COLLECTIVE, /* entered or posted: peer = root or -1 */
};

enum {
    FT_TRACE_MATCHED = 1,    /* RECV: peer, tag and size are those of the message */
    FT_TRACE_ANY_SOURCE = 2, /* RECV, PROBE */
    FT_TRACE_ANY_TAG = 4,
    FT_TRACE_CANCELLED = 8, /* RECV */
    FT_TRACE_FINAL = 16,    /* COLLECTIVE: MPI_Finalize, the last record of a complete file */
};

struct ft_trace_record {
    uint8_t kind;     /* enum ft_trace_kind */
    uint8_t flags;    /* FT_TRACE_* */
    uint16_t call;    /* enum ft_call of this build */
    uint32_t site;    /* FT_SITE's number, 0: not marked */
    uint64_t address; /* the call's return address */
    uint64_t comm;    /* identity of the communicator */
    uint64_t size;    /* bytes */
    int32_t peer;     /* world rank: destination, or source (of an unmatched RECV: that was named);
                         -1: none */
    int32_t tag;
    uint32_t hash; /* of the content, as advice; 0: not known */
    uint32_t time; /* since the start of the run, in ticks of 16 microseconds; saturates */
    uint32_t pattern, iteration;     /* that the call belongs to; 0: none */
    int32_t asked_source, asked_tag; /* RECV, PROBE: of the call; source in the communicator */
};

_Static_assert(sizeof(struct ft_trace_record) == 64, "windows are whole pages");

#endif
