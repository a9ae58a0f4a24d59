/* The scanner of blanks and directives. */
#include "rewriters/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* '|' marks the expected offset. */
static const char *const includes[] = {
    "|int x;\n",
    "#include <a.h>\n|int x;\n",
    "#include <a.h>\n#include \"b.h\"\n|int x;\n",
    "#include <a.h>\n|#if X\n#include <b.h>\n#endif\n",
    "#ifdef X\n#else\n#endif\n#include <a.h>\n|",
    "/* \n#include <a.h>\n*/\n # include <b.h> /* more\n lines */\n|int x;\n",
    "|// \\\n#include <a.h>\nint x;\n",
    "|// \\ \n#include <a.h>\nint x;\n",
    "#include <a.h>\n|#include <b.h> // ?\?/\nint x;\n",
    "char *s = \"/*\";\n#include <a.h>\n|",
    "|char *s = \"\\\n#include <a.h>\n\";\n",
    "#error don't\n#include <a.h>\n|",
    "\xef\xbb\xbf|int x;\n",
    "",
};

static void the_last_include_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof includes / sizeof *includes; i++) {
        char text[256];
        strcpy(text, includes[i]);
        char *mark = strchr(text, '|');
        size_t expected = mark ? (size_t)(mark - text) : 0;
        if (mark)
            memmove(mark, mark + 1, strlen(mark));
        size_t found = rw_last_include(text, strlen(text), (size_t)-1);
        if (found != expected)
            fail_msg("case %zu: %zu, expected %zu", i, found, expected);
    }
}

static void includes_behind_the_limit_do_not_count(void **state)
{
    (void)state;
    const char text[] = "#include <a.h>\nint x;\n#include <b.h>\n";
    assert_int_equal(rw_last_include(text, strlen(text), 15), 15);
}

static void blanks_and_comments_are_skipped(void **state)
{
    (void)state;
    assert_int_equal(rw_blank_end("  /* ; */ // ;\n ;", 17, 0), 16);
    assert_int_equal(rw_blank_end("/* open", 7, 0), 7);
    assert_int_equal(rw_blank_end("/x", 2, 0), 0);
    assert_int_equal(rw_blank_end("", 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_include_is_found),
        cmocka_unit_test(includes_behind_the_limit_do_not_count),
        cmocka_unit_test(blanks_and_comments_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
