/* term: communicators and tags as canonical texts, so that two calls can be compared, also
 * when they stand in different functions.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_TERM_H
#define AN_REGION_TERM_H

#include "analysis/judgement/judgement.h"

struct an_question_words;

/* How a function was entered: `call` stands in the function that `up` entered. A frame lets the
 * parameters of the function be read as the call's arguments. */
struct an_frame {
    const struct an_node *call;
    const struct an_frame *up; /* NULL: nothing is known of how that function was entered */
};

/* The value of an expression: factor * base + offset, with base "" for a constant. */
struct an_term {
    const char *base; /* canonical text of what is not constant; equal texts mean equal values, as
                         long as no variable in them changes */
    int64_t factor, offset;
    bool vague;                 /* equal texts prove nothing */
    const char *symbol;         /* of the one variable that the base is, or NULL */
    const struct an_node *name; /* the REFERENCE that the base is, or NULL */
    int64_t modulus;        /* the base is the remainder of that variable by it; 0: the variable */
    const char *field;      /* the field of a local record whose single value this is, or NULL */
    const int64_t *choices; /* all values that the base has, when they are constants, or NULL */
    unsigned choice_count;
    bool fresh; /* a communicator that was made for this variable: no constant, no other variable */
};

enum an_match { AN_NO_MATCH, AN_MAY_MATCH, AN_MUST_MATCH };

/* Effect: the term of `expression`, seen from where the outermost known frame's call stands. A
 * local variable with a single definition stands for its definition. */
struct an_term an_term_of(struct an_judgement *judgement, const struct an_node *expression,
                          const struct an_frame *frame);

/* How many values a small integer type has; 0: so many that they do not come again soon. */
int64_t an_values_of(const struct an_type *type);

/* Effect: adds what tells a communicator from others to the question of a memo. */
void an_term_ask(struct an_question_words *question, const struct an_term *term);

bool an_term_is_constant(const struct an_term *term);

/* Do the two name the same communicator? MPI_COMM_WORLD is an ordinary constant here. */
enum an_match an_comm_match(const struct an_term *a, const struct an_term *b);
/* May a message with the one tag be received with the other? A negative constant receives any. */
enum an_match an_tag_match(const struct an_term *a, const struct an_term *b);
bool an_comm_is_world(const struct an_term *comm);

/* The single expression that a local variable ever gets, or NULL. */
const struct an_node *an_single_definition(const struct an_node *function, const char *symbol);
/* Is there one place in the program that writes to the field? */
bool an_field_is_written_once(const struct an_program *program, const char *field);
/* Is the variable assigned, counted or its address taken anywhere in `root`? */
bool an_is_changed(const struct an_node *root, const char *symbol);
/* The PARAMETER's number in `function`, or -1. */
int an_parameter_number(const struct an_node *function, const char *symbol);
/* The function of `unit` that a call names, when it is defined there, or NULL. Functions of other
 * units are none: what is built on it is the same for a file alone and for the whole program. */
const struct an_node *an_local_callee(const struct an_unit *unit, const struct an_node *call);

#endif
