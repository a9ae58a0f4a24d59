/* clusters: what each word means for eight ranks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "options/clusters.h"

enum { SIZE = 8 };

static const struct {
    const char *text; /* a word; with a line's end in it, the content of a file */
    int count;        /* clusters, or -EINVAL */
    const char *of;   /* a digit for each rank; or what the sentence says */
} cases[] = {
    {"1", 1, "00000000"},
    {"node", 1, "00000000"},
    {"2", 2, "00001111"},
    {"3", 3, "00011122"},
    {"8", 8, "01234567"},
    {"0", -EINVAL, "0 clusters cannot be made of 8 ranks"},
    {"9", -EINVAL, "9 clusters cannot be made of 8 ranks"},
    {"-1", -EINVAL, "-1 clusters cannot be made"},
    {"nodes", -EINVAL, "'nodes' is neither a number, nor the word node, nor a file"},
    {"# two\n0-3\n\n4-7 # rest\n", 2, "00001111"},
    {"1,3 5, 7\n0 2 4 6\n", 2, "10101010"},
    {"0-7", 1, "00000000"}, /* a file whose last line has no end */
    {"0-3\n4-6\n", -EINVAL, "rank 7 is in no cluster"},
    {"0-3\n3-7\n", -EINVAL, "line 2: rank 3 is named twice"},
    {"0-8\n", -EINVAL, "line 1: there is no rank 8"},
    {"0-99999999999999999999\n", -EINVAL, "there is no rank 8"},
    {"99999999999999999999\n", -EINVAL, "there is no rank 9223372036854775807"},
    {"3-0\n", -EINVAL, "the range that begins with 3 ends before it"},
    {"0-3 x\n", -EINVAL, "ranks and ranges"},
    {"0-\n", -EINVAL, "ranks and ranges"},
    {"0--3\n", -EINVAL, "ranks and ranges"},
    {"/", -EINVAL, "--clusters: /: Is a directory"},
    {"/dev/null", -EINVAL, "--clusters: /dev/null: the file is empty"},
};

static void file_make(char *name, const char *text, size_t length)
{
    int fd = mkstemp(name);

    assert_int_equal(write(fd, text, length), length);
    close(fd);
}

static void check(const char *text, int count, const char *of)
{
    char name[] = "/tmp/clusters-XXXXXX", why[512] = "";
    int is_file = strpbrk(text, "\n ") || !strcmp(text, "0-7");
    int32_t list[SIZE];

    if (is_file)
        file_make(name, text, strlen(text));
    int got = ft_clusters_read(is_file ? name : text, SIZE, list, why, sizeof(why));
    if (is_file)
        unlink(name);
    if (got != count || (count < 0 && !strstr(why, of)))
        print_error("%s: %d, %s\n", text, got, why);
    assert_int_equal(got, count);
    for (int i = 0; count > 0 && i < SIZE; i++)
        assert_int_equal(list[i], of[i] - '0');
    assert_true(count > 0 || strstr(why, of));
}

static void words_mean_clusters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check(cases[i].text, cases[i].count, cases[i].of);
}

/* The rest of the line behind it was left out, without a word. */
static void a_byte_0_is_refused(void **state)
{
    char name[] = "/tmp/clusters-XXXXXX", why[512] = "";
    int32_t list[SIZE];

    (void)state;
    file_make(name, "0-7\0 9\n", 7);
    assert_int_equal(ft_clusters_read(name, SIZE, list, why, sizeof(why)), -EINVAL);
    assert_non_null(strstr(why, "line 1: there is a byte 0"));
    unlink(name);
}

static void too_many_ranks_are_refused(void **state)
{
    char why[512];

    (void)state;
    assert_int_equal(ft_clusters_read("2", FT_CLUSTERS_RANKS + 1, NULL, why, sizeof(why)), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_mean_clusters),
        cmocka_unit_test(a_byte_0_is_refused),
        cmocka_unit_test(too_many_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
