/* output_test: streams that are cut, repeated and held come out exactly once. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <unistd.h>
#include "console/output.h"

static struct ft_output *output;
static struct ft_mark_record marks[4];
static int ends[2];
static int differences;
static struct ft_position positions[4];

static void note_difference(void *context, int rank, int stream, uint64_t line)
{
    (void)context;
    (void)rank;
    (void)stream;
    (void)line;
    differences++;
}

static int torn; /* calls of note_torn */

static void note_torn(void *context, int rank)
{
    (void)context;
    assert_int_equal(rank, 0);
    torn++;
}

/* Replaces the C library's allocation for the output (CMakeLists.txt), which fails for a while. */
static int no_memory;
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
    return no_memory ? NULL : __real_realloc(old, size);
}

static void make_on_ends(int prepend, int hold)
{
    struct ft_output_options options = {.size = 2,
                                        .prepend = prepend,
                                        .hold = hold,
                                        .marks = marks,
                                        .differs = note_difference,
                                        .torn = note_torn};

    options.fds[0] = options.fds[1] = ends[1];
    differences = torn = 0;
    assert_int_equal(ft_output_create(&options, &output), 0);
}

static void make(int prepend, int hold)
{
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    make_on_ends(prepend, hold);
}

static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        ft_mark_write(&marks[i], i, &(struct ft_mark){0});
    return 0;
}

static void drop(void)
{
    ft_output_destroy(output);
    close(ends[0]);
    close(ends[1]);
}

static int finish(void **state)
{
    (void)state;
    drop();
    for (int i = 0; i < 4; i++) {
        free(positions[i].text);
        positions[i] = (struct ft_position){0};
    }
    return 0;
}

static void feed(int rank, const char *text)
{
    ft_output_feed(output, rank, 0, text, strlen(text));
}

static void expect(const char *text)
{
    char got[4096] = "";
    ssize_t length = read(ends[0], got, sizeof(got) - 1);

    got[length > 0 ? length : 0] = 0;
    assert_string_equal(got, text);
}

static void take_positions(void)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(ft_output_position(output, i / 2, i % 2, &positions[i]), 0);
}

static void commit(void)
{
    for (int rank = 0; rank < 2; rank++)
        ft_output_commit(output, rank, positions + 2 * rank);
    ft_output_pump(output);
}

static void roll_back_to(const struct ft_position *to, int released)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(ft_output_rollback(output, i / 2, i % 2, to ? &to[i] : NULL, released), 0);
}

static void roll_back(const struct ft_position *to)
{
    roll_back_to(to, 1);
}

static void lines_are_whole(void **state)
{
    (void)state;
    make(1, 0);
    feed(0, "on");
    feed(1, "two\nthr");
    feed(0, "e\n");
    expect("[1] two\n[0] one\n");
    ft_output_idle(output);
    ft_output_idle(output);
    expect("");
    feed(1, "ee\n");
    expect("[1] three\n");
}

static void partial_lines_go_when_nothing_follows(void **state)
{
    (void)state;
    make(0, 0);
    feed(1, "thr");
    assert_int_equal(ft_output_idle(output), 1);
    expect("");
    assert_int_equal(ft_output_idle(output), 0);
    expect("thr");
    feed(1, "ee\n");
    expect("ee\n");
}

/* Detained output is dropped at a rollback, and comes when it is released, or at the end. */
static void detained_lines_wait(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "a\n");
    ft_output_detain(output, 0, 0, 1);
    feed(0, "complaint\nof");
    feed(1, "x\n");
    assert_int_equal(ft_output_idle(output), 1);
    assert_int_equal(ft_output_idle(output), 1);
    expect("a\nx\n");
    roll_back(NULL);
    feed(0, "a\n");
    feed(1, "x\n");
    ft_output_detain(output, 0, 0, 1);
    feed(0, "b\n");
    expect("");
    ft_output_detain(output, 0, 0, 0);
    expect("b\n");
    ft_output_detain(output, 0, 0, 1);
    feed(0, "c");
    ft_output_end(output, 0);
    assert_int_equal(ft_output_pump(output), 0);
    expect("c");
}

/* Earlier output stays, though it is not written yet. */
static void detained_lines_are_discarded(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "a\nb");
    ft_output_detain(output, 0, 0, 1);
    feed(0, "complaint\nof");
    ft_output_discard(output, 0, 0);
    expect("a\n");
    feed(0, "c\n");
    expect("bc\n");
    ft_output_detain(output, 0, 0, 1);
    feed(0, "d\n");
    ft_output_detain(output, 0, 0, 0);
    ft_output_discard(output, 0, 0);
    expect("d\n");
}

static void repeated_lines_are_swallowed(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "a\nb\nc");
    ft_output_idle(output);
    ft_output_idle(output);
    expect("a\nb\nc");
    roll_back(NULL);
    feed(0, "a\n");
    feed(0, "b\ncd\ne\n");
    expect("d\ne\n");
    assert_int_equal(differences, 0);
}

static void difference_is_reported_once(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "a\nb\nc\n");
    expect("a\nb\nc\n");
    roll_back(NULL);
    feed(0, "a\nlonger\nother\nd\n");
    expect("d\n");
    assert_int_equal(differences, 1);
}

static void goes_back_into_a_line(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "x\nab");
    take_positions();
    commit();
    feed(0, "cd\nmore\n");
    expect("x\nabcd\nmore\n");
    roll_back(positions);
    feed(0, "cd\nmore\nnew\n");
    expect("new\n");
    assert_int_equal(differences, 0);
}

static void held_until_the_commit(void **state)
{
    (void)state;
    make(0, 1);
    feed(0, "a\nb");
    take_positions();
    feed(0, "c\nd\n");
    expect("");
    commit();
    expect("a\n");
    roll_back(positions);
    feed(0, "C\nd\n");
    expect("");
    ft_output_end(output, 0);
    assert_int_equal(ft_output_pump(output), 0);
    expect("bC\nd\n");
}

/* A job that is continued prints the rest then. */
static void held_where_the_job_goes_on_later(void **state)
{
    (void)state;
    make(0, 1);
    feed(0, "a\nb");
    take_positions();
    feed(0, "c\nd\n");
    commit();
    ft_output_feed(output, 0, 1, "why\n", 4);
    ft_output_end(output, 1);
    assert_int_equal(ft_output_pump(output), 0);
    expect("a\nwhy\n");
    drop();
    make(0, 1);
    roll_back(positions);
    ft_output_feed(output, 0, 1, "why\n", 4);
    feed(0, "C\nd\n");
    ft_output_end(output, 0);
    assert_int_equal(ft_output_pump(output), 0);
    expect("bC\nd\n");
}

/* The checkpoint that it rolls back to was committed, and has let nothing go. */
static void held_behind_a_rollback(void **state)
{
    (void)state;
    make(0, 1);
    feed(0, "a\nb\n");
    take_positions();
    feed(0, "c\n");
    roll_back_to(positions, 0);
    expect("");
    feed(0, "C\n");
    take_positions();
    commit();
    expect("a\nb\nC\n");
    feed(0, "d\n");
    roll_back(positions);
    expect("");
}

static void survives_ftrun(void **state)
{
    (void)state;
    make(0, 0);
    feed(0, "a\nb\n");
    take_positions();
    feed(0, "c\nd");
    ft_output_end(output, 0);
    assert_int_equal(ft_output_pump(output), 0);
    expect("a\nb\nc\nd");
    drop();
    make(0, 0);
    roll_back(positions);
    feed(0, "c\ndd\n");
    expect("d\n");
}

/* One copy of a mark may be half written, or damaged. */
static void mark_has_two_copies(void **state)
{
    const struct ft_mark mark = {70000, 3};
    struct ft_mark_record record;
    struct ft_mark got = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        for (size_t byte = 0; byte < sizeof(record.copy[i]); byte++) {
            ft_mark_write(&record, 5, &mark);
            ((unsigned char *)&record.copy[i])[byte] ^= 16;
            assert_int_equal(ft_mark_read(&record, 5, &got), 0);
            assert_memory_equal(&got, &mark, sizeof(mark));
            record.copy[!i].mark.lines++;
            assert_int_equal(ft_mark_read(&record, 5, &got), -EBADMSG);
        }
    }
    ft_mark_write(&record, 5, &mark);
    assert_int_equal(ft_mark_read(&record, 4, &got), -EBADMSG);
    memset(&record, 0, sizeof(record));
    for (int i = 0; i < 4; i++)
        assert_int_equal(ft_mark_read(&record, i, &got), -EBADMSG);
}

static void damaged_mark_is_refused(void **state)
{
    struct ft_output_options options = {.size = 2, .marks = marks};
    struct ft_output *other = NULL;

    (void)state;
    make(0, 0);
    memset(&marks[3], 0, sizeof(marks[3]));
    assert_int_equal(ft_output_create(&options, &other), -EBADMSG);
    assert_null(other);
}

static void slow_reader_loses_nothing(void **state)
{
    static char line[1001];
    size_t total = 0;
    char got[4096];

    (void)state;
    make(0, 0);
    memset(line, 'x', 999);
    line[999] = '\n';
    for (int i = 0; i < 500; i++)
        feed(i % 2, line);
    assert_int_equal(ft_output_waits(output, 0), 1);
    do {
        ssize_t length;

        while ((length = read(ends[0], got, sizeof(got))) > 0)
            total += (size_t)length;
    } while (ft_output_pump(output));
    ssize_t rest;
    while ((rest = read(ends[0], got, sizeof(got))) > 0)
        total += (size_t)rest;
    assert_int_equal(total, 500 * 1000);
}

/* Without memory for a line nothing is taken behind it, and no checkpoint has it. */
static void no_line_is_left_out(void **state)
{
    struct ft_position position = {0};

    (void)state;
    make(0, 0);
    feed(0, "a\n");
    take_positions();
    no_memory = 1;
    feed(0, "a long line, for which there is no room in the buffer\n");
    no_memory = 0;
    feed(0, "b\n");
    feed(1, "x\n");
    expect("a\nx\n");
    assert_int_equal(torn, 1);
    assert_int_equal(ft_output_position(output, 0, 0, &position), -ENOMEM);
    roll_back(positions);
    feed(0, "b\n");
    expect("b\n");
    positions[0].pending = 1000;
    positions[0].text = realloc(positions[0].text, 1000);
    memset(positions[0].text, 'x', 1000);
    no_memory = 1;
    assert_int_equal(ft_output_rollback(output, 0, 0, positions, 1), -ENOMEM);
    no_memory = 0;
    feed(0, "c\n");
    expect("");
}

/* 64 MB that were held: a minute when each chunk moved all that was behind it. */
static void much_is_written_in_no_time(void **state)
{
    enum { LINE = 64, MEGABYTE = 1 << 20 };
    static char block[MEGABYTE];
    struct ft_mark mark;

    (void)state;
    ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ends[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    make_on_ends(0, 1);
    memset(block, 'x', sizeof(block));
    for (size_t i = LINE - 1; i < sizeof(block); i += LINE)
        block[i] = '\n';
    for (int i = 0; i < 64; i++)
        ft_output_feed(output, 0, 0, block, sizeof(block));
    take_positions();
    clock_t start = clock();
    commit();
    assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
    assert_int_equal(ft_mark_read(&marks[0], 0, &mark), 0);
    assert_int_equal(mark.lines, 64 * MEGABYTE / LINE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(lines_are_whole),
        CASE(partial_lines_go_when_nothing_follows),
        CASE(detained_lines_wait),
        CASE(detained_lines_are_discarded),
        CASE(repeated_lines_are_swallowed),
        CASE(difference_is_reported_once),
        CASE(goes_back_into_a_line),
        CASE(held_until_the_commit),
        CASE(held_behind_a_rollback),
        CASE(held_where_the_job_goes_on_later),
        CASE(survives_ftrun),
        cmocka_unit_test(mark_has_two_copies),
        CASE(damaged_mark_is_refused),
        CASE(slow_reader_loses_nothing),
        CASE(no_line_is_left_out),
        CASE(much_is_written_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
