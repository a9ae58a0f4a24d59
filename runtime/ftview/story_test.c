/* story_test: spans, deaths and sentences of runs written by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "ftview/picture.h"

static char path[] = "/tmp/story_test.XXXXXX", why[512];
static struct ft_story story;

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return remove(path);
}

static int read_text(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return ft_story_read(path, &story, why, sizeof(why));
}

/* "work 1-2.5 checkpoint 2.5-3 ..." of a rank. */
static void expect_row(int rank, const char *expected)
{
    static const char *const names[] = {"start", "work", "lost", "checkpoint", "recovery"};
    char text[1024] = "";

    for (size_t i = 0; i < story.rows[rank].count; i++) {
        const struct ft_span *span = &story.rows[rank].spans[i];

        if (span->to > span->from)
            sprintf(text + strlen(text), "%s%s %g-%g", *text ? " " : "", names[span->kind],
                    span->from, span->to);
    }
    assert_string_equal(text, expected);
}

#define START                                                                                      \
    "{\"t\": 0, \"event\": \"job\", \"ranks\": 2, \"clusters\": [0, 1]}\n"                         \
    "{\"t\": 0, \"event\": \"start\", \"rank\": 0}\n{\"t\": 0, \"event\": \"start\", \"rank\": "   \
    "1}\n"                                                                                         \
    "{\"t\": 1, \"event\": \"epoch\", \"epoch\": 0}\n"

static void a_death_loses_what_is_behind_the_checkpoint(void **state)
{
    char text[FT_SENTENCE];

    (void)state;
    assert_int_equal(
        read_text(START "{\"t\": 3, \"event\": \"checkpoint-commit\", \"checkpoint\": 0, "
                        "\"ranks\": 2, \"cluster\": 0, "
                        "\"pause\": 0.5, \"write\": 1, \"bytes\": 7}\n"
                        "{\"t\": 5, \"event\": \"death\", \"rank\": 1, \"signal\": 9}\n"
                        "{\"t\": 5.5, \"event\": \"rollback\", \"rank\": 0, \"checkpoint\": 0}\n"
                        "{\"t\": 5.5, \"event\": \"rollback\", \"rank\": 1, \"checkpoint\": 0}\n"
                        "{\"t\": 6, \"event\": \"resume\", \"rank\": 0}\n{\"t\": 6, \"event\": "
                        "\"resume\", \"rank\": 1}\n"
                        "{\"t\": 6, \"event\": \"epoch\", \"epoch\": 1}\n"
                        "{\"t\": 9, \"event\": \"end\", \"code\": 0}\n"),
        0);
    expect_row(0, "start 0-1 work 1-2 checkpoint 2-2.5 lost 2.5-5 recovery 5-6 work 6-9");
    expect_row(1, "start 0-1 work 1-2 checkpoint 2-2.5 lost 2.5-5 recovery 5-6 work 6-9");
    assert_int_equal(story.death_count, 1);
    assert_string_equal(ft_picture_sentence(&story, &story.deaths[0], text),
                        "5.00 s: rank 1 died (SIGKILL); all ranks rolled back to checkpoint 0, "
                        "5.00 rank-seconds of work "
                        "were lost; all were back after 1.00 s");
    assert_true(fabs(story.total[FT_SPAN_LOST] - 5) < 1e-9 && story.code == 0 &&
                story.commits[0].bytes == 7);
    ft_story_free(&story);
}

static void survivors_are_held_and_lose_nothing(void **state)
{
    char text[FT_SENTENCE];

    (void)state;
    assert_int_equal(
        read_text(START "{\"t\": 3, \"event\": \"checkpoint-commit\", \"checkpoint\": 4, "
                        "\"ranks\": 1, \"cluster\": 1, "
                        "\"pause\": 0.5, \"write\": 1, \"bytes\": 7}\n"
                        "{\"t\": 5, \"event\": \"death\", \"rank\": 1, \"code\": 3}\n"
                        "{\"t\": 5, \"event\": \"leave\", \"fallen\": 1}\n"
                        "{\"t\": 5.5, \"event\": \"rollback\", \"rank\": 1, \"checkpoint\": 4}\n"
                        "{\"t\": 6, \"event\": \"resume\", \"rank\": 0}\n{\"t\": 7, \"event\": "
                        "\"resume\", \"rank\": 1}\n"
                        "{\"t\": 7, \"event\": \"epoch\", \"epoch\": 1}\n"),
        0);
    expect_row(0, "start 0-1 work 1-5 recovery 5-6 work 6-7");
    expect_row(1, "start 0-1 work 1-2 checkpoint 2-2.5 lost 2.5-5 recovery 5-7");
    assert_non_null(strstr(
        ft_picture_sentence(&story, &story.deaths[0], text),
        "rank 1 died (exit code 3); 1 of 2 ranks rolled back to checkpoint 4, 2.50 rank-seconds"));
    assert_int_equal(story.code, -1);
    ft_story_free(&story);
}

static void without_a_checkpoint_all_is_lost(void **state)
{
    (void)state;
    assert_int_equal(
        read_text(START "{\"t\": 2, \"event\": \"death\", \"rank\": 0, \"signal\": 11}\n"
                        "{\"t\": 2, \"event\": \"rollback\", \"rank\": 0, \"checkpoint\": -1}\n"
                        "{\"t\": 2, \"event\": \"rollback\", \"rank\": 1, \"checkpoint\": -1}\n"),
        0);
    expect_row(0, "start 0-1 lost 1-2");
    expect_row(1, "start 0-1 lost 1-2");
    ft_story_free(&story);
}

static void other_files_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "x\n",
                                      "{}\n",
                                      "{\"event\": \"start\"}\n",
                                      "[1]\n",
                                      "{\"t\": 1, \"event\": 2}\n",
                                      "{\"t\": 1, \"event\": \"end\", \"code\": 0}\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        why[0] = 0;
        assert_int_equal(read_text(bad[i]), -1);
        assert_true(why[0]);
        ft_story_free(&story);
    }
    assert_int_equal(ft_story_read("/none/events", &story, why, sizeof(why)), -1);
    ft_story_free(&story);
}

/* Events in any order, with any numbers, do no harm, and pages and traces can be written of them.
 */
static void noise_does_no_harm(void **state)
{
    static const char *const kinds[] = {"job",   "start",    "epoch", "checkpoint-commit",
                                        "death", "rollback", "leave", "resume"};
    FILE *sink = fopen("/dev/null", "w");
    unsigned seed = 1;

    (void)state;
    for (int run = 0; run < 300; run++) {
        FILE *file = fopen(path, "w");

        for (int i = 0; i < 60; i++)
            fprintf(file,
                    "{\"t\": %d, \"event\": \"%s\", \"rank\": %d, \"checkpoint\": %d, \"ranks\": "
                    "%d, \"cluster\": %d, "
                    "\"pause\": %d, \"write\": %d, \"clusters\": [0, 1], \"signal\": %d}\n",
                    rand_r(&seed) % 20, kinds[(size_t)rand_r(&seed) % 8], rand_r(&seed) % 5 - 1,
                    rand_r(&seed) % 5 - 1, rand_r(&seed) % 4, rand_r(&seed) % 3,
                    rand_r(&seed) % 3 - 1, rand_r(&seed) % 5 - 1, rand_r(&seed) % 80 - 9);
        fclose(file);
        if (ft_story_read(path, &story, why, sizeof(why)) == 0)
            assert_true(ft_picture_page(sink, &story, "a<b>&\"") == 0 &&
                        ft_picture_trace(sink, &story) == 0);
        ft_story_free(&story);
    }
    fclose(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_loses_what_is_behind_the_checkpoint),
        cmocka_unit_test(survivors_are_held_and_lose_nothing),
        cmocka_unit_test(without_a_checkpoint_all_is_lost),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(noise_does_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
