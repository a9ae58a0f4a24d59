/* The messages about results, without any run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "console/say.h"
#include "rehearse/rehearse.h"

const char ft_rehearse_css[] = "";
static char said[1 << 16];

void ft_say(const char *format, ...)
{
    size_t length = strlen(said);
    va_list list;

    va_start(list, format);
    vsnprintf(said + length, sizeof(said) - length, format, list);
    va_end(list);
    strcat(said, "\n");
}

static void add_failure(json_t *runs, const char *result, int of, int ranks)
{
    json_array_append_new(runs, json_pack("{s:s, s:s, s:i, s:i, s:i}", "kind", "cluster", "result",
                                          result, "of", of, "ranks", ranks, "members", 2));
}

/* A failure that took others along is survived, but has not stayed in its cluster; nor has one that
 * did, when its clusters had become one. */
static void test_headline(void **state)
{
    json_t *runs = json_array(), *document = json_pack("{s:i, s:o}", "ranks", 4, "runs", runs);
    char text[256];

    (void)state;
    ft_rehearse_headline(document, text, sizeof(text));
    assert_string_equal(text, "no death of your program could be tried");
    json_array_append_new(runs, json_pack("{s:s, s:s}", "kind", "death", "result", "survived"));
    ft_rehearse_headline(document, text, sizeof(text));
    assert_string_equal(text, "your program survives 1 of 1 deaths");
    add_failure(runs, "survived", 2, 2);
    add_failure(runs, "survived", 2, 4);
    add_failure(runs, "survived", 1, 4);
    add_failure(runs, "differed", 2, 2);
    add_failure(runs, "not reached", 0, 0);
    ft_rehearse_headline(document, text, sizeof(text));
    assert_string_equal(text, "your program survives 1 of 1 deaths and 3 of 4 failures of a "
                              "cluster, of which 1 stayed in it");
    json_decref(document);
}

static void expect_told(const json_t *document, const char *on_terminal, const char *on_page)
{
    char *page = NULL;
    size_t size;
    FILE *out = open_memstream(&page, &size);

    assert_non_null(out);
    ft_rehearse_page(document, out);
    fclose(out);
    said[0] = 0;
    ft_rehearse_tell(document);
    assert_non_null(strstr(page, on_page));
    assert_non_null(strstr(said, on_terminal));
    free(page);
}

/* A verification that failed is no program without sites. */
static void test_unverified(void **state)
{
    json_t *document = json_object();

    (void)state;
    expect_told(document, "", "The program has no sites");
    json_object_set_new(document, "unverified", json_string("no space"));
    expect_told(document, "the verdicts of ftcc were not tried: no space\n",
                "The verdicts of ftcc were not tried: no space<");
    json_decref(document);
}

/* A list that is cut says so; what is supported takes no place in it. */
static void test_lists(void **state)
{
    json_t *sites = json_array(), *patterns = json_array();
    json_t *document = json_pack("{s:o, s:o}", "determinants", sites, "patterns", patterns);

    (void)state;
    for (int i = 0; i < 12; i++) {
        json_array_append_new(sites, json_pack("{s:s, s:i}", "site", "a.c:1", "count", 12 - i));
        json_array_append_new(patterns, json_pack("{s:s, s:s}", "place", "a.c:2", "result",
                                                  i < 11 ? "supported" : "unsupported"));
    }
    said[0] = 0;
    ft_rehearse_tell(document);
    assert_non_null(strstr(said, "\n3 determinants at a.c:1\nand 2 more\n"));
    assert_non_null(strstr(said, "\nthe pattern at a.c:2 is unsupported: \npatterns for --trust: "
                                 "11 supported, 0 contradicted, 1 unsupported\n"));
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headline),
        cmocka_unit_test(test_unverified),
        cmocka_unit_test(test_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
