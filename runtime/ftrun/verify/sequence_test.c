/* Two runs of a rank that sends on very many channels. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/sequence.h"

enum { CHANNELS = 300 };

static char root[] = "/tmp/sequence_test.XXXXXX";
static char folder[2][64];

static void write_run(int run, uint64_t (*size_of)(int run, int channel))
{
    struct ft_trace_record record[CHANNELS + 2] = {
        {.kind = FT_TRACE_HEAD, .size = FT_TRACE_VERSION}};
    char name[128];

    for (int i = 0; i < CHANNELS; i++)
        record[i + 1] = (struct ft_trace_record){
            .kind = FT_TRACE_SEND, .comm = 1, .peer = 1, .tag = i, .size = size_of(run, i)};
    record[CHANNELS + 1] =
        (struct ft_trace_record){.kind = FT_TRACE_COLLECTIVE, .flags = FT_TRACE_FINAL};
    sprintf(folder[run], "%s/run-%d", root, run);
    mkdir(folder[run], 0700);
    sprintf(name, "%s/rank-0", folder[run]);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, record, sizeof record), sizeof record);
    close(fd);
}

static int told, differing;

static void on_difference(void *context, const struct ft_difference *difference)
{
    (void)context;
    told++;
    differing += difference->times;
}

static void compare(struct ft_sequences *sequences)
{
    const char *const folders[2] = {folder[0], folder[1]};

    told = differing = 0;
    assert_int_equal(ft_sequences_compare(sequences, folders, 0, on_difference, NULL, NULL), 0);
}

static uint64_t some_differ(int run, int channel)
{
    return run == 1 && channel % 100 == 7 ? 9 : 8;
}

/* More channels than fit: several passes find the same. */
static void passes_find_the_same(void **state)
{
    (void)state;
    for (int run = 0; run < 2; run++)
        write_run(run, some_differ);
    for (uint64_t limit = 4; limit <= 4096; limit *= 4) {
        struct ft_sequences sequences = {.limit = limit};

        compare(&sequences);
        assert_int_equal(told, 4); /* three channels, and the order */
        assert_int_equal(sequences.messages[0], CHANNELS);
        assert_true(limit > CHANNELS || sequences.parts > 1);
    }
}

static uint64_t all_differ(int run, int channel)
{
    (void)channel;
    return run == 1 ? 9 : 8;
}

/* However many channels differ, few differences are told, and all are counted. */
static void many_differences_are_few(void **state)
{
    struct ft_sequences sequences = {0};

    (void)state;
    for (int run = 0; run < 2; run++)
        write_run(run, all_differ);
    compare(&sequences);
    assert_in_range(told, 2, 100);
    assert_int_equal(differing, CHANNELS + 1); /* and the order */
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[64];

    (void)state;
    sprintf(command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_find_the_same),
        cmocka_unit_test(many_differences_are_few),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
