/* The resent messages of a rank that has rolled back, compared with those that it sent before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "determinant/determinant.h"
#include "stream/contents.h"
#include "stream/streams.h"

enum { CAPACITY = 128, SITE = 7 };

struct ft_life ft_life;

static struct ft_recorder recorder;
static struct ft_determinants determinants;
static struct ft_trail trail;
static struct ft_streams streams;
static struct ft_spbc spbc;
static struct ft_rank self;
static struct ft_content ring[CAPACITY];
static struct ft_contents image; /* of the checkpoint */
static struct ft_stream stream[2];
static jmp_buf ended;
static char said[1024];
static int asked;

void ft_panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

void ft_disbelieve(const struct ft_rank *rank, const char *what)
{
    (void)rank;
    snprintf(said, sizeof said, "%s", what);
    longjmp(ended, 1);
}

void ft_trust_belief(uint32_t site, char *text, size_t size)
{
    snprintf(text, size, "site %u", site);
}

int ft_wire_send(int fd, enum ft_wire_type type, const void *payload, size_t size, const void *tail,
                 size_t tail_size, int passed)
{
    (void)fd, (void)type, (void)payload, (void)size, (void)tail, (void)tail_size, (void)passed;
    asked++;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    recorder = (struct ft_recorder){0};
    trail = (struct ft_trail){0};
    memset(stream, 0, sizeof stream);
    for (int i = 0; i < 2; i++) {
        stream[i].key.comm = 77;
        stream[i].key.world = 1 + i;
        stream[i].key.tag = 5;
    }
    streams = (struct ft_streams){0};
    DL_APPEND(streams.out.first, &stream[0]);
    spbc = (struct ft_spbc){.noted = FT_NOTED_PLACE,
                            .determinants = &determinants,
                            .trail = &trail,
                            .streams = &streams};
    self = (struct ft_rank){.spbc = &spbc, .recorder = &recorder};
    ft_life.boot.believed = 0;
    asked = 0;
    said[0] = 0;
    ft_contents_start(&self, ring, CAPACITY);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(spbc.contents);
    return 0;
}

/* A message of the rank's; known: its receiver has it. */
static void send(int i, uint64_t data, int known)
{
    uint64_t key = ft_contents_key(77, stream[i].key.world, 5), hash = ft_contents_hash(&data, 8);

    ft_contents_note(&self, key, hash);
    ft_contents_check(&self, &stream[i], key, hash, known);
}

static void checkpoint(void)
{
    ft_contents_close(&self);
    image = *spbc.contents;
}

static void go_back(void)
{
    *spbc.contents = image;
    ft_contents_restore(&self);
}

static int ends(int i, uint64_t data, int known)
{
    if (setjmp(ended))
        return 1;
    send(i, data, known);
    return 0;
}

static void the_same_again(void **state)
{
    (void)state;
    checkpoint();
    ft_contents_believe(&self, SITE);
    send(0, 1, 0);
    send(1, 2, 0);
    send(0, 3, 0);
    go_back();
    send(1, 2, 1); /* the order over streams is open */
    send(0, 1, 1);
    send(0, 3, 0);
    assert_null(spbc.contents->owed);
    assert_int_equal(recorder.contents, 3);
    send(0, 4, 0); /* and on */
    assert_int_equal(recorder.contents, 4);
    go_back(); /* twice */
    assert_int_equal(ends(0, 1, 1) || ends(0, 3, 1) || ends(0, 4, 1) || ends(1, 2, 1), 0);
}

static void other_data_end_the_run(void **state)
{
    (void)state;
    checkpoint();
    send(0, 1, 0);
    ft_contents_believe(&self, SITE);
    send(0, 2, 0);
    go_back();
    assert_false(ends(0, 9, 1)); /* before anything was believed: noise */
    assert_true(ends(0, 9, 1));
    assert_non_null(strstr(said, "the message to rank 1 (tag 5) has other data"));
    assert_non_null(strstr(said, "site 7"));
}

/* A message that nobody has may differ, and the later ones, too. */
static void what_nobody_has_may_differ(void **state)
{
    (void)state;
    checkpoint();
    ft_contents_believe(&self, SITE);
    send(0, 1, 0);
    go_back();
    assert_false(ends(0, 9, 0));
    go_back();
    assert_false(ends(0, 9, 1));
    go_back();
    ft_contents_believe(&self, SITE);
    assert_true(ends(0, 1, 1));
}

static void beliefs_of_others_count(void **state)
{
    (void)state;
    checkpoint();
    send(0, 1, 0);
    go_back();
    ft_life.boot.believed = 8;
    assert_true(ends(0, 9, 1));
    assert_non_null(strstr(said, "site 8"));
}

static void lost_entries_end_the_run(void **state)
{
    (void)state;
    checkpoint();
    ft_contents_believe(&self, SITE);
    send(1, 1, 0);
    for (uint64_t i = 0; i < CAPACITY; i++)
        send(0, i, 0);
    assert_int_not_equal(asked, 0);
    go_back();
    ft_contents_believe(&self, SITE);
    assert_true(ends(1, 1, 1));
    assert_non_null(strstr(said, "take checkpoints more often"));
    for (uint64_t i = 0; i < CAPACITY; i++)
        assert_false(ends(0, i, 1));
}

static void refused_sends_do_not_count(void **state)
{
    uint64_t key = ft_contents_key(77, 1, 5);

    (void)state;
    checkpoint();
    ft_contents_believe(&self, SITE);
    ft_contents_note(&self, key, 1);
    ft_contents_withdraw(&self, key);
    send(0, 2, 0);
    go_back();
    ft_contents_note(&self, key, 1);
    ft_contents_withdraw(&self, key);
    assert_false(ends(0, 2, 1));
    assert_int_equal(recorder.contents, 1);
}

static int settles(void)
{
    if (setjmp(ended))
        return 0;
    ft_contents_settle(&self);
    return 1;
}

static void what_is_not_sent_again_ends_the_run(void **state)
{
    (void)state;
    stream[0].known = 2;
    stream[0].last = 1;
    assert_true(settles()); /* nothing is believed */
    ft_contents_believe(&self, SITE);
    trail.end = 1;
    assert_true(settles()); /* the rank is not where it was */
    trail.at = 1;
    assert_false(settles());
    assert_non_null(strstr(said, "is not resent"));
    stream[0].last = 2;
    assert_true(settles());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_again, setup, teardown),
        cmocka_unit_test_setup_teardown(other_data_end_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nobody_has_may_differ, setup, teardown),
        cmocka_unit_test_setup_teardown(beliefs_of_others_count, setup, teardown),
        cmocka_unit_test_setup_teardown(lost_entries_end_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_sends_do_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_sent_again_ends_the_run, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
