/* events_test: a file that takes no more is told of once, and holds whole lines. */
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include "console/events.h"
#include "console/say.h"
#include "host/loop.h"

static char said[1024];
static int times_said;

double ft_loop_now(void)
{
    return 1;
}

void ft_say(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    vsnprintf(said, sizeof(said), format, words);
    va_end(words);
    times_said++;
}

/* Lines of the file `path`, which all have an end. */
static int whole_lines(const char *path)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, sizeof(text), file);
    int lines = 0;

    fclose(file);
    assert_true(length == 0 || text[length - 1] == '\n');
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* A limit in the middle of a line is what a full disk is. */
static void half_a_line_is_taken_away(void **state)
{
    const struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
    const struct rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    char path[] = "/tmp/events_test.XXXXXX";
    struct ft_events *events;

    (void)state;
    times_said = 0;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(ft_events_open(path, FT_TELLING_NOTHING, 0, &events), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int i = 0; i < 5; i++)
        ft_events_emit(events, "hook", "{s:i, s:i}", "rank", i, "hook", 7);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(times_said, 1);
    assert_non_null(strstr(said, path));
    assert_non_null(strstr(said, "File too large; events are missing there"));
    assert_int_equal(whole_lines(path), 2);
    ft_events_emit(events, "end", "{s:i}", "code", 0);
    ft_events_close(events);
    assert_int_equal(whole_lines(path), 3);
    unlink(path);
}

static void full_disk_is_told_of_once(void **state)
{
    struct ft_events *events;

    (void)state;
    times_said = 0;
    assert_int_equal(ft_events_open("/dev/full", FT_TELLING_NOTHING, 0, &events), 0);
    for (int i = 0; i < 3; i++)
        ft_events_emit(events, "hook", "{s:i}", "rank", i);
    ft_events_close(events);
    assert_int_equal(times_said, 1);
    assert_string_equal(said,
                        "warning: /dev/full: No space left on device; events are missing there");
}

/* Nothing of an event is left out because it has a path of another kind. */
static void text_need_not_be_utf8(void **state)
{
    char path[] = "/tmp/events_test.XXXXXX", text[512] = "";
    struct ft_events *events;

    (void)state;
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(ft_events_open(path, FT_TELLING_NOTHING, 0, &events), 0);
    ft_events_emit(events, "join", "{s:s, s:s, s:i, s:I, s:f, s:b, s:o}", "file",
                   "caf\xe9/\xc3\xa9", "other", "caf\xc3\xa9", "i", -1, "I", (json_int_t)1 << 40,
                   "f", 0.5, "b", 2, "o", json_array());
    ft_events_close(events);
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    unlink(path);
    assert_string_equal(text, "{\"t\": 1.0, \"event\": \"join\", \"file\": \"caf?/??\", "
                              "\"other\": \"caf\xc3\xa9\", \"i\": -1, \"I\": 1099511627776, "
                              "\"f\": 0.5, \"b\": true, \"o\": []}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_line_is_taken_away),
        cmocka_unit_test(full_disk_is_told_of_once),
        cmocka_unit_test(text_need_not_be_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
