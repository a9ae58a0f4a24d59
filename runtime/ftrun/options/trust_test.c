/* trust: what is read of a rehearsal's result, and which patterns are believed then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "options/trust.h"
#include "wire/wire.h"

#define HEAD "{\"schema\": \"" FT_REHEARSAL_SCHEMA "\", \"executable\": \"00000000000000ff\", "
#define ONE(id, result) "{\"pattern\": \"" id "\", \"result\": \"" result "\"}"

/* 0 and *out, or the error; the sentence lies in why. */
static int read_text(const char *text, size_t length, struct ft_trust **out, char why[512])
{
    char name[] = "trust-test-XXXXXX";
    int fd = mkstemp(name), code;

    assert_int_equal(write(fd, text, length), length);
    close(fd);
    code = ft_trust_read(name, out, why, 512);
    unlink(name);
    return code;
}

static void test_reads(void **state)
{
    static const char text[] = HEAD "\"patterns\": [" ONE("0000000a", "supported") ", " ONE(
        "80000001", "contradicted") ", " ONE("00000003", "unsupported") "], \"more\": 1}";
    struct ft_trust *trust;
    char why[512];

    (void)state;
    assert_int_equal(read_text(text, strlen(text), &trust, why), 0);
    assert_int_equal(trust->executable, 255);
    assert_int_equal(trust->count, 3);
    assert_int_equal(trust->pattern[0].id, 10);
    assert_int_equal(trust->pattern[0].result, FT_TRUST_SUPPORTED);
    assert_int_equal(trust->pattern[1].id, 0x80000001u);
    assert_int_equal(trust->pattern[1].result, FT_TRUST_CONTRADICTED);
    assert_int_equal(trust->pattern[2].result, FT_TRUST_UNSUPPORTED);
    free(trust);
}

/* Wherever a file is torn, it is refused. */
static void test_torn(void **state)
{
    static const char text[] = HEAD "\"patterns\": [" ONE("0000000a", "supported") "]}";
    struct ft_trust *trust;
    char why[512];

    (void)state;
    for (size_t length = 0; length < strlen(text); length++) {
        assert_int_equal(read_text(text, length, &trust, why), -EBADMSG);
        assert_null(trust);
        assert_non_null(strstr(why, "not the whole JSON"));
    }
}

static void test_refuses(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "no result of ftrun --rehearse"},
        {"[1]", "no result of ftrun --rehearse"},
        {"{\"schema\": 3}", "no result of ftrun --rehearse"},
        {"{\"schema\": \"ftrun-rehearsal-2\"}", "another version"},
        {"{\"schema\": \"" FT_REHEARSAL_SCHEMA "\"}", "does not say"},
        {HEAD "\"patterns\": {}}", "does not say"},
        {HEAD "\"patterns\": [1]}", "damaged"},
        {HEAD "\"patterns\": [" ONE("a", "supported") "]}", "damaged"},
        {HEAD "\"patterns\": [" ONE("0000000A", "supported") "]}", "damaged"},
        {HEAD "\"patterns\": [" ONE("0000000a", "proved") "]}", "damaged"},
        {HEAD "\"patterns\": [" ONE("0000000a", "supported") ", " ONE("0000000a", "supported") "]}",
         "damaged"},
        {HEAD "\"executable\": \"\", \"patterns\": []}", "not the whole JSON"},
        {"{\"schema\": \"" FT_REHEARSAL_SCHEMA "\", \"executable\": \"ff\", \"patterns\": []}",
         "damaged"},
    };
    struct ft_trust *trust;
    char why[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_text(cases[i][0], strlen(cases[i][0]), &trust, why), -EBADMSG);
        assert_null(trust);
        assert_non_null(strstr(why, cases[i][1]));
    }
    assert_int_equal(ft_trust_read("/nonexistent", &trust, why, sizeof why), -ENOENT);
    assert_int_not_equal(ft_trust_read("/", &trust, why, sizeof why), 0);
    assert_null(trust);
}

enum { PROVED = 1, UNKNOWN = 2, ORDERED = 3, POLLED = 4, CAPTURED = 5, EMPTY = 6, PATTERNS = 6 };

static struct { /* a table, as ftcc writes it */
    struct ft_sites_header header;
    struct ft_site_entry site[5];
    struct ft_pattern_entry pattern[PATTERNS];
    char text[24];
} table = {.header = {FT_SITES_MAGIC, FT_SITES_VERSION, 5, PATTERNS, 0, sizeof table.text, 0, 0},
           .site = {{1, PROVED, FT_SITE_SEND_DETERMINISTIC, 0, 0, 0, 1, 1},
                    {2, UNKNOWN, FT_SITE_UNKNOWN, FT_SITE_LOGGED, 0, 0, 1, 1},
                    {3, ORDERED, FT_SITE_NON_DETERMINISTIC, FT_SITE_LOGGED, 0, 0, 1, 1},
                    {4, POLLED, FT_SITE_SEND_DETERMINISTIC, 0, 0, 0, 10, 1},
                    {5, CAPTURED, FT_SITE_SEND_DETERMINISTIC, FT_SITE_LOGGED, 0, 0, 1, 1}},
           .pattern = {{PROVED, FT_PATTERN_TRUSTED, 0, 0, 1, 0},
                       {UNKNOWN, FT_PATTERN_TRUSTED, 0, 0, 1, 0},
                       {ORDERED, FT_PATTERN_TRUSTED, 0, 0, 1, 0},
                       {POLLED, FT_PATTERN_TRUSTED, 0, 0, 1, 0},
                       {CAPTURED, FT_PATTERN_CAPTURE, 0, 0, 1, 0},
                       {EMPTY, FT_PATTERN_TRUSTED, 0, 0, 1, 0}},
           .text = "\0MPI_Recv\0MPI_Iprobe"};

/* A result that says the same of all patterns. */
static struct ft_trust *found_all(enum ft_trust_result result)
{
    struct ft_trust *found = calloc(1, sizeof *found + PATTERNS * sizeof found->pattern[0]);

    assert_non_null(found);
    for (; found->count < PATTERNS; found->count++)
        found->pattern[found->count] =
            (struct ft_trust_pattern){(uint32_t)found->count + 1, result};
    return found;
}

static void test_chooses(void **state)
{
    struct ft_trust *supported = found_all(FT_TRUST_SUPPORTED);
    struct ft_trust *contradicted = found_all(FT_TRUST_CONTRADICTED);
    struct ft_trust *unsupported = found_all(FT_TRUST_UNSUPPORTED);
    struct ft_sites *sites;
    uint32_t list[4] = {0};

    (void)state;
    table.header.checksum = XXH64(&table.header + 1, sizeof table - sizeof table.header, 0);
    assert_int_equal(ft_sites_parse(&table, sizeof table, &sites), 0);
    assert_int_equal(ft_trust_choose(sites, NULL, list, 4), 2);
    assert_int_equal(list[0], FT_TRUST_POLLS);
    assert_int_equal(list[1], PROVED);
    assert_int_equal(ft_trust_choose(sites, supported, list, 4), 3);
    assert_int_equal(list[1], PROVED);
    assert_int_equal(list[2], UNKNOWN);
    list[1] = 99;
    assert_int_equal(ft_trust_choose(sites, supported, list, 1), 3);
    assert_int_equal(list[1], 99); /* no room */
    assert_int_equal(ft_trust_choose(sites, contradicted, list, 4), 1);
    assert_int_equal(ft_trust_choose(sites, unsupported, list, 4), 2);
    assert_int_equal(ft_trust_choose(NULL, supported, list, 4), 0);
    ft_sites_destroy(sites);
    free(supported);
    free(contradicted);
    free(unsupported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_chooses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
