/* Where a line of its own can go; '|' marks the offset that is asked about, '^' the answer. */
#include "rewriters/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct spot {
    char text[128];
    size_t asked, answer; /* `answer` is (size_t)-1 when there is none */
};

static struct spot spot_of(const char *marked)
{
    struct spot spot = {.answer = (size_t)-1};
    size_t length = 0;
    for (; *marked; marked++)
        if (*marked == '|')
            spot.asked = length;
        else if (*marked == '^')
            spot.answer = length;
        else
            spot.text[length++] = *marked;
    return spot;
}

static void a_line_before(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "a;\n^  |b;\n",   "^|b;\n",      "a;\n^\t |b;",     "a; |b;\n",        "a \\\n |b;\n",
        "a \\\r\n |b;\n", "/* */ |b;\n", "a \\ \t\n |b;\n", "a ?\?/ \n |b;\n", "a \\\n\n^ |b;\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spot spot = spot_of(cases[i]);
        size_t line = (size_t)-1;
        rw_line_before(spot.text, spot.asked, &line);
        if (line != spot.answer)
            fail_msg("case %zu: %zu", i, line);
    }
}

static void a_line_behind(void **state)
{
    (void)state;
    static const char *const cases[] = {"a;| \n^b",
                                        "a;| /* c */ // d\n^b",
                                        "a;| b;\n",
                                        "a;| /* c\n */ b",
                                        "a;|",
                                        "a;|\r\n^b",
                                        "a;| \\\nb",
                                        "a;| // \\ \nc\nb",
                                        "a;| // \\\\\nc\nb",
                                        "a;| // ?\?/\nc\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spot spot = spot_of(cases[i]);
        size_t line = (size_t)-1;
        rw_line_behind(spot.text, strlen(spot.text), spot.asked, &line);
        if (line != spot.answer)
            fail_msg("case %zu: %zu", i, line);
    }
}

static void a_statement_ends(void **state)
{
    (void)state;
    static const char *const cases[] = {"a()|;^ b", "a() |/* c */ ;^", "{ }|^ b",     "{ }|^\n;",
                                        "a;|^ b",   "a() |b",          "while (a)|;^"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spot spot = spot_of(cases[i]);
        size_t end = (size_t)-1;
        rw_statement_end(spot.text, strlen(spot.text), spot.asked, &end);
        if (end != spot.answer)
            fail_msg("case %zu: %zu", i, end);
    }
}

static void blanks_are_copied(void **state)
{
    (void)state;
    char *blanks = rw_indentation("a;\n \t b;", 6);
    assert_string_equal(blanks, " \t ");
    free(blanks);
    blanks = rw_indentation_below("{\n#if X\n\n   a;\n", 15, 2);
    assert_string_equal(blanks, "   ");
    free(blanks);
    blanks = rw_indentation_below("{\n  }\n", 6, 2);
    assert_string_equal(blanks, "      ");
    free(blanks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_before),
        cmocka_unit_test(a_line_behind),
        cmocka_unit_test(a_statement_ends),
        cmocka_unit_test(blanks_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
