/* Edits: order, lines of their own, and the diff, which patch(1) itself applies. */
#include "rewriters/diff.h"
#include "rewriters/edits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void apply_expect(struct rw_edits *edits, const char *text, const char *name,
                         const char *expected)
{
    struct rw_compiled compiled = {.name = name};
    struct rw_text result =
        rw_edits_apply(edits, text, strlen(text), 0, strlen(text), name ? &compiled : NULL);
    assert_string_equal(result.text, expected);
    assert_int_equal(result.length, strlen(expected));
    free(result.text);
}

static void insertions_keep_their_order(void **state)
{
    (void)state;
    struct rw_edits *edits = rw_edits_create();
    rw_edits_insert(edits, 4, "D");
    rw_edits_insert(edits, 2, "B");
    rw_edits_insert(edits, 2, "C");
    rw_edits_insert(edits, 0, "A");
    apply_expect(edits, "0123", NULL, "A01BC23D");
    rw_edits_destroy(edits);
    rw_edits_destroy(NULL);
}

static void lines_keep_their_numbers(void **state)
{
    (void)state;
    struct rw_edits *edits = rw_edits_create();
    rw_edits_insert_line(edits, 2, "x");
    apply_expect(edits, "1\n2\n", NULL, "1\nx\n2\n");
    apply_expect(edits, "1\n2\n", "a \"b\".c",
                 "#line 1 \"a \\\"b\\\".c\"\n1\nx\n#line 2 \"a \\\"b\\\".c\"\n2\n");
    apply_expect(edits, "1\n2", "a\\b", "#line 1 \"a\\\\b\"\n1\nx\n#line 2 \"a\\\\b\"\n2");
    apply_expect(edits, "1\n2", "a\nb", "#line 1 \"a\\012b\"\n1\nx\n#line 2 \"a\\012b\"\n2");
    rw_edits_destroy(edits);
    edits = rw_edits_create();
    rw_edits_insert_line(edits, 2, "x");
    rw_edits_insert_line(edits, 16, "x");
    rw_edits_insert_line(edits, 28, "x");
    apply_expect(edits, "1\n#line 7 \"b\"\n7\n# 9 \"c\" 3\n9\n", "a",
                 "#line 1 \"a\"\n1\nx\n#line 2 \"a\"\n#line 7 \"b\"\n7\nx\n#line 8 \"b\"\n"
                 "# 9 \"c\" 3\n9\nx\n#line 10 \"c\"\n");
    rw_edits_destroy(edits);
}

static void a_byte_order_mark_stays_away_from_the_compiler(void **state)
{
    (void)state;
    struct rw_edits *edits = rw_edits_create();
    rw_edits_insert_line(edits, 3, "x");
    apply_expect(edits,
                 "\xef\xbb\xbf"
                 "1\n",
                 NULL, "\xef\xbb\xbfx\n1\n");
    apply_expect(edits,
                 "\xef\xbb\xbf"
                 "1\n",
                 "a", "#line 1 \"a\"\nx\n#line 1 \"a\"\n1\n");
    rw_edits_destroy(edits);
}

static char *diff_of(struct rw_edits *edits, const char *text)
{
    char *diff = NULL;
    size_t length;
    FILE *out = open_memstream(&diff, &length);
    rw_diff_print(edits, "f.c", text, strlen(text), out);
    fclose(out);
    return diff;
}

static void diffs_are_unified(void **state)
{
    (void)state;
    struct rw_edits *edits = rw_edits_create();
    char *diff = diff_of(edits, "1\n");
    assert_string_equal(diff, "");
    free(diff);
    rw_edits_insert_line(edits, 0, "A");
    rw_edits_insert(edits, 20, "B");
    diff = diff_of(edits, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc");
    assert_string_equal(diff, "--- ./f.c\n+++ ./f.c\n"
                              "@@ -1,4 +1,5 @@\n+A\n 1\n 2\n 3\n 4\n"
                              "@@ -8,5 +9,5 @@\n 8\n 9\n a\n-b\n+Bb\n c\n"
                              "\\ No newline at end of file\n");
    free(diff);
    rw_edits_destroy(edits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insertions_keep_their_order),
        cmocka_unit_test(lines_keep_their_numbers),
        cmocka_unit_test(a_byte_order_mark_stays_away_from_the_compiler),
        cmocka_unit_test(diffs_are_unified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
