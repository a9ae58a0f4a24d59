/* The places of messages: what the log's streams remember of them (places.c), and what a rank
 * that has rolled back hears (notices.c). The MPI library is a queue of notices for one rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "heap/alloc_stub.h"
#include "stream/notices.h"
#include "stream/notices_stub.h"
#include "stream/streams.h"

enum { RANKS = 3, TAG = 7, OTHER = 8 };

static uint64_t pending;
static int promised; /* tag of messages from rank 0 of the communicator */
static int turns;

static struct ft_rank self;
static struct ft_spbc spbc;
static struct ft_streams streams;
static struct ft_peer peers[RANKS];
static struct ft_entry entry;
static struct ft_stream stream;
static struct ft_comm comm;
static int world[] = {2, 1, 0}; /* ranks of the communicator are not those of the world */

static void turn(struct ft_rank *rank)
{
    turns++;
    ft_notices_hear(rank);
}

static uint64_t cancellable(const struct ft_rank *rank)
{
    (void)rank;
    return pending;
}

static int is_promised(const struct ft_rank *rank, uint64_t id, int source, int tag)
{
    (void)rank;
    return promised == tag && id == comm.id && source == world[0];
}

static const struct ft_listener listener = {turn, cancellable, is_promised};

static int setup(void **state)
{
    (void)state;
    notice_queue_clear();
    turns = 0;
    pending = 0;
    promised = -1;
    comm = (struct ft_comm){.id = 77, .peers = RANKS, .world = world, .size = RANKS};
    memset(peers, 0, sizeof peers);
    streams = (struct ft_streams){.peer = peers};
    spbc = (struct ft_spbc){.identified = 1, .streams = &streams};
    self = (struct ft_rank){.size = RANKS, .spbc = &spbc};
    stream = (struct ft_stream){.key = {.tag = TAG}};
    entry = (struct ft_entry){.stream = &stream};
    peers[0].end = &entry;
    ft_notices_begin(&self, &listener);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ft_notices_forget(&self);
    assert_null(spbc.said);
    free(stream.places);
    stream.places = NULL;
    return 0;
}

/* A message of rank `source` of the communicator, in the place. */
static void tell(int source, int tag, uint32_t pattern, uint32_t iteration)
{
    queue.sender = world[source];
    ft_notice_send(&self, &comm, 0, tag, (struct ft_pattern_place){pattern, iteration});
}

/* The next one is of iteration `expected`; 0: nothing is known of it. */
static void expect(int source, int tag, uint32_t expected)
{
    struct ft_pattern_place place = {0, 0};

    assert_int_equal(ft_notice_next(&self, &comm, source, tag, &place), expected != 0);
    assert_int_equal(place.iteration, expected);
}

static void hears_in_order(void **state)
{
    (void)state;
    assert_int_equal(spbc.hearing, 1);
    assert_int_equal(spbc.replaying, 1);
    tell(0, TAG, 1, 5);
    tell(1, TAG, 1, 9);
    tell(0, OTHER, 1, 3);
    tell(0, TAG, 1, 6);
    expect(0, TAG, 0);
    ft_notices_turn(&self);
    assert_int_equal(turns, 1);
    expect(0, TAG, 5);
    expect(1, TAG, 9);
    expect(0, OTHER, 3);
    ft_notice_taken(&self, &comm, 0, TAG, 1);
    expect(0, TAG, 6);
    expect(1, TAG, 9);
    ft_notice_taken(&self, &comm, 0, TAG, 1);
    expect(0, TAG, 0);
}

/* A message may be taken, or promised, before its notice is here. */
static void takes_before_it_hears(void **state)
{
    (void)state;
    ft_notice_taken(&self, &comm, 2, TAG, 1);
    tell(2, TAG, 1, 1);
    tell(2, TAG, 1, 2);
    ft_notices_hear(&self);
    expect(2, TAG, 2);
    ft_notice_taken(&self, &comm, 2, TAG, -1); /* the receive was cancelled */
    expect(2, TAG, 1);
}

/* Places are kept while a promise may be given back, and not much longer. */
static void forgets_what_is_taken(void **state)
{
    (void)state;
    pending = 2;
    for (uint32_t i = 1; i <= 1000; i++) {
        tell(0, TAG, 1, i);
        ft_notices_hear(&self);
        ft_notice_taken(&self, &comm, 0, TAG, 1);
    }
    expect(0, TAG, 0);
    ft_notice_taken(&self, &comm, 0, TAG, -1);
    expect(0, TAG, 1000);
    ft_notice_taken(&self, &comm, 0, TAG, -1);
    expect(0, TAG, 999);
}

/* With fresh tags, too; what is promised by one of them may be given back. */
static void forgets_kinds(void **state)
{
    long before = stub_blocks;

    (void)state;
    promised = 1;
    for (int tag = 1; tag <= 4000; tag++) {
        tell(0, tag, 1, (uint32_t)tag);
        ft_notices_hear(&self);
        ft_notice_taken(&self, &comm, 0, tag, 1);
        expect(0, tag, 0);
    }
    assert_true(stub_blocks - before < 300);
    ft_notice_taken(&self, &comm, 0, promised, -1);
    expect(0, promised, (uint32_t)promised);
    tell(0, 2, 1, 7);
    ft_notices_hear(&self);
    expect(0, 2, 7);
}

/* None is lost when all are pending. */
static void grows(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 1000; i++)
        tell(1, TAG, 1, i);
    assert_int_equal(ft_notices_hear(&self), 1000);
    for (uint32_t i = 1; i <= 1000; i++) {
        expect(1, TAG, i);
        ft_notice_taken(&self, &comm, 1, TAG, 1);
    }
}

static void waits_for_what_a_drain_took(void **state)
{
    struct ft_pattern_place place;

    (void)state;
    tell(0, TAG, 4, 11);
    queue.late = 3;
    place = ft_notice_drained(&self, &comm, 0, TAG);
    assert_int_equal(place.pattern, 4);
    assert_int_equal(place.iteration, 11);
    expect(0, TAG, 0);
}

/* The runtime's own messages have no places; nobody is no source. */
static void counts_only_the_programs(void **state)
{
    (void)state;
    ft_notice_taken(&self, &comm, MPI_PROC_NULL, TAG, 1);
    ft_notice_taken(&self, &comm, RANKS, TAG, 1);
    comm.id = FT_LANES_ID;
    ft_notice_taken(&self, &comm, 0, TAG, 1);
    assert_null(spbc.said);
}

static void new_epoch_begins_anew(void **state)
{
    (void)state;
    tell(0, TAG, 1, 5);
    ft_notices_hear(&self);
    ft_notices_forget(&self);
    assert_int_equal(spbc.hearing, 0);
    expect(0, TAG, 0);
    spbc.identified = 0;
    ft_notices_begin(&self, &listener);
    assert_int_equal(spbc.hearing, 0);
}

/* Message `number` to rank 0 was logged in an iteration of pattern 1; 0: outside. */
static void log_message(uint64_t number, uint32_t iteration)
{
    struct ft_pattern_place place[2] = {{0, 0}, {1, iteration}};
    struct ft_patterns patterns = {.place = place, .depth = iteration != 0};

    self.patterns = &patterns;
    entry.number = number;
    ft_stream_placed(&self, &comm, 0);
    self.patterns = NULL;
}

static void remembers_places(void **state)
{
    (void)state;
    assert_int_equal(ft_stream_place(&stream, 1).pattern, 0);
    log_message(1, 0);
    assert_null(stream.places); /* a stream outside of patterns costs nothing */
    for (uint64_t number = 2; number < 200; number++)
        log_message(number, 1 + (uint32_t)number / 3);
    log_message(200, 0);
    assert_int_equal(ft_stream_place(&stream, 1).pattern, 0);
    for (uint64_t number = 2; number < 200; number++) {
        assert_int_equal(ft_stream_place(&stream, number).pattern, 1);
        assert_int_equal(ft_stream_place(&stream, number).iteration, 1 + number / 3);
    }
    assert_int_equal(ft_stream_place(&stream, 200).pattern, 0);
    assert_int_equal(ft_stream_place(&stream, 300).pattern, 0);
    assert_int_equal(queue.tail, 0); /* nobody listens */
}

/* Places that the receiver has for good are forgotten, and the others stay right. */
static void forgets_safe_places(void **state)
{
    (void)state;
    for (uint64_t number = 1; number <= 10000; number++) {
        log_message(number, (uint32_t)number);
        stream.safe.prefix = number > 3 ? number - 3 : 0;
        for (uint64_t left = stream.safe.prefix + 1; left <= number; left++)
            assert_int_equal(ft_stream_place(&stream, left).iteration, left);
    }
    assert_true(stream.places->room <= 16);
}

/* A live send tells its place behind it, unless the receiver has the message, or older ones wait.
 */
static void live_sends_are_told(void **state)
{
    (void)state;
    queue.sender = 2;
    peers[0].hears = 1;
    log_message(1, 4);
    assert_int_equal(queue.tail, 1);
    ft_numbers_set(&stream.have, 2, NULL, 0);
    log_message(2, 4);
    assert_int_equal(queue.tail, 1);
    peers[0].again = &entry;
    log_message(3, 5);
    assert_int_equal(queue.tail, 1);
    peers[0].again = NULL;
    log_message(4, 5);
    assert_int_equal(queue.tail, 2);
    ft_notices_hear(&self);
    expect(0, TAG, 4);
    ft_notice_taken(&self, &comm, 0, TAG, 1);
    expect(0, TAG, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hears_in_order),
        TEST(takes_before_it_hears),
        TEST(forgets_what_is_taken),
        TEST(forgets_kinds),
        TEST(grows),
        TEST(waits_for_what_a_drain_took),
        TEST(counts_only_the_programs),
        TEST(new_epoch_begins_anew),
        TEST(remembers_places),
        TEST(forgets_safe_places),
        TEST(live_sends_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
