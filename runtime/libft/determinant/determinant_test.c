/* A first life records; a second one, begun from a copy of the state, gets the same outcomes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "determinant/determinant_stub.h"

enum { SITE = 0x401000 };

/* The image of the state: without the ring and without the recorder's counts. */
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

static void test_polls(void **state)
{
    struct ft_determinants image;
    int flag = -1;

    (void)state;
    assert_int_equal(ft_determinant_poll(&rank, &flag), 0);
    ft_determinant_poll_note(&rank, 0);
    image = image_take();
    for (int i = 0; i < 1000; i++)
        ft_determinant_poll_note(&rank, 0);
    ft_determinant_poll_note(&rank, 1);
    ft_determinant_poll_note(&rank, 0);
    assert_int_equal(recorder.determinants, 4); /* runs of nothing are one entry each */
    image_put(image);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
        assert_int_equal(flag, 0);
    }
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(flag, 1);
    assert_true(ft_determinants_replay(spbc.determinants));
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(flag, 0);
    assert_false(ft_determinants_replay(spbc.determinants));
    assert_int_equal(ft_determinant_poll(&rank, &flag), 0);
    ft_determinant_poll_note(&rank, 0);
    assert_int_equal(recorder.determinants, 5); /* the new life counts in an entry of its own */
}

static void test_probes_choices_values(void **state)
{
    struct ft_determinants image = image_take();
    int flag, source, tag, count, index[4];
    double seconds = 1.25;
    char bytes[20] = "nineteen characters";

    (void)state;
    ft_determinant_probe_note(&rank, 1, 7, 99);
    ft_determinant_choice_note(&rank, 3, (int[]){4, 1, 9});
    ft_determinant_choice_note(&rank, 0, NULL);
    ft_determinant_value_note(&rank, FT_VALUE_TIMES, &seconds, sizeof seconds);
    ft_determinant_value_note(&rank, FT_VALUE_RANDOM, bytes, sizeof bytes);
    image_put(image);
    seconds = 0;
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(ft_determinant_probe(&rank, &flag, &source, &tag), 1);
    assert_int_equal(flag, 1);
    assert_int_equal(source, 7);
    assert_int_equal(tag, 99);
    assert_int_equal(ft_determinant_choice(&rank, &count, index, 4), 1);
    assert_int_equal(count, 3);
    assert_int_equal(index[0] * 100 + index[1] * 10 + index[2], 419);
    assert_int_equal(ft_determinant_choice(&rank, &count, index, 4), 1);
    assert_int_equal(count, 0);
    assert_int_equal(ft_determinant_value(&rank, FT_VALUE_TIMES, &seconds, sizeof seconds), 1);
    assert_float_equal(seconds, 1.25, 0);
    assert_int_equal(ft_determinant_value(&rank, FT_VALUE_RANDOM, bytes, sizeof bytes), 1);
    assert_string_equal(bytes, "nineteen characters");
    assert_int_equal(ft_determinant_value(&rank, FT_VALUE_TIMES, &seconds, sizeof seconds), 0);
}

/* Receives complete in another order than they were posted, between outcomes of other kinds; the
 * second of three never completed. */
static void test_receives(void **state)
{
    struct ft_determinants image = image_take();
    uint32_t number[3], again;
    int source = -2, tag = -1, flag;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(ft_determinant_receive(&rank, &number[i], &source, &tag), FT_POST_UNKNOWN);
    ft_determinant_receive_note(&rank, SITE, number[2], 5, 50);
    ft_determinant_poll_note(&rank, 1);
    ft_determinant_receive_note(&rank, SITE, number[0], 6, 60);
    image_put(image);
    assert_int_equal(ft_determinant_receive(&rank, &again, &source, &tag), FT_POST_NAMED);
    assert_int_equal(again, number[0]);
    assert_int_equal(source, 6);
    assert_int_equal(tag, 60);
    assert_int_equal(ft_determinant_receive(&rank, &again, &source, &tag), FT_POST_UNKNOWN);
    assert_int_equal(ft_determinant_receive(&rank, &again, &source, &tag), FT_POST_NAMED);
    assert_int_equal(source, 5);
    assert_true(ft_determinants_replay(spbc.determinants)); /* the poll is still to come */
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_false(ft_determinants_replay(spbc.determinants));
    assert_int_equal(ft_determinant_receive(&rank, &again, &source, &tag), FT_POST_UNKNOWN);
}

/* 0 is the number of receives that have none. */
static void test_numbers_come_again(void **state)
{
    uint32_t number;
    int source, tag;

    (void)state;
    spbc.determinants->posted = UINT32_MAX;
    assert_int_equal(ft_determinant_receive(&rank, &number, &source, &tag), FT_POST_UNKNOWN);
    assert_int_equal(number, 1);
    spbc.determinants->posted = UINT32_MAX;
    assert_int_equal(ft_determinant_receive_new(&rank), 1);
    assert_int_equal(ft_determinant_receive_new(&rank), 2);
}

/* A checkpoint in the middle of giving again, and a death behind it. */
static void test_image_while_given_again(void **state)
{
    struct ft_determinants image = image_take(), second;
    int flag, source, tag;
    uint32_t number;

    (void)state;
    ft_determinant_receive(&rank, &number, &source, &tag);
    ft_determinant_poll_note(&rank, 0);
    ft_determinant_poll_note(&rank, 0);
    ft_determinant_poll_note(&rank, 1);
    ft_determinant_receive_note(&rank, SITE, number, 3, 30);
    image_put(image);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    second = image_take();
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    image_put(second);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(flag, 0);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(flag, 1);
    assert_int_equal(ft_determinant_receive(&rank, &number, &source, &tag), FT_POST_NAMED);
    assert_int_equal(source, 3);
    assert_false(ft_determinants_replay(spbc.determinants));
}

static void ask_for_another(void)
{
    int count, index[1];

    ft_determinant_choice(&rank, &count, index, 1);
}

static void fill(void)
{
    for (int i = 0; i <= CAPACITY; i++)
        ft_determinant_poll_note(&rank, 1);
}

static void test_ends(void **state)
{
    struct ft_determinants image = image_take();

    (void)state;
    assert_int_equal(end_of(fill), 128 + SIGABRT);
    ft_determinant_poll_note(&rank, 1);
    image_put(image);
    assert_int_equal(end_of(ask_for_another), DIFFERS);
}

/* The ring goes round when ftrun says what is needed no more. */
static void test_ring(void **state)
{
    struct ft_determinants image;
    int flag;

    (void)state;
    for (int i = 0; i < 10 * CAPACITY; i++) {
        ft_determinant_poll_note(&rank, 1);
        recorder.determinants_kept = recorder.determinants;
    }
    image = image_take();
    ft_determinant_probe_note(&rank, 1, 2, 3);
    image_put(image);
    int source, tag;
    assert_int_equal(ft_determinant_probe(&rank, &flag, &source, &tag), 1);
    assert_int_equal(source, 2);
}

/* A checkpoint is asked for when four fifths are used, and not before. */
static void test_room(void **state)
{
    (void)state;
    asked = 0;
    for (int i = 0; i < CAPACITY * 3 / 4; i++)
        ft_determinant_poll_note(&rank, 1);
    assert_int_equal(asked, 0);
    for (int i = CAPACITY * 3 / 4; i < CAPACITY; i++)
        ft_determinant_poll_note(&rank, 1);
    assert_true(asked > 0);
}

/* A life that began with main has died: another one begins with main, and gets all again. So does a
 * receive that was pending in an image. */
static void test_from_main(void **state)
{
    struct ft_determinants image;
    uint32_t number;
    int flag, source, tag;

    (void)state;
    ft_determinant_poll_note(&rank, 1);
    free(spbc.determinants);
    ft_determinants_start(&rank, ring, CAPACITY);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(ft_determinant_receive(&rank, &number, &source, &tag), FT_POST_UNKNOWN);
    image = image_take();
    ft_determinant_receive_note(&rank, SITE, number, 4, 40);
    image_put(image);
    assert_int_equal(ft_determinant_receive_again(&rank, number, &source, &tag), FT_POST_NAMED);
    assert_int_equal(source, 4);
    assert_false(ft_determinants_replay(spbc.determinants));
}

/* A receive was cancelled; another one ends for the first time while a poll is still to come. */
static void test_cancelled(void **state)
{
    struct ft_determinants image = image_take();
    uint32_t number[2], again[2];
    int flag, source, tag;

    (void)state;
    for (int i = 0; i < 2; i++)
        ft_determinant_receive(&rank, &number[i], &source, &tag);
    ft_determinant_cancel_note(&rank, SITE, number[0]);
    ft_determinant_poll_note(&rank, 1);
    image_put(image);
    assert_int_equal(ft_determinant_receive(&rank, &again[0], &source, &tag), FT_POST_NEVER);
    assert_int_equal(ft_determinant_receive(&rank, &again[1], &source, &tag), FT_POST_UNKNOWN);
    ft_determinant_receive_note(&rank, SITE, again[1], 7, 70);
    assert_int_equal(ft_determinant_poll(&rank, &flag), 1);
    assert_int_equal(flag, 1);
    assert_false(ft_determinants_replay(spbc.determinants));
    image_put(image);
    ft_determinant_receive(&rank, &again[0], &source, &tag);
    assert_int_equal(ft_determinant_receive(&rank, &again[1], &source, &tag), FT_POST_NAMED);
    assert_int_equal(source, 7);
}

/* Half of a choice is none. */
static void test_choice_is_whole(void **state)
{
    struct ft_determinants image = image_take();
    int index[3] = {4, 2, 7}, count;

    (void)state;
    ft_determinant_choice_note(&rank, 3, index);
    assert_int_equal(recorder.determinants, 3);
    image_put(image);
    memset(index, 0, sizeof index);
    assert_int_equal(ft_determinant_choice(&rank, &count, index, 3), 1);
    assert_int_equal(count, 3);
    assert_int_equal(index[2], 7);
    assert_false(ft_determinants_replay(spbc.determinants));
}

static uint64_t count_of(uint64_t address)
{
    for (int i = 0; i < FT_RECORDER_SITES; i++) {
        if (recorder.sites[i].address == address)
            return recorder.sites[i].count;
    }
    return 0;
}

/* A receive belongs to the call that posted it, what is read outside calls to none of them. */
static void test_sites(void **state)
{
    (void)state;
    recorder.where = FT_WHERE_CALL;
    recorder.site = SITE + 16;
    ft_determinant_poll_note(&rank, 0);
    ft_determinant_poll_note(&rank, 0); /* counts the last entry up */
    ft_determinant_poll_note(&rank, 1);
    ft_determinant_receive_note(&rank, SITE, 1, 5, 50);
    recorder.where = FT_WHERE_USER;
    ft_determinant_value_note(&rank, FT_VALUE_RANDOM, "1", 1);
    assert_int_equal(count_of(SITE + 16), 2);
    assert_int_equal(count_of(SITE), 1);
    assert_int_equal(count_of(FT_RECORDER_LIBC), recorder.determinants - 3);
    recorder.where = FT_WHERE_CALL;
    for (uint64_t i = 1; i <= 2 * FT_RECORDER_SITES; i++) {
        recorder.site = SITE + 16 * i;
        recorder.determinants_kept = recorder.determinants;
        ft_determinant_poll_note(&rank, 1);
    }
    assert_true(recorder.sites_beyond >= FT_RECORDER_SITES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sites, setup, teardown),
        cmocka_unit_test_setup_teardown(test_polls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_probes_choices_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_receives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbers_come_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_image_while_given_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(test_room, setup, teardown),
        cmocka_unit_test_setup_teardown(test_from_main, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancelled, setup, teardown),
        cmocka_unit_test_setup_teardown(test_choice_is_whole, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
