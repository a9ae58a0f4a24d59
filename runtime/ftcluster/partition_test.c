/* Partitions whose best division is known by construction, and damaged profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ftcluster/partition.h"

enum { WHY = 512 };

static void add(struct ft_profile *profile, int from, int to, uint64_t bytes)
{
    profile->edge = realloc(profile->edge, (profile->count + 1) * sizeof *profile->edge);
    assert_non_null(profile->edge);
    profile->edge[profile->count++] = (struct ft_profile_edge){from, to, 1, bytes};
}

static void both(struct ft_profile *profile, int a, int b, uint64_t bytes)
{
    add(profile, a, b, bytes);
    add(profile, b, a, bytes);
}

/* Two rings of even and of odd ranks, and one thin bridge: the division is even against odd. */
static void test_two_rings(void **state)
{
    struct ft_profile profile = {.ranks = 8, .seconds = 2};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 0; i < 8; i++)
        both(&profile, i, (i + 2) % 8, 1000000);
    both(&profile, 0, 1, 10);
    assert_int_equal(ft_partition_make(&profile, 2, 1, FT_MINIMIZE_TOTAL, &partition, why), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(partition.of[i], i % 2);
    assert_float_equal(partition.total, 10, 1e-9); /* 20 bytes in 2 seconds */
    assert_float_equal(partition.largest, 5, 1e-9);
    assert_float_equal(partition.share, 0.5, 1e-9);
    ft_partition_free(&partition);
    ft_profile_free(&profile);
}

/* The same with two ranks a node: even and odd neighbours must stay together. */
static void test_nodes_stay_whole(void **state)
{
    struct ft_profile profile = {.ranks = 8, .seconds = 1};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 0; i < 8; i++)
        both(&profile, i, (i + 2) % 8, 1000);
    assert_int_equal(ft_partition_make(&profile, 2, 2, FT_MINIMIZE_TOTAL, &partition, why), 0);
    for (int i = 0; i < 8; i += 2)
        assert_int_equal(partition.of[i], partition.of[i + 1]);
    ft_partition_free(&partition);
    assert_int_equal(ft_partition_make(&profile, 5, 2, FT_MINIMIZE_TOTAL, &partition, why), -1);
    assert_non_null(strstr(why, "4 nodes"));
    ft_profile_free(&profile);
}

/* Never worse in its own aim than the other one, on traffic without structure. */
static void test_aims(void **state)
{
    struct ft_profile profile = {.ranks = 16, .seconds = 1};
    struct ft_partition total, largest;
    unsigned random = 12345;
    char why[WHY];

    (void)state;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            if (i != j)
                add(&profile, i, j, (random = random * 1103515245 + 12345) >> 16 & 0xfff);
    for (int clusters = 1; clusters <= 16; clusters *= 2) {
        assert_int_equal(ft_partition_make(&profile, clusters, 1, FT_MINIMIZE_TOTAL, &total, why),
                         0);
        assert_int_equal(ft_partition_make(&profile, clusters, 1, FT_MINIMIZE_MAX, &largest, why),
                         0);
        assert_true(total.total <= largest.total);
        assert_true(largest.largest <= total.largest);
        assert_int_equal(largest.clusters, clusters);
        ft_partition_free(&total);
        ft_partition_free(&largest);
    }
    ft_profile_free(&profile);
}

/* A grid of 16 by 8: what cuts least leaves a rank of a corner with twice what blocks leave it. */
static void test_grid(void **state)
{
    struct ft_profile profile = {.ranks = 128, .seconds = 1};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 0; i < 128; i++) {
        if (i % 8 < 7)
            both(&profile, i, i + 1, 1000);
        if (i < 120)
            both(&profile, i, i + 8, 1000);
    }
    assert_int_equal(ft_partition_make(&profile, 4, 1, FT_MINIMIZE_MAX, &partition, why), 0);
    assert_float_equal(partition.largest, 1000, 1e-9);
    ft_partition_free(&partition);
    ft_profile_free(&profile);
}

/* Everybody sends to everybody: the less equal clusters are, the less is logged. */
static void test_equal_sizes(void **state)
{
    struct ft_profile profile = {.ranks = 7, .seconds = 1};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++)
            both(&profile, i, j, 1000);
    assert_int_equal(ft_partition_make(&profile, 2, 2, FT_MINIMIZE_TOTAL, &partition, why), 0);
    assert_float_equal(partition.share, 25. / 49, 1e-9);
    ft_partition_free(&partition);
    ft_profile_free(&profile);
}

/* Star traffic: the maximum cannot be lowered by METIS's own aim alone, exchanges must work. */
static void test_extremes(void **state)
{
    struct ft_profile profile = {.ranks = 6, .seconds = 1};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 1; i < 6; i++)
        both(&profile, 0, i, (uint64_t)i * 100);
    assert_int_equal(ft_partition_make(&profile, 3, 1, FT_MINIMIZE_MAX, &partition, why), 0);
    assert_int_equal(partition.of[5], partition.of[0]); /* its heaviest partner */
    assert_int_equal(partition.rank, 0);
    assert_float_equal(partition.largest, 1000, 1e-9);
    ft_partition_free(&partition);
    assert_int_equal(ft_partition_make(&profile, 6, 1, FT_MINIMIZE_TOTAL, &partition, why), 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(partition.of[i], i);
    ft_partition_free(&partition);
    ft_profile_free(&profile);
}

/* Everybody sends to everybody, and three times as much to who is even, or odd, like itself: METIS
 * counts in 32 bits, which are too few for sums of many weights of 20 bits. */
static void test_many_edges(void **state)
{
    enum { RANKS = 512 };
    struct ft_profile profile = {.ranks = RANKS, .seconds = 1};
    struct ft_partition partition;
    char why[WHY];

    (void)state;
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++)
            if (i != j)
                add(&profile, i, j, i % 2 == j % 2 ? 3000000 : 1000000);
    assert_int_equal(ft_partition_make(&profile, 2, 1, FT_MINIMIZE_TOTAL, &partition, why), 0);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(partition.of[i], i % 2);
    ft_partition_free(&partition);
    ft_profile_free(&profile);
}

/* The exchanges for the largest of a dense profile take seconds. */
static void test_dense(void **state)
{
    enum { RANKS = 256 };
    struct ft_profile profile = {.ranks = RANKS, .seconds = 1};
    struct ft_partition total, largest;
    unsigned random = 4711;
    char why[WHY];

    (void)state;
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++)
            if (i != j)
                add(&profile, i, j, (random = random * 1103515245 + 12345) >> 8 & 0xfffff);
    assert_int_equal(ft_partition_make(&profile, 16, 1, FT_MINIMIZE_TOTAL, &total, why), 0);
    assert_int_equal(ft_partition_make(&profile, 16, 1, FT_MINIMIZE_MAX, &largest, why), 0);
    assert_true(largest.largest < total.largest);
    ft_partition_free(&total);
    ft_partition_free(&largest);
    ft_profile_free(&profile);
}

static int read_text(const char *text, struct ft_profile *profile, char *why)
{
    char path[] = "/tmp/ftcc-profile-XXXXXX";
    int fd = mkstemp(path), code;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    code = ft_profile_read(path, profile, why);
    unlink(path);
    return code;
}

static void test_profile(void **state)
{
    static const char *const wrong[] = {
        "",
        "[]",
        "{\"format\": \"ftcc-profile\"}",
        "{\"format\": \"other\", \"version\": 1, \"ranks\": 2, \"seconds\": 1.0, \"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 2, \"ranks\": 2, \"seconds\": 1.0, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 4294967297, \"ranks\": 2, \"seconds\": 1.0, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 4294967298, \"seconds\": 1.0, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 0, \"seconds\": 1.0, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 0.0, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 1e-320, "
        "\"traffic\": []}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 1.0, "
        "\"traffic\": [[0, 2, 1, 1]]}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 1.0, "
        "\"traffic\": [[0, 1, 1, -1]]}",
        "{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 1.0, "
        "\"traffic\": [[0, 1, 1, 1], [0, 1, 2, 2]]}"};
    struct ft_profile profile = {0};
    char why[WHY];

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_text(wrong[i], &profile, why), -1);
        assert_null(profile.edge);
    }
    assert_int_equal(
        read_text("{\"format\": \"ftcc-profile\", \"version\": 1, \"ranks\": 2, \"seconds\": 1.5, "
                  "\"traffic\": [[1, 0, 3, 24], [0, 1, 1, 8]]}",
                  &profile, why),
        0);
    assert_int_equal(profile.count, 2);
    assert_int_equal(profile.edge[1].bytes, 24);
    ft_profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_rings),  cmocka_unit_test(test_nodes_stay_whole),
        cmocka_unit_test(test_aims),       cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_many_edges), cmocka_unit_test(test_dense),
        cmocka_unit_test(test_grid),       cmocka_unit_test(test_equal_sizes),
        cmocka_unit_test(test_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
