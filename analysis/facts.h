/* facts: what the analysis knows about one source file, as plain data.
 *
 * unit.h fills them, loops.h and report.h read them, rewriters work from them. All of it lives in
 * one obstack and dies with an_facts_destroy. Nothing here knows libclang.
 *
 * Thread rule: one thread. */
#ifndef AN_FACTS_H
#define AN_FACTS_H

#include <obstack.h>
#include <stdbool.h>
#include <stddef.h>

/* A position in a file, after macro expansion. */
struct an_place {
    const char *file; /* as the compiler spells it; owned by the facts */
    unsigned line;    /* from 1 */
    unsigned column;  /* from 1, in bytes */
    size_t offset;    /* in bytes from the start of the file */
    bool editable;    /* in the analysed file itself, and not made by a macro */
};

/* What a call does, as far as loops and sites care: the roles of calls.def. */
enum an_role {
    AN_LOCAL,
    AN_RECEIVE,
    AN_PROBE,
    AN_POLL,
    AN_TEST,
    AN_CHOICE,
    AN_WAIT,
    AN_SEND,
    AN_EXCHANGE,
    AN_CLOCK,
    AN_BEGIN,
    AN_END,
};

/* Is an argument the wildcard MPI_ANY_SOURCE or MPI_ANY_TAG? Maybe: it is a parameter of a function
 * that other files can call, or a variable that holds the wildcard on some path. */
enum an_wild { AN_WILD_NO, AN_WILD_MAYBE, AN_WILD_YES };

/* The classes of a site. Only `unknown` is given so far. */
enum an_verdict {
    AN_UNKNOWN,
    AN_DETERMINISTIC,
    AN_SEND_DETERMINISTIC,
    AN_CHANNEL_DETERMINISTIC,
    AN_NON_DETERMINISTIC,
};

/* A call whose outcome may depend on time. */
struct an_site {
    struct an_place place;
    const char *function; /* that contains it */
    const char *call;     /* "MPI_Recv" */
    enum an_role role;
    enum an_wild source, tag;
    const char *source_variable, *tag_variable; /* what the argument names, or NULL */
    bool source_open, tag_open;                 /* a parameter that other files may set */
    enum an_verdict verdict;
    const char *reason; /* a sentence for the reader of a report */
    struct an_site *next;
};

enum an_node_kind {
    AN_SEQUENCE, /* its children run in order */
    AN_BRANCHES, /* at most one of its children runs */
    AN_LOOP,
    AN_PARALLEL, /* several threads run it */
    AN_CALL,
};

/* A word in a list: a variable's identity. */
struct an_word {
    const char *text;
    struct an_word *next;
};

/* One control structure or call of a function's body. */
struct an_node {
    enum an_node_kind kind;
    struct an_node *children, *next; /* a utlist, in the order of the source */
    struct an_place place;           /* of the keyword or the call */
    const char *name;                /* a call: the callee, NULL when it is a pointer */
    enum an_role role;               /* a call */
    struct an_function *callee;      /* a call: its definition in this unit, or NULL */
    bool foreign;                    /* a call into another file that is no system header's */
    struct an_place top;             /* a loop: where its body begins, behind the brace */
    size_t body_end;                 /* a loop with a body without braces: offset behind it */
    bool braced;                     /* a loop: its body is a compound statement */
    struct an_word *variables;       /* a loop: what its header names */
};

struct an_function {
    const char *name;
    struct an_place place;
    struct an_node *body;
    bool internal; /* static: no other file can call it */
    bool called;   /* by another function of this unit */
    bool searched; /* by the search for loops: entered once */
    unsigned pass; /* the last count of traffic that entered it */
    struct an_function *next;
};

/* Lines that the preprocessor left out: calls there were not seen. */
struct an_gap {
    unsigned first, last; /* lines of the analysed file */
    struct an_gap *next;
};

struct an_facts {
    struct obstack memory;
    const char *path;              /* of the analysed file, as given */
    const char *problem;           /* why there are no facts, or NULL; "file:line:column: text" */
    struct an_function *functions; /* with a body, in order, headers' ones too */
    struct an_site *sites;         /* in order */
    struct an_gap *gaps;
    struct an_word *sizes;    /* variables that MPI_Comm_size fills */
    struct an_word *sources;  /* variables that hold MPI_ANY_SOURCE on some path */
    struct an_word *tags;     /* variables that hold MPI_ANY_TAG on some path */
    size_t first_declaration; /* offset of the first declaration in the file itself */
    bool hooked_by_hand;      /* the file calls ft_hook itself */
    unsigned passes;          /* counts of traffic so far */
};

/* Effect: empty facts about `path` (copied). Never fails: no memory ends the process. */
struct an_facts *an_facts_create(const char *path);

/* Effect: frees the facts and all that they own; NULL is allowed. */
void an_facts_destroy(struct an_facts *facts);

/* Memory and strings that live as long as the facts; the memory is zero. */
void *an_facts_alloc(struct an_facts *facts, size_t bytes);
const char *an_facts_string(struct an_facts *facts, const char *text);
const char *an_facts_printf(struct an_facts *facts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds `text` (copied) to a list of words, once. */
void an_facts_word_add(struct an_facts *facts, struct an_word **list, const char *text);
bool an_words_contain(const struct an_word *list, const char *text);

/* The function of that name with a body in this unit, or NULL. */
struct an_function *an_facts_function(const struct an_facts *facts, const char *name);

/* "any source, any tag", "" when neither is a wildcard. `text` holds at least 64 bytes. */
void an_site_wildcards(const struct an_site *site, char *text);

/* "unknown", "send-deterministic", ... */
const char *an_verdict_name(enum an_verdict verdict);

#endif
