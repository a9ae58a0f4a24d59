/* wild_parts: what the files of wild.h share: wild.c (expressions), wild_paths.c (variables along
 * the paths of their function, parameters), wild_memory.c (everything else). Private to them.
 *
 * A value is a set of bits; a bit is only missing when the program, as far as it is here, cannot
 * produce such a value. */
#ifndef AN_WILD_PARTS_H
#define AN_WILD_PARTS_H

#include "analysis/program/inside.h"
#include "analysis/program/wild.h"

enum {
    AN_IS_WILD = 1,     /* the wildcard */
    AN_IS_NEGATIVE = 2, /* another negative constant */
    AN_IS_UNSURE = 4,   /* computed, and perhaps negative */
    AN_IS_NAMED = 8,    /* not negative */
    AN_IS_ANYTHING = 15,
};

/* The questions being asked, innermost first; a question that leads to itself adds nothing. */
struct asked {
    const void *what;
    int kind;
    const struct asked *outer;
};
enum {
    AN_ASKED_VARIABLE,
    AN_ASKED_PARAMETER,
    AN_ASKED_STORED,
    AN_ASKED_ELEMENTS,
    AN_ASKED_RESULT,
    AN_ASKED_POINTEE
};

struct wild {
    const struct an_program *program;
    int64_t wildcard;
    unsigned questions; /* left */
    unsigned depth;
    unsigned in_memory; /* how many stores to memory are being asked */
    const struct asked *asked;
};

typedef unsigned an_wild_question(struct wild *wild, const struct an_node *expression);

bool an_wild_is_asked(const struct wild *wild, int kind, const void *what);
/* Is there room for another question? Without, the answer is AN_IS_ANYTHING. */
bool an_wild_may_ask(struct wild *wild);
/* Arithmetic never makes a wildcard; it is not negative when nothing in it can be. */
unsigned an_wild_computed(unsigned one, unsigned other);
/* The bits of memory when it is not known which stores reach it. */
unsigned an_wild_in_memory(const struct wild *wild);
bool an_wild_is_same(const struct an_node *one, const struct an_node *other);

unsigned an_wild_value(struct wild *wild, const struct an_node *expression);
/* The answers of `ask` for the results of all functions that the call may enter. */
unsigned an_wild_from_returns(struct wild *wild, const struct an_node *call, an_wild_question *ask);

/* The value that a local variable or parameter has where `reference` stands. */
unsigned an_wild_variable(struct wild *wild, const struct an_node *reference);
/* The answers of `ask` for the arguments that callers pass for `parameter`. */
unsigned an_wild_from_callers(struct wild *wild, const struct an_node *function,
                              const struct an_node *parameter, an_wild_question *ask);
/* The number of a parameter by any node that names it, or -1. */
int an_wild_position(const struct an_node *function, const struct an_node *parameter);
/* Whether a question like "is it negative?" may hold or fail: AN_MAY_*. */
unsigned an_wild_decide(struct wild *wild, const struct an_node *condition);

/* The bits that the call writes where its argument `number` points. */
unsigned an_wild_written_by(struct wild *wild, const struct an_node *call, unsigned number);
/* The bits stored in a global or field (`elements`: in what it points to or consists of). */
unsigned an_wild_stored(struct wild *wild, const struct an_node *place, bool elements);
/* The integers that a pointer points to, or that an array consists of. */
unsigned an_wild_elements(struct wild *wild, const struct an_node *base);
unsigned an_wild_list(struct wild *wild, const struct an_node *list);

#endif
