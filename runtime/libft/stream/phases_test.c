/* phases_test: what is sent because of a message has a higher phase than that, a rank that repeats
 * gives its messages the phases that they had, and tells ftrun that of its next orphan (--protocol
 * hydee). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/alloc_stub.h"
#include "image/layout.h"
#include "stream/notices.h"
#include "stream/phases.h"
#include "stream/streams.h"

enum { CLUSTERS = 3 };

struct ft_life ft_life;

static union {
    struct ft_phases phases;
    char bytes[FT_PHASES_BYTES(CLUSTERS)];
} shared;
static int32_t clusters[CLUSTERS] = {0, 1, 2}; /* each rank is one */
static struct ft_recorder recorder;
static struct ft_stream stream;
static struct ft_spbc spbc;
static struct ft_rank self;
static int64_t told; /* the last PHASE */

void ft_panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

int ft_wire_send(int fd, uint32_t type, const void *payload, size_t size, const void *tail,
                 size_t tail_size, int passed)
{
    (void)fd, (void)size, (void)tail, (void)tail_size, (void)passed;
    assert_int_equal(type, FT_WIRE_PHASE);
    told = ((const struct ft_wire_number *)payload)->value;
    return 0;
}

void ft_notice_send(struct ft_rank *rank, const struct ft_comm *comm, int world, int tag,
                    struct ft_pattern_place place)
{
    (void)rank, (void)comm, (void)world, (void)tag, (void)place;
}

static int setup(void **state)
{
    (void)state;
    memset(&shared, 0, sizeof shared);
    recorder = (struct ft_recorder){0};
    spbc = (struct ft_spbc){.clusters = CLUSTERS, .mine = 0, .of = clusters};
    self = (struct ft_rank){.size = CLUSTERS, .spbc = &spbc, .recorder = &recorder};
    stream = (struct ft_stream){0};
    ft_life = (struct ft_life){.phases = &shared.phases};
    told = 0;
    return 0;
}

static uint32_t *phase(int cluster)
{
    return &((struct ft_phases_line *)(shared.bytes +
                                       offsetof(struct ft_phases, of_cluster)))[cluster]
                .value;
}

static void send(void)
{
    ft_phases_send(&self, &stream);
    stream.last++;
}

static void another_protocol_has_none(void **state)
{
    (void)state;
    ft_life.phases = NULL;
    ft_phases_start(&self);
    ft_phases_restore(&self);
    assert_null(spbc.phased);
    assert_null(ft_life.heed);
    assert_int_equal(ft_phases_wait(&stream, 1), 0);
}

static void receives_raise_the_phase_above_the_sender(void **state)
{
    (void)state;
    ft_phases_start(&self);
    *phase(1) = 4;
    ft_life.heed(&self, 1);
    assert_int_equal(*phase(0), 5);
    ft_life.heed(&self, 2); /* a lower one */
    assert_int_equal(*phase(0), 5);
    *phase(2) = FT_PHASES_MOST;
    ft_life.heed(&self, 2);
    assert_int_equal(*phase(0), FT_PHASES_MOST);
}

static void messages_wait_for_their_phase(void **state)
{
    (void)state;
    ft_phases_start(&self);
    send();
    *phase(0) = 3;
    send();
    assert_int_equal(ft_phases_wait(&stream, 1), 0);
    assert_int_equal(ft_phases_wait(&stream, 2), 1);
    shared.phases.allowed.value = 3;
    assert_int_equal(ft_phases_wait(&stream, 2), 0);
}

static void orphans_have_the_phases_that_they_had(void **state)
{
    struct ft_phased image;

    (void)state;
    spbc.phased = ft_image_alloc(sizeof image);
    *phase(0) = 1;
    send();
    image = *spbc.phased;
    *phase(0) = 2;
    send();
    *phase(0) = 7;
    send();
    *spbc.phased = image; /* the cluster rolls back; the words and the ring have not */
    stream.last = 1;
    stream.phases->count = 1;
    *phase(0) = 9;
    told = 0;
    ft_phases_restore(&self);
    assert_int_equal(told, 2);
    send();
    assert_int_equal(spbc.phased->phase, 2);
    assert_int_equal(told, 7);
    send();
    assert_int_equal(spbc.phased->phase, 7);
    assert_int_equal(told, FT_PHASES_ALL);
    send(); /* a new one */
    assert_int_equal(spbc.phased->phase, 9);
    assert_int_equal(recorder.phased, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* first: no process before it has told ftrun anything */
        cmocka_unit_test_setup(orphans_have_the_phases_that_they_had, setup),
        cmocka_unit_test_setup(another_protocol_has_none, setup),
        cmocka_unit_test_setup(receives_raise_the_phase_above_the_sender, setup),
        cmocka_unit_test_setup(messages_wait_for_their_phase, setup),
    };
    size_t bytes = FT_RECORDER_BYTES + FT_RECORDER_RINGS_BYTES;

    if (mmap((void *)FT_RECORDER_AT, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
