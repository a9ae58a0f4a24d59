/* Shared by the scenarios of drain_test. A scenario is a function that all ranks enter together;
 * 0 and 1 act, the others go through. main lets all meet behind each. */
#ifndef FT_DRAIN_TEST_H
#define FT_DRAIN_TEST_H

#include "request/gate_stub.h"

/* gcc takes MPI_STATUSES_IGNORE, the address 1, for an object without room. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define BIG (8 << 20)
/* Ends the run, with the scenario, the line and the text, if the condition does not hold. */
#define CHECK(condition) check(condition, #condition, __LINE__)

/* All scenarios, in the order in which they run. */
#define SCENARIOS(DO)                                                                              \
    DO(stream_keeps_order)                                                                         \
    DO(out_of_tag_order)                                                                           \
    DO(messages_to_oneself)                                                                        \
    DO(zero_bytes)                                                                                 \
    DO(persistent_requests)                                                                        \
    DO(started_windows)                                                                            \
    DO(pending_isends)                                                                             \
    DO(sends_at_once)                                                                              \
    DO(probed_not_received)                                                                        \
    DO(matched_big_message)                                                                        \
    DO(cancelled_requests)                                                                         \
    DO(derived_types)                                                                              \
    DO(receive_pending_with_type)                                                                  \
    DO(nobody_and_nothing)                                                                         \
    DO(blocked_receives)                                                                           \
    DO(blocked_sends)                                                                              \
    DO(halves_of_sendrecv)                                                                         \
    DO(isendrecv_requests)                                                                         \
    DO(completed_by_drain)                                                                         \
    DO(truncation)                                                                                 \
    DO(basic_sizes)                                                                                \
    DO(bad_arguments)                                                                              \
    DO(buffered_sends)                                                                             \
    DO(intercommunicator)                                                                          \
    DO(collectives)                                                                                \
    DO(gaps_sent_again)                                                                            \
    DO(gaps_cut_short)                                                                             \
    DO(wildcards_end_in_order)                                                                     \
    DO(probes_wait_for_wildcards)                                                                  \
    DO(torn_in_a_wait)                                                                             \
    DO(torn_in_a_drain)                                                                            \
    DO(cancelled_beside_a_death)                                                                   \
    DO(own_messages_keep_order)                                                                    \
    DO(dead_at_first_contact)                                                                      \
    DO(synchronous_sends_meet)                                                                     \
    DO(blocked_synchronous_send)                                                                   \
    DO(synchronous_among_others)                                                                   \
    DO(synchronous_met_unasked)                                                                    \
    DO(synchronous_sends_land)                                                                     \
    DO(synchronous_at_first_contact)                                                               \
    DO(message_on_unborn_communicator)                                                             \
    DO(many_requests)                                                                              \
    DO(ends_in_another_order)                                                                      \
    DO(freed_requests)                                                                             \
    DO(much_to_drain)

#define SCENARIO_DECLARE(name) void name(void);
SCENARIOS(SCENARIO_DECLARE)
#undef SCENARIO_DECLARE

extern int rank, size;
extern MPI_Comm other;   /* a duplicate of the world */
extern MPI_Comm halves;  /* an intercommunicator */
extern MPI_Datatype odd; /* every second int of 8, resized */
extern char *big;        /* BIG bytes, of each rank */

void check(int condition, const char *text, int line);

void interrupt(void);  /* gives the other ranks time to block, then orders all to the gate */
void gate_await(void); /* waits, outside the library, until another rank's order has been served */

/* This scenario is about single calls, drains by itself, or is none without clusters. All others
 * must meet a gate. */
void needs_no_gate(void);

int count_of(const MPI_Status *status, MPI_Datatype type);
int class_of(int code); /* the error class of a code */
void send_int(int value, int to, int tag, MPI_Comm comm);
int recv_int(int from, int tag, MPI_Comm comm, MPI_Status *status); /* the value */
void big_fill(int seed); /* writes a pattern into all of `big` */
int big_is(int seed);    /* whether it is there */

#endif
