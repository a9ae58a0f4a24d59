/* Readings of clocks: recorded in rows, and given again as the program was told them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "determinant/determinant_stub.h"
#include "determinant/trail.h"
#include "determinant/reading.h"

enum { MANY = 20000, LARGE = 1 << 12 };

static int64_t told[MANY];
static struct ft_determinant large[LARGE];

static struct ft_determinants image_take(void)
{
    ft_determinants_close(&rank);
    return *spbc.determinants;
}

static void image_put(struct ft_determinants image)
{
    *spbc.determinants = image;
    ft_determinants_restore(&rank);
}

static int64_t again(enum ft_clock clock)
{
    int64_t moment = -1;

    return ft_reading_again(&rank, clock, &moment) ? moment : -1;
}

static void ring_large(void)
{
    free(spbc.determinants);
    ft_determinants_start(&rank, large, LARGE);
}

/* A loop that reads a clock: steps of 25 to 40 ns, and now and then the processor is somewhere
 * else. */
static int64_t loop_read(int64_t live, int i)
{
    live += 25 + i * 7 % 16 + (i % 3000 == 2999) * 200000;
    told[i] = ft_reading_note(&rank, CLOCK_MONOTONIC, live);
    assert_true(told[i] <= live && told[i] >= live - 1000);
    assert_true(i == 0 || told[i] >= told[i - 1]);
    return live;
}

static void test_loop(void **state)
{
    struct ft_determinants image;
    int64_t live = 5000000000000;

    (void)state;
    ring_large();
    image = image_take();
    for (int i = 0; i < MANY; i++)
        live = loop_read(live, i);
    assert_true(recorder.determinants < MANY / 100);
    image_put(image);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(again(CLOCK_MONOTONIC), told[i]);
    assert_false(ft_determinants_replay(spbc.determinants));
    assert_int_equal(again(CLOCK_MONOTONIC), -1);
}

/* A reading of one call is not given again at the next: a row ends with its call, also where
 * nothing but a receive from anybody stands between the two. */
static void test_calls(void **state)
{
    struct ft_determinants image = image_take();
    int64_t live = 1000;

    (void)state;
    for (int i = 0; i < 10; i++) {
        recorder.call = (uint32_t)i / 5;
        told[i] = ft_reading_note(&rank, FT_CLOCK_DAY, live += 30);
        ft_determinant_receive_note(&rank, 1, (uint32_t)i + 1, 0, 0);
    }
    image_put(image);
    for (int i = 0; i < 10; i++) {
        recorder.call = (uint32_t)i / 5;
        assert_int_equal(again(FT_CLOCK_DAY), told[i]);
    }
    assert_int_equal(spbc.determinants->owed, 0);
}

/* Clocks in turn, and polls between them, are a row each. */
static void test_turns(void **state)
{
    struct ft_determinants image = image_take();
    int64_t live = 1000;
    int flag;

    (void)state;
    for (int i = 0; i < 300; i += 3) {
        told[i] = ft_reading_note(&rank, CLOCK_MONOTONIC, live += 50);
        told[i + 1] = ft_reading_note(&rank, FT_CLOCK_WTIME, live += 50);
        ft_determinant_poll_note(&rank, 0);
    }
    assert_true(recorder.determinants < 20);
    image_put(image);
    for (int i = 0; i < 300; i += 3) {
        assert_int_equal(again(CLOCK_MONOTONIC), told[i]);
        assert_int_equal(again(FT_CLOCK_WTIME), told[i + 1]);
        assert_true(spbc.determinants->owed > 0);
        assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
        assert_int_equal(flag, 0);
    }
    assert_int_equal(spbc.determinants->owed, 0);
}

/* A checkpoint in the middle of giving again, and deaths behind it; nothing of it was needed no
 * more. */
static void test_image_while_given_again(void **state)
{
    struct ft_determinants image = image_take();
    int64_t live = 77;
    int flag;

    (void)state;
    for (int i = 0; i < 100; i++)
        told[i] = ft_reading_note(&rank, CLOCK_MONOTONIC, live += 20);
    ft_determinant_poll_note(&rank, 1);
    image_put(image);
    for (int i = 0; i < 60; i++)
        assert_int_equal(again(CLOCK_MONOTONIC), told[i]);
    assert_true(ft_determinants_position(&rank) < recorder.determinants);
    image = image_take();
    recorder.determinants_kept = ft_determinants_position(&rank);
    for (int life = 0; life < 2; life++) {
        image_put(image);
        for (int i = 60; i < 100; i++)
            assert_int_equal(again(CLOCK_MONOTONIC), told[i]);
        assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
        assert_int_equal(ft_determinants_position(&rank), recorder.determinants);
    }
    told[0] = ft_reading_note(&rank, CLOCK_MONOTONIC, live += 20);
    image_put(image);
    for (int i = 60; i < 100; i++)
        assert_int_equal(again(CLOCK_MONOTONIC), told[i]);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(again(CLOCK_MONOTONIC), told[0]);
}

/* A clock that is not steady: back, far forward, and over the range of an entry. */
static void test_jumps(void **state)
{
    static const int64_t moments[] = {5, 100, 90, 5000000000, 5000000001, -7, 1LL << 60, 0, 1};
    enum { COUNT = sizeof moments / sizeof *moments };
    struct ft_determinants image = image_take();

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        told[i] = ft_reading_note(&rank, CLOCK_REALTIME, moments[i]);
        assert_true(told[i] <= moments[i] && told[i] >= moments[i] - 1000);
    }
    image_put(image);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(again(CLOCK_REALTIME), told[i]);
    assert_int_equal(spbc.determinants->owed, 0);
}

/* The processor's time begins anew in a new process, and goes on for the program. */
static void test_ahead(void **state)
{
    (void)state;
    assert_int_equal(ft_reading_note(&rank, CLOCK_THREAD_CPUTIME_ID, 90000000), 90000000);
    assert_int_equal(ft_reading_note(&rank, CLOCK_THREAD_CPUTIME_ID, 1000000), 90000000);
    assert_int_equal(ft_reading_note(&rank, CLOCK_THREAD_CPUTIME_ID, 3000000), 92000000);
}

/* Clocks alone never fill the ring, in whatever calls they are read: they lose precision, and
 * checkpoints are asked for. All is given again. */
static void test_full(void **state)
{
    static const enum ft_clock clocks[] = {CLOCK_MONOTONIC, FT_CLOCK_WTIME};
    struct ft_determinants image;
    int64_t live = 0;

    (void)state;
    ring_large();
    image = image_take();
    asked = 0;
    for (int i = 0; i < MANY; i++) {
        recorder.call = (uint32_t)i % 5;
        told[i] = ft_reading_note(&rank, clocks[i % 2], live += 5000 + i % 7 * 300);
        assert_true(told[i] <= live && told[i] > live - 66000000);
    }
    assert_true(recorder.determinants < LARGE * 9 / 10);
    assert_true(asked > 3 && asked <= 16);
    image_put(image);
    for (int i = 0; i < MANY; i++) {
        recorder.call = (uint32_t)i % 5;
        assert_int_equal(again(clocks[i % 2]), told[i]);
    }
    assert_int_equal(spbc.determinants->owed, 0);
    recorder.determinants_kept = recorder.determinants;
    live += 5000;
    ft_reading_note(&rank, CLOCK_MONOTONIC, live);
    assert_int_equal(spbc.determinants->tolerance, 1000);
}

static void read_once_more(void)
{
    again(FT_CLOCK_DAY);
}

static void note_once_more(void)
{
    ft_reading_note(&rank, FT_CLOCK_DAY, 5);
}

static void read_elsewhere(void)
{
    recorder.call++;
    again(CLOCK_MONOTONIC);
}

/* Another clock, or the same in another call, ends the run, but where the order is open. */
static void test_differs(void **state)
{
    struct ft_determinants image = image_take();

    (void)state;
    ft_reading_note(&rank, CLOCK_MONOTONIC, 5);
    image_put(image);
    assert_int_equal(end_of(read_once_more), DIFFERS);
    assert_int_equal(end_of(note_once_more), DIFFERS);
    assert_int_equal(end_of(read_elsewhere), DIFFERS);
    spbc.trail->flags |= FT_TRAIL_LOOSE;
    assert_int_equal(again(FT_CLOCK_DAY), -1);
    assert_int_equal(ft_reading_note(&rank, FT_CLOCK_DAY, 6), 6);
    assert_int_equal(again(CLOCK_MONOTONIC), 5);
    assert_int_equal(spbc.determinants->owed, 0);
    image_put(image);
    assert_int_equal(again(FT_CLOCK_DAY), 6);
    assert_int_equal(again(CLOCK_MONOTONIC), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_image_while_given_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_jumps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_differs, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
