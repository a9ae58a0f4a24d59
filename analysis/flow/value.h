/* value: how a value depends on the outcome of one site, and the algebra of that.
 *
 * A value is abstract: a kind, the loops whose turns change it, and what it may point to. Loops are
 * numbered by their depth on the path that is being followed, from 1; 0 is the world around.
 *
 * Thread rule: values are values. */
#ifndef AN_FLOW_VALUE_H
#define AN_FLOW_VALUE_H

#include "analysis/judgement/judgement.h"

/* From harmless to harmful; the order counts. */
enum an_flow_kind {
    AN_FLOW_FREE,    /* nothing of the outcome is in it */
    AN_FLOW_SLOT,    /* which of several equal buffers is free */
    AN_FLOW_RANKING, /* numbers of the places of an array in arrival order, sorted by a key */
    AN_FLOW_FLAG,    /* whether something was there when it was asked for */
    AN_FLOW_SOURCE,  /* names the message's source: it differs for messages of different sources */
    AN_FLOW_MESSAGE, /* a function of one message */
    AN_FLOW_INDEXED, /* memory: each source has a place of its own in it */
    AN_FLOW_COUNTED, /* an accumulation whose order does not matter once it is complete */
    AN_FLOW_OPAQUE,  /* may depend on the order; it takes more than this analysis to say */
    AN_FLOW_ORDER,   /* depends on the order of arrival */
};

enum {
    AN_FLOW_PERMUTED = 1,    /* memory: its elements are of that kind, in the order of arrival */
    AN_FLOW_FLOATING = 2,    /* ORDER by a floating-point accumulation */
    AN_FLOW_LOSSY = 4,       /* different messages may give the same value */
    AN_FLOW_CONSTANT = 8,    /* `number` is its value */
    AN_FLOW_FRESH = 16,      /* points to memory that was just allocated */
    AN_FLOW_CLOCKED = 32,    /* by a clock or random number */
    AN_FLOW_ADDRESS = 64,    /* is an address, as a number */
    AN_FLOW_WRITTEN = 128,   /* memory: somebody wrote it on the path followed */
    AN_FLOW_TURNED = 256,    /* counts the turns of a loop, whatever they bring */
    AN_FLOW_SORTED = 1024,   /* memory: was just sorted */
    AN_FLOW_PLACED = 2048,   /* memory: `stamp` says at which place the last element was stored */
    AN_FLOW_OFFSET = 4096,   /* a pointer that may lead into the middle of something */
    AN_FLOW_COUNTUP = 8192,  /* a subscript that steps through a buffer from its beginning */
    AN_FLOW_VALUED = 512,    /* COUNTED: it adds up what messages say, not how many there are */
    AN_FLOW_APART = 16384,   /* memory: not surely in the element of all else that a message says */
    AN_FLOW_BROUGHT = 32768, /* by other messages, polls, the system: each time another, maybe */
    AN_FLOW_SUMMED = 65536,  /* memory, COUNTED: accumulated in this very place */
    AN_FLOW_SOME = 131072,   /* an address: of some of the places that one stands for, not all */
    AN_FLOW_KEYED = 262144,  /* memory, INDEXED: by what messages say; two may say the same */
};

enum { AN_FLOW_NO_LOOP = 63 };

struct an_flow_why {
    const struct an_node *node;
    const char *text;
    const struct an_flow_why *before;
    unsigned length;
};

struct an_flow_value {
    unsigned char kind; /* enum an_flow_kind */
    unsigned char loop; /* of SOURCE, MESSAGE, COUNTED, INDEXED, FLAG: whose turns bring messages */
    unsigned short
        op;           /* of COUNTED: enum an_operator, AN_OPERATORS for minimum, + 1 maximum, ... */
    unsigned flags;   /* AN_FLOW_PERMUTED, ... */
    unsigned targets; /* number of a set of places; 0: none that are known */
    unsigned index;   /* of what was read from a PERMUTED array: which place; 0: the site's own */
    unsigned stamp;   /* which assignment gave it */
    unsigned store;   /* memory: which store left it there, of all that were run */
    unsigned short place; /* memory: hash of where the message at hand was put; 0: it was not */
    int64_t number;
    uint64_t carried; /* memory, bit n: holds what earlier turns of loop n left */
    uint64_t iter;    /* bit n: it may differ between turns of loop n */
    const struct an_flow_why *why;
};

/* The combination of both: the value of an operator or a call with these operands. */
struct an_flow_value an_flow_combine(struct an_flow_value a, struct an_flow_value b);
/* Either of them, nobody knows which. */
struct an_flow_value an_flow_join(struct an_flow_value a, struct an_flow_value b);
/* The value once loop `loop` has ended; `fixed` says that its end does not depend on the order. */
struct an_flow_value an_flow_leave(struct an_flow_value value, unsigned loop, bool fixed,
                                   bool born);
/* The value when the next message replaces the one it speaks of. */
struct an_flow_value an_flow_age(struct an_flow_value value, bool born);
bool an_flow_depends(struct an_flow_value value);
bool an_flow_same(const struct an_flow_value *a, const struct an_flow_value *b);

#endif
