/* flow: follows what depends on the outcome of one site through a program, by running the program
 * on abstract values from a root function on, and says what that does to sends.
 *
 * The run is structured: statements in their order, branches both ways and joined, loops until
 * nothing changes, calls by running their bodies. Only what can matter is run: before the site only
 * what leads to it, behind it only what gets something dependent. Each run has a budget of steps.
 *
 * Thread rule: one thread per flow. */
#ifndef AN_FLOW_H
#define AN_FLOW_H

#include "analysis/flow/value.h"

enum { AN_FLOW_LOOPS = 60, AN_FLOW_CALLS = 24, AN_FLOW_CONTROLS = 800 };
enum { AN_FLOW_ANY = 0xffff }; /* a pointer enters all that it may, and what they do is joined */
enum { AN_FLOW_PLACES = 64 };  /* the most that one set holds; with more, the run is given up */

/* A block of memory that the program names or allocates. */
struct an_flow_object {
    const char *name;             /* of a variable, or of a type; NULL for a block */
    const struct an_node *node;   /* the call that allocates it, or the variable's name, or NULL */
    const struct an_type *type;   /* of the variable, or what pointers to it point to */
    unsigned born;                /* the loop that allocates it in each turn; 0: none */
    const struct an_node *around; /* that loop */
    unsigned cells;               /* the newest of its cells, or 0 */
    unsigned depth;               /* pointers followed from unknown memory to find it */
    unsigned initial; /* places that its initialiser names, a set; 0: none, or not asked */
    bool outside;     /* outlives the root function, or is reached from elsewhere */
    bool elements;    /* some of its cells are elements of constant number */
    bool lent;        /* a function that is not here has got its address */
    bool foreign;     /* a function that is not here has made it, or may have */
    bool watched;     /* a thread may read it at any time */
};

/* A part of an object: a field, an element of constant number, or the rest. */
struct an_flow_cell {
    unsigned object;
    const char *field; /* symbol, or NULL */
    int element;       /* -1: any */
    unsigned sibling;  /* another cell of the same object, or 0 */
    unsigned whole;    /* of a field: the cell of the record around it, or 0 */
};

/* Cells that are described by no value are FREE, and were not written on the path followed. */
struct an_flow_state {
    struct an_flow_page **pages; /* by number of cell; shared with copies (state.c) */
    unsigned count;              /* of cells */
};

struct an_flow_set { /* of places: base cells */
    unsigned count;
    unsigned cells[];
};

struct an_flow_marks { /* a set of cells */
    uint64_t *words;
    unsigned count;
};

struct an_flow_tested { /* a variable that a condition compares to a constant */
    unsigned cell;
    const struct an_node *leaf; /* that comparison, or the variable alone */
    bool want;                  /* what it has to be */
};

struct an_flow_control {
    const struct an_node *node; /* IF, SWITCH, a loop, CHOOSE, or a call that may not return */
    struct an_flow_value value;
    uint64_t context; /* of the call in which it stands */
    unsigned number;  /* it is newer than what has a smaller one */
    struct an_flow_tested tested[3];
    unsigned tested_count;
    bool described; /* they are all that the condition says */
    bool rest;      /* of what follows a branch that jumps away */
    unsigned loop;  /* innermost at that place */
    bool of_loop;   /* a loop's own condition */
    bool taken;     /* on the branch where the condition holds */
};

struct an_flow_loop {
    const struct an_node *node;
    struct an_flow_state out, again; /* states at break and continue */
    bool out_reached, again_reached;
    struct an_flow_value end;         /* what its end depends on */
    struct an_flow_value again_why;   /* the worst condition of a continue */
    const struct an_flow_state *turn; /* at the beginning of the turn */
    struct an_flow_marks *written, swept;
    bool *drains;      /* it was seen to end when the site finds nothing more */
    unsigned controls; /* how many there were when its body began */
    struct an_flow_loop *outer;
    bool spins; /* waits for the site's own flag */
};

struct an_flow_label {
    const char *name;
    struct an_flow_state state;
    bool reached;
    bool backward; /* a goto behind it leads to it */
};

struct an_flow_frame { /* a call being run */
    const struct an_node *function, *call;
    uint64_t context; /* hash of the calls that led here */
    struct an_flow_value result;
    struct an_flow_value numbers, pointers; /* any of what it gets behind its parameters */
    struct an_flow_state left;              /* states at its returns */
    struct an_flow_state entry;             /* at its beginning */
    struct an_flow_value left_why;          /* the worst condition of a return */
    bool left_reached;
    unsigned controls;
    struct an_flow_loop *loop; /* the innermost one when it was called */
    struct an_flow_label labels[8];
    unsigned label_count;
    bool jumped_back;
    struct an_flow_frame *caller;
};

struct an_flow_known { /* what a loop was seen to do */
    const struct an_node *node;
    uint64_t context;
    struct an_flow_marks written;
    bool drains;
    struct an_flow_known *next;
};

struct an_flow_posted {
    struct an_flow_value request, buffer;
    bool many; /* one of several, posted in a loop */
    struct an_flow_posted *next;
};

struct an_flow_lasting { /* one side of a persistent request */
    struct an_flow_value buffer;
    struct an_flow_value content; /* what comes each time it is started */
    const struct an_node *call;   /* that made it */
    bool sends;
    bool own;  /* the site's: what it brings, it brings where it is complete */
    bool part; /* what was in the buffer may stay, in other parts or at the root */
    struct an_flow_lasting *next;
};

/* The result for one send, in one context; the last visit counts. */
struct an_flow_send {
    const struct an_node *call;
    uint64_t context;
    enum an_verdict verdict;
    const char *text;
    struct an_flow_value what;               /* that decided it */
    const char *rule;                        /* finding that belongs to it, or NULL */
    bool within;                             /* inside of the loop that brings messages */
    bool after;                              /* after the loop that brings messages */
    unsigned loop;                           /* depth */
    const struct an_node *tag, *peer, *comm; /* NULL: none, or not known */
    bool tagged, untagged;                   /* it may be a message, a collective */
    bool once;   /* dependent only in whether it happens: needs a channel of its own */
    bool chosen; /* a message selects its destination: likewise */
    const struct an_flow_way *way; /* the conditions around it, or NULL */
    struct an_flow_send *next;
};

struct an_flow {
    struct an_judgement *judgement;
    struct an_program *program;
    const struct an_site *site; /* NULL: follow clocks instead */
    const struct an_site
        *posting; /* `site` stands for a completion of what this one posts, or NULL */
    const struct an_node *root;

    struct an_flow_memory *memory;
    struct an_flow_state state;
    bool dead;          /* nothing is executed here */
    bool seen;          /* the site has been executed on the path */
    unsigned dependent; /* stores of something dependent so far */
    unsigned stores;    /* so far */
    unsigned depth;     /* loops around here */
    struct an_flow_loop *loop;
    struct an_flow_frame *frame;
    unsigned frames;
    struct an_flow_control controls[AN_FLOW_CONTROLS];
    unsigned control_count;
    long steps, budget;
    bool exhausted;
    unsigned site_loop; /* the loop whose turns bring messages; valid once `seen` */
    bool counts_sends;  /* a completion of send requests */
    bool named;         /* the message's source is known: only its time is open */
    struct an_flow_send *sends;
    const struct an_node *hidden;  /* an incomplete call that may send */
    const struct an_node *leap;    /* a longjmp behind the site, or NULL */
    const struct an_node *nowhere; /* a message at addresses that nobody has seen, or NULL */
    const struct an_node *astray;  /* where something dependent goes that cannot be followed */
    const char *astray_text;       /* what would have to be known then */
    struct an_flow_value floating; /* a floating-point accumulation in arrival order, or FREE */
    struct an_flow_value escape;   /* what depends on the order and outlives the root, or FREE */
    bool escape_sources;           /* an array of sources in arrival order is part of that */
    bool sorted;                   /* something in arrival order was sorted by a key */
    bool request_sends;            /* the site completes sends only */
    struct an_flow_known *known[256];
    unsigned touched;                 /* loads of something dependent so far */
    bool batch;                       /* messages of several requests came in at once */
    bool random;                      /* random numbers were seeded by a clock */
    bool completed;                   /* a receive that the site posts was completed */
    const struct an_node *around;     /* that loop, or NULL */
    bool left;                        /* the loop that brings messages has ended on this path */
    unsigned mark;                    /* in the functions that lead to the site */
    const struct an_node *split;      /* a call through a pointer that stays the same, or NULL */
    unsigned split_count, choice;     /* how many it may enter; the one that this run takes, or
                                         AN_FLOW_ANY */
    struct an_flow_posted *posted;    /* receives of the site, to be completed */
    struct an_flow_lasting *lasting;  /* persistent requests that were made */
    const struct an_node *used;       /* where something in arrival order was read after all */
    bool polls;                       /* the site may find nothing */
    bool batches;                     /* the site completes as many as have come */
    struct an_flow_value addressed;   /* what MPI was asked the address of */
    struct an_flow_value given;       /* OPAQUE once something dependent has left the program */
    struct an_flow_value attribute;   /* what hangs on handles: pointers; OPAQUE as above */
    unsigned requests;                /* the places that the site chooses among, a set, or 0 */
    bool moved;                       /* one of them got another one's request since */
    unsigned pushed;                  /* controls so far */
    unsigned asked;                   /* how many when the site was run */
    bool jumped;                      /* a goto was seen */
    bool spun;                        /* a loop has waited for the site's flag */
    bool closed;                      /* and its callers see nothing of how long it did */
    int64_t step;                     /* what is being added to a number, or 0 */
    struct an_flow_write *writes[64]; /* by cell, where loops write */
    struct an_flow_value handed;      /* OPAQUE once something dependent lies in foreign memory */
    struct an_flow_value leaked;      /* pointers that may be kept where nobody looks */
};

/* Effect: follows `site` from `root`, which leads to it; without a site, clocks and random numbers.
 * The caller destroys the flow. */
struct an_flow *an_flow_run(struct an_judgement *judgement, const struct an_site *site,
                            const struct an_site *posting, const struct an_node *root,
                            unsigned choice, long budget);
/* Whether each request that the site may complete is the only one that is active then. */
bool an_flow_is_in_order(struct an_program *program, const struct an_site *site);
/* The CALL behind `after` (NULL: the first) that completes requests of the variable or field which
 * the site, another call, posts to; NULL when there is none any more. */
const struct an_node *an_flow_completion_next(struct an_program *program,
                                              const struct an_site *site,
                                              const struct an_node *after);
/* Whether a site that completes requests only ever completes sends. */
bool an_flow_completes_sends(struct an_program *program, const struct an_site *site);
void an_flow_destroy(struct an_flow *flow);

/* Statements (walk.c, loop.c). */
void an_flow_statement(struct an_flow *flow, const struct an_node *node);
void an_flow_function(struct an_flow *flow, const struct an_node *function);
bool an_flow_step(struct an_flow *flow);
struct an_flow_value an_flow_control_of(const struct an_flow *flow, unsigned loop);
void an_flow_control_push(struct an_flow *flow, const struct an_node *node,
                          struct an_flow_value value, bool of_loop, bool taken);

/* Expressions (expression.c, accumulate.c). */
struct an_flow_value an_flow_value_of(struct an_flow *flow, const struct an_node *node);
/* The address of an lvalue: `targets` is where it is, the rest is what chooses the place. */
struct an_flow_value an_flow_address_of(struct an_flow *flow, const struct an_node *node);
/* Effect: `operation` on what the place held gives `value`; AN_OP_NONE for a plain assignment. */
void an_flow_assign(struct an_flow *flow, const struct an_node *node, struct an_flow_value address,
                    struct an_flow_value value, int operation, bool floating);
/* x = x + e, x = e + x, x = x < e ? x : e, x = max(x, e): answers the operator, and the operand e;
 * AN_OP_NONE for any other assignment. */
int an_flow_accumulation(const struct an_program *program, const struct an_node *assign,
                         const struct an_node **operand);

/* Calls (call.c) and what MPI does (mpi.c). */
struct an_flow_value an_flow_call(struct an_flow *flow, const struct an_node *call);
bool an_flow_mpi(struct an_flow *flow, const struct an_node *call);
/* Joins the values of all arguments of a call of MPI, and of the memory that they lead to. */
struct an_flow_value an_flow_given(struct an_flow *flow, const struct an_mpi *mpi);
/* The rival of the site that stands at `call` (rivals.c): a receive that may take the site's
 * messages; NULL: the call is none. */
const struct an_rival *an_flow_rival(const struct an_flow *flow, const struct an_node *call);
/* The `content` that the receive at `call` gets: ORDER where the site before it may have taken some
 * of its messages, as the order of arrival then decides which are left. */
struct an_flow_value an_flow_left_over(struct an_flow *flow, const struct an_node *call,
                                       struct an_flow_value content);
/* Whether the loop has not taken all messages that could match when it ends. */
bool an_flow_is_open(const struct an_flow *flow, const struct an_node *loop);
/* The innermost loop whose turns together take all messages: NULL outside of any, and its depth. */
const struct an_node *an_flow_taking_loop(const struct an_flow *flow, unsigned *depth);
/* Bit n: the turns of loop n bring the site's messages, here. */
uint64_t an_flow_taking_turns(const struct an_flow *flow);
/* Effect: what differs between the turns of one of these loops does so between messages. */
void an_flow_turns_mix(struct an_flow *flow, uint64_t turns);
/* Effect: at the beginning of a loop in which another call goes on taking the site's messages: the
 * message at hand is the first of the loop's. */
void an_flow_taking_enter(struct an_flow *flow, const struct an_node *loop);
/* Whether some of the messages that belong to the site go elsewhere, so that what it gets says from
 * the beginning who was first. */
bool an_flow_is_robbed(const struct an_flow *flow);
/* Effect: something dependent goes where it cannot be followed; `text`: what would have to be
 * known. */
void an_flow_stray(struct an_flow *flow, const struct an_node *node, const char *text);
/* The ways on which that happens (astray.c): a store into what a thread or handler reads, a call
 * that starts a thread, assembly, one-sided communication and files. */
void an_flow_astray_write(struct an_flow *flow, unsigned cell, struct an_flow_value value);
/* Effect: notes that the call gives a stream something that depends on the site. */
void an_flow_astray_given(struct an_flow *flow, const struct an_node *call);
void an_flow_astray_call(struct an_flow *flow, const struct an_node *call,
                         const struct an_flow_value *values, unsigned count);
void an_flow_assembly(struct an_flow *flow, const struct an_node *node);
void an_flow_one_sided(struct an_flow *flow, const struct an_mpi *mpi);
/* Effect: all objects that the value points to are lent, or foreign. */
void an_flow_lend(struct an_flow *flow, struct an_flow_value value);
void an_flow_make_foreign(struct an_flow *flow, struct an_flow_value value);
/* Whether two sets of places may have one in common. */
bool an_flow_targets_meet(struct an_flow *flow, unsigned a, unsigned b);
/* Runs all that a call may enter, and joins what they do; `callee`: the pointer, if it is one. */
struct an_flow_value an_flow_targets_run(struct an_flow *flow, const struct an_node *call,
                                         struct an_targets targets,
                                         const struct an_flow_value *values, unsigned count,
                                         struct an_flow_value callee);
/* Functions of the C library, and those that are known by name (library.c); false for others. */
bool an_flow_library(struct an_flow *flow, const struct an_node *call,
                     const struct an_flow_value *values, unsigned count,
                     struct an_flow_value *result);
/* Whether `word`, in small letters, stands in the name. */
bool an_flow_name_has(const char *name, const char *word);
/* Effect of a function of the system that nothing else is known of (system.c). */
void an_flow_system(struct an_flow *flow, const struct an_node *call,
                    const struct an_flow_value *values, unsigned count,
                    struct an_flow_value *result);
/* Whether a function may write where its argument number `n` points to, by its type. */
bool an_flow_may_write(const struct an_node *call, unsigned n);
/* Whether that is a pointer to memory of any type. */
bool an_flow_takes_anything(const struct an_node *call, unsigned n);
/* Effect (kept.c): of a function of the system that gives something away, or gets it back, which is
 * then in *made. */
void an_flow_kept_pass(struct an_flow *flow, const struct an_node *call,
                       struct an_flow_value *made);
void an_flow_attribute_put(struct an_flow *flow, const struct an_node *call,
                           struct an_flow_value value);
struct an_flow_value an_flow_attribute_get(const struct an_flow *flow);
/* Persistent requests (lasting.c). A handle is followed as a pointer to its buffers.
 *
 * The value of a handle: `from` and `to` are the buffers, zero where there is none; `content` is
 * what `to` gets when it is started, NULL for nothing of interest. */
struct an_flow_value an_flow_lasting_make(struct an_flow *flow, const struct an_node *call,
                                          struct an_flow_value from, struct an_flow_value to,
                                          const struct an_flow_value *content);
/* The content that the calls send which start requests and add parts to them. */
struct an_flow_value an_flow_lasting_content(struct an_flow *flow, const struct an_mpi *start);
/* Whether such a call may send; then *call made the only send that it starts, or is NULL: nobody
 * knows. */
bool an_flow_lasting_sends(struct an_flow *flow, const struct an_mpi *start,
                           const struct an_node **call);
/* Effect: what they receive is where it was bound to. */
void an_flow_lasting_start(struct an_flow *flow, const struct an_mpi *start);
/* Effect (bottom.c): notes what a call asks the address of, if that is what it does. */
void an_flow_bottom_note(struct an_flow *flow, const struct an_mpi *mpi);
/* Whether what is sent or received lies at absolute addresses; then *address is where. */
bool an_flow_bottom_find(struct an_flow *flow, const struct an_mpi *mpi,
                         const struct an_message_arguments *arguments,
                         struct an_flow_value *address);
/* Effect of sorting (sort.c): the order of arrival is gone from what is sorted, and what was
 * permuted along with it says where things are. */
void an_flow_sort(struct an_flow *flow, const struct an_node *call,
                  const struct an_flow_value *values, unsigned count);
/* Without a site: effect of a call that reads a clock, a random number or such; false for others.
 */
bool an_flow_clock(struct an_flow *flow, const struct an_node *call, struct an_flow_value *result);
bool an_flow_is_clock(struct an_program *program, const struct an_node *call);
bool an_flow_leads(struct an_flow *flow, const struct an_node *node);
void an_flow_send(struct an_flow *flow, const struct an_mpi *mpi);
/* Whether a condition is about the flag of another poll. */
bool an_flow_asks_elsewhere(const struct an_flow *flow, const struct an_flow_control *control);
void an_flow_sends_compare(struct an_flow *flow);

/* Memory (memory.c, object.c). */
void an_flow_memory_create(struct an_flow *flow);
void an_flow_memory_destroy(struct an_flow *flow);
void *an_flow_alloc(struct an_flow *flow, size_t bytes);
struct an_flow_value an_flow_variable(struct an_flow *flow, const struct an_node *node);
struct an_flow_value an_flow_block(struct an_flow *flow, const struct an_node *call,
                                   const struct an_type *type);
/* The address of a field of what `base` points to. */
struct an_flow_value an_flow_field(struct an_flow *flow, struct an_flow_value base,
                                   const struct an_node *member);
struct an_flow_value an_flow_element(struct an_flow *flow, struct an_flow_value base,
                                     struct an_flow_value index);
struct an_flow_value an_flow_load(struct an_flow *flow, struct an_flow_value address,
                                  const struct an_type *type);
/* The value of all memory to which `address` may point. */
struct an_flow_value an_flow_content(struct an_flow *flow, struct an_flow_value address,
                                     int64_t elements);
void an_flow_store(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value,
                   bool whole);
/* Effect: what is at `address`, or a part of it, may have become `value`. */
void an_flow_mix(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value);
/* Effect: gives a pointer without targets an object of its own to point to, kept in `address`. */
struct an_flow_value an_flow_pointee(struct an_flow *flow, struct an_flow_value pointer,
                                     struct an_flow_value address, const struct an_node *node,
                                     const struct an_type *type);
/* Effect: copies a record, field by field. */
void an_flow_record_copy(struct an_flow *flow, struct an_flow_value to, struct an_flow_value from);
struct an_flow_value an_flow_either(struct an_flow *flow, struct an_flow_value a,
                                    struct an_flow_value b);
const struct an_flow_set *an_flow_targets(const struct an_flow *flow, unsigned number);
/* The buffer `address` of `count` elements: with more than one, `node`, the address of a field,
 * means what lies behind that field, too, so that all of the record is meant. */
struct an_flow_value an_flow_around(struct an_flow *flow, struct an_flow_value address,
                                    const struct an_node *node, const struct an_node *count);
/* Whether the cell stands for many elements. */
bool an_flow_is_array(const struct an_flow *flow, unsigned cell);
unsigned an_flow_cells(const struct an_flow *flow);
const struct an_flow_cell *an_flow_cell(const struct an_flow *flow, unsigned number);
const struct an_flow_object *an_flow_object(const struct an_flow *flow, unsigned number);

/* States (state.c). A copy is cheap; the first write to a page of either makes that its own. */
struct an_flow_state an_flow_state_copy(const struct an_flow_state *state);
void an_flow_state_free(struct an_flow_state *state);
/* Effect: `into` becomes what either state says; where they differ, `why` is part of it,
 * unless one of them set to a constant what `before` (or NULL) had. */
void an_flow_state_join(struct an_flow *flow, struct an_flow_state *into,
                        const struct an_flow_state *other, struct an_flow_value why,
                        const struct an_flow_state *before);
bool an_flow_state_same(const struct an_flow_state *a, const struct an_flow_state *b);
/* The value of a cell, of whatever number. `get`: to be read, until the next `put` or `at`; `put`:
 * in its place; `at`: to be written at once. */
const struct an_flow_value *an_flow_get(struct an_flow_state *state, unsigned cell);
void an_flow_put(struct an_flow_state *state, unsigned cell, struct an_flow_value value);
struct an_flow_value *an_flow_at(struct an_flow_state *state, unsigned cell);
/* The cell, from `cell` on, where the walk over all cells goes on: those left out speak of no turn
 * of `loop`, and are not in `marks` (or NULL). The state's count at the end. */
unsigned an_flow_next(const struct an_flow_state *state, unsigned cell, unsigned loop,
                      const struct an_flow_marks *marks);
/* The next cell from `cell` on whose value depends on the site, or the count. */
unsigned an_flow_next_depending(const struct an_flow_state *state, unsigned cell);
/* The same as an_flow_next for a walk over the cells of `a` that may differ in `b`. */
unsigned an_flow_next_apart(const struct an_flow_state *a, const struct an_flow_state *b,
                            unsigned cell);
/* The same as `get`; the cell's number is below the count. */
const struct an_flow_value *an_flow_held(const struct an_flow_state *state, unsigned cell);
void an_flow_marks_add(struct an_flow_marks *marks, unsigned cell);
bool an_flow_marks_have(const struct an_flow_marks *marks, unsigned cell);
/* The next cell from `cell` on that is marked, or a number behind all marks. */
unsigned an_flow_marks_next(const struct an_flow_marks *marks, unsigned cell);

/* Effect: what `value` points to may be reached from anywhere. */
void an_flow_leak(struct an_flow *flow, struct an_flow_value value);

const struct an_flow_why *an_flow_because(struct an_flow *flow, const struct an_node *node,
                                          const char *text, const struct an_flow_why *before);

#endif
