/* The command line of an attempt, and the reading of its results; without any process. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/folder.h"
#include "rehearse/attempt.h"

static char program[] = "./heat", quote[] = "it's", steps[] = "20";
static char *argv[] = {program, quote, steps, NULL};
static struct ft_options options;
static struct ft_attempts attempts;

void ft_attempt_file(const struct ft_attempts *all, const char *name, char path[FT_STORE_PATH])
{
    snprintf(path, FT_STORE_PATH, "%.64s/%s", all->folder, name);
}

static int setup(void **state)
{
    (void)state;
    options =
        (struct ft_options){.size = 2, .program = argv[0], .argv = argv, .keep = FT_OPTIONS_KEEP};
    attempts = (struct ft_attempts){.options = &options, .folder = "attempt-test-XXXXXX"};
    return mkdtemp(attempts.folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ft_folder_remove(attempts.folder);
    return 0;
}

static void write_bytes(const char *name, const char *text, size_t length)
{
    char path[FT_STORE_PATH];

    ft_attempt_file(&attempts, name, path);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static struct ft_text *printed(const char *out, const char *err)
{
    struct ft_text *text;

    write_file("out", out);
    write_file("err", err);
    assert_int_equal(ft_text_read(&attempts, &text), 0);
    return text;
}

static void expect_line(const struct ft_attempt_order *order, const char *expected)
{
    char *line = ft_attempt_line(&attempts, order);

    assert_string_equal(line, expected);
    free(line);
}

static void test_lines(void **state)
{
    struct ft_attempt_order order = {0};

    (void)state;
    expect_line(&order, "ftrun -n 2 ./heat 'it'\\''s' 20");
    options.clusters = "2";
    attempts.interval = 0.25;
    order.kill = "1@MPI_Send:3";
    expect_line(
        &order,
        "ftrun -n 2 --clusters 2 --trust none --checkpoint-interval 0.25 --kill 1@MPI_Send:3 "
        "./heat 'it'\\''s' 20");
    options.interval = 7;
    expect_line(&order,
                "ftrun -n 2 --clusters 2 --trust none --checkpoint-interval 7 --kill 1@MPI_Send:3 "
                "./heat 'it'\\''s' 20");
    order.adversary = 1;
    expect_line(&order,
                "ftrun -n 2 --clusters 2 --trust none --checkpoint-interval 30d --adversary --kill "
                "1@MPI_Send:3 ./heat 'it'\\''s' 20");
    order.trust = "secret";
    order.content = 1;
    expect_line(&order,
                "ftrun -n 2 --clusters 2 --check-content --trust FILE --checkpoint-interval "
                "30d --adversary --kill 1@MPI_Send:3 ./heat 'it'\\''s' 20");
    options.trust = FT_TRUSTING_SAID;
    options.rehearsed = "before.json";
    options.survival = "after.json";
    expect_line(&order, "ftrun -n 2 --clusters 2 --check-content --trust after.json "
                        "--checkpoint-interval 30d --adversary --kill 1@MPI_Send:3 ./heat "
                        "'it'\\''s' 20");
    order = (struct ft_attempt_order){0};
    expect_line(&order,
                "ftrun -n 2 --clusters 2 --trust before.json --checkpoint-interval 7 ./heat "
                "'it'\\''s' 20");
    order = (struct ft_attempt_order){.verify = "report"};
    expect_line(&order, "ftrun -n 2 --verify 3 ./heat 'it'\\''s' 20");
}

/* An attempt has the user's choices; but in the worst case no checkpoint is requested. */
static void test_choices(void **state)
{
    static const struct ft_protocol spbc = {.name = "spbc", .kind = FT_PROTOCOL_SPBC};
    struct ft_attempt_order order = {.kill = "1@hook:3"};

    (void)state;
    options.named = &spbc;
    options.protocol = FT_PROTOCOL_SPBC;
    options.cwd = "/tmp";
    options.prepend = options.hold = options.content = 1;
    options.variables = 1;
    options.name[0] = "A";
    options.value[0] = "b c";
    options.log_limit = 1073741825;
    options.window = 7;
    options.every = 100;
    options.keep = 3;
    expect_line(&order, "ftrun -n 2 -l -wdir /tmp -env A 'b c' --protocol spbc --replay-window 7 "
                        "--check-content --checkpoint-every 100 --keep 3 --log-limit 1073741825 "
                        "--output=commit --kill 1@hook:3 ./heat 'it'\\''s' 20");
    order.adversary = 1;
    expect_line(&order, "ftrun -n 2 -l -wdir /tmp -env A 'b c' --protocol spbc --replay-window 7 "
                        "--check-content --checkpoint-interval 30d --output=commit --adversary "
                        "--kill 1@hook:3 ./heat 'it'\\''s' 20");
    order = (struct ft_attempt_order){.verify = "report"};
    expect_line(&order, "ftrun -n 2 -l -wdir /tmp -env A 'b c' --verify 3 ./heat 'it'\\''s' 20");
}

static int has_word(char *const *words, const char *word)
{
    for (; *words; words++) {
        if (!strcmp(*words, word))
            return 1;
    }
    return 0;
}

static void test_words(void **state)
{
    struct ft_attempt_order order = {.calls = 1};
    char **words = ft_attempt_words(&attempts, &order);

    (void)state;
    assert_true(has_word(words, "-l") && has_word(words, "--events"));
    assert_true(has_word(words, "--call-events") && has_word(words, "--store"));
    ft_attempt_words_destroy(words);
}

static void expect_difference(const struct ft_text *expected, const char *out, const char *err,
                              const char *sentence)
{
    struct ft_text *found = printed(out, err);
    char *difference = ft_text_difference(expected, found);

    if (sentence)
        assert_string_equal(difference, sentence);
    else
        assert_null(difference);
    free(difference);
    ft_text_destroy(found);
}

/* Lines of several ranks come in any order, what ftrun says is nobody's. */
static void test_texts(void **state)
{
    const char *out = "[0] a\n[1]  b\n[0] c\n";
    struct ft_text *expected =
        printed(out, "[1] e\nftrun: all is well\nftrun: to continue: ftrun --restart\n");

    (void)state;
    assert_string_equal(ft_text_said(expected), "all is well");
    assert_false(ft_text_is_full(expected));
    expect_difference(expected, "[1]  b\n[0] a\n[0] c\n", "ftrun: a death\n[1] e\n", NULL);
    expect_difference(expected, "[0] a\n[1] b\n[0] c\n", "[1] e\n",
                      "rank 1, line 1 of stdout: \"b\" instead of \" b\"");
    expect_difference(expected, "[0] c\n[1]  b\n[0] a\n", "[1] e\n",
                      "rank 0, line 1 of stdout: \"c\" instead of \"a\"");
    expect_difference(expected, "[0] a\n[1]  b\n", "[1] e\n",
                      "rank 0 printed 1 lines on stdout instead of 2");
    expect_difference(expected, out, "", "rank 1 printed 0 lines on stderr instead of 1");
    ft_text_destroy(expected);
}

static struct ft_text *printed_bytes(const char *out, size_t length)
{
    struct ft_text *text;

    write_bytes("out", out, length);
    write_file("err", "");
    assert_int_equal(ft_text_read(&attempts, &text), 0);
    return text;
}

/* ftrun's message about a full disk counts, also when other messages follow; a rank's does not. */
static void test_full(void **state)
{
    struct ft_text *text = printed("", "[1] No space left on device\n");

    (void)state;
    assert_false(ft_text_is_full(text));
    ft_text_destroy(text);
    text = printed("", "ftrun: x: No space left on device\nftrun: 1 failure survived\n");
    assert_true(ft_text_is_full(text));
    assert_string_equal(ft_text_said(text), "1 failure survived");
    assert_string_equal(ft_text_said_first(text), "x: No space left on device");
    ft_text_destroy(text);
}

/* A byte 0 does not end a line. */
static void test_bytes(void **state)
{
    static const char out[] = "[0] a\0b\n[1] c\0\n", other[] = "[0] a\0c\n[1] c\0\n",
                      shorter[] = "[0] a\0b\n[1] c\n";
    struct ft_text *expected = printed_bytes(out, sizeof(out) - 1);
    struct ft_text *found = printed_bytes(out, sizeof(out) - 1);

    (void)state;
    assert_null(ft_text_difference(expected, found));
    ft_text_destroy(found);
    found = printed_bytes(other, sizeof(other) - 1);
    char *difference = ft_text_difference(expected, found);
    assert_string_equal(difference, "rank 0, line 1 of stdout: it is another one behind a byte 0");
    free(difference);
    ft_text_destroy(found);
    found = printed_bytes(shorter, sizeof(shorter) - 1);
    difference = ft_text_difference(expected, found);
    assert_string_equal(difference, "rank 1, line 1 of stdout: it is another one behind a byte 0");
    free(difference);
    ft_text_destroy(found);
    ft_text_destroy(expected);
}

/* The end of a long stderr, in whole lines. */
static void test_stderr(void **state)
{
    enum { LINES = 1000, WIDTH = 9 };
    char many[LINES * WIDTH + 1], *found;

    (void)state;
    write_file("err", "[1] e\nftrun: to continue: ftrun --restart\nftrun: all is well\n");
    found = ft_text_stderr(&attempts);
    assert_string_equal(found, "[1] e\nftrun: all is well\n");
    free(found);
    for (int i = 0; i < LINES; i++)
        snprintf(many + i * WIDTH, WIDTH + 1, "[0] %04d\n", i);
    write_file("err", many);
    found = ft_text_stderr(&attempts);
    assert_true(strlen(found) <= 4096 && strlen(found) % WIDTH == 0);
    assert_string_equal(found, many + strlen(many) - strlen(found));
    free(found);
}

static json_int_t number(const json_t *account, const char *name)
{
    return json_integer_value(json_object_get(account, name));
}

static void test_events(void **state)
{
    json_t *account, *expected;

    (void)state;
    write_file("events", "{\"event\": \"death\", \"rank\": 1}\n"
                         "{\"event\": \"fall\", \"rank\": 0, \"reason\": \"late\"}\n"
                         "{\"event\": \"fall\", \"rank\": 2, \"reason\": \"late\"}\n"
                         "{\"event\": \"contained\", \"clusters\": 2, \"of\": 4, \"ranks\": 5}\n"
                         "{\"event\": \"contained\", \"clusters\": 1, \"of\": 4, \"ranks\": 3}\n"
                         "{\"event\": \"differs\", \"rank\": 1, \"stream\": \"out\", \"line\": 3}\n"
                         "{\"event\": \"determinants\", \"site\": \"a.c:3\", \"count\": 5}\n"
                         "{\"event\": \"calls\", \"rank\": 0, \"calls\": {\"MPI_Send\": 2}}\n"
                         "{\"event\": \"en");
    account = ft_attempt_events(&attempts);
    assert_int_equal(number(account, "deaths"), 1);
    assert_int_equal(number(account, "back"), 2);
    assert_int_equal(number(account, "of"), 4);
    assert_int_equal(number(account, "ranks"), 5);
    assert_string_equal(json_string_value(json_object_get(account, "differs")),
                        "rank 1 printed line 3 of stdout differently when it was executed again");
    expected = json_pack("[s]", "late");
    assert_true(json_equal(json_object_get(account, "why"), expected));
    json_decref(expected);
    expected = json_pack("[{s:i}]", "MPI_Send", 2);
    assert_true(json_equal(json_object_get(account, "calls"), expected));
    json_decref(expected);
    expected = json_pack("[{s:s, s:i}]", "site", "a.c:3", "count", 5);
    assert_true(json_equal(json_object_get(account, "determinants"), expected));
    json_decref(expected);
    json_decref(account);
}

/* Output that cannot be read to its end does not count as shorter output. */
static void test_unread(void **state)
{
    char path[FT_STORE_PATH];
    struct ft_text *text;
    json_t *account;

    (void)state;
    write_file("err", "");
    ft_attempt_file(&attempts, "out", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(ft_text_read(&attempts, &text), -EISDIR);
    account = ft_attempt_events(&attempts);
    assert_string_equal(json_string_value(json_object_get(account, "unread")), strerror(ENOENT));
    json_decref(account);
    ft_attempt_file(&attempts, "events", path);
    assert_int_equal(mkdir(path, 0700), 0);
    account = ft_attempt_events(&attempts);
    assert_string_equal(json_string_value(json_object_get(account, "unread")), strerror(EISDIR));
    json_decref(account);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(test_choices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stderr, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unread, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
