/* The parser: facts from text, and what is no fact. */
#include "analysis/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <utlist.h>

static const char head[] = "typedef int MPI_Status; int MPI_Recv(void *, int, int, int, int, int, "
                           "MPI_Status *); int MPI_Iprobe(int, int, int, int *, MPI_Status *);\n"
                           "#define ANY (-2)\n";

static struct an_facts *facts_of(const char *text)
{
    static const char *const flags[] = {"-fno-such-flag", "-O2", "-DX=1", NULL};
    return an_unit_read("test.c", text, strlen(text), flags);
}

static void wildcard_expect(const char *body, enum an_wild expected)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, body);
    struct an_facts *facts = facts_of(text);
    assert_null(facts->problem);
    if (expected == AN_WILD_NO)
        assert_null(facts->sites);
    else if (!facts->sites || facts->sites->source != expected)
        fail_msg("not judged as expected: %s", body);
    an_facts_destroy(facts);
}

static void wildcards_are_found_by_position(void **state)
{
    (void)state;
    wildcard_expect("void f(void) { MPI_Recv(0, 1, 0, -2, 0, 0, 0); }", AN_WILD_YES);
    wildcard_expect("void f(void) { MPI_Recv(0, 1, 0, ANY, 0, 0, 0); }", AN_WILD_YES);
    wildcard_expect("enum { e = -2 }; void f(void) { MPI_Recv(0, 1, 0, e, 0, 0, 0); }",
                    AN_WILD_YES);
    wildcard_expect("void f(int c) { MPI_Recv(0, 1, 0, c ? 1 : -2, 0, 0, 0); }", AN_WILD_MAYBE);
    wildcard_expect("void f(void) { int s = ANY; MPI_Recv(0, 1, 0, s, 0, 0, 0); }", AN_WILD_MAYBE);
    wildcard_expect("void f(int s) { MPI_Recv(0, 1, 0, s, 0, 0, 0); }", AN_WILD_MAYBE);
    wildcard_expect("static void f(int s) { MPI_Recv(0, 1, 0, s, 0, 0, 0); } "
                    "void g(void) { f(ANY); }",
                    AN_WILD_MAYBE);
    wildcard_expect("static void f(int s) { MPI_Recv(0, 1, 0, s, 0, 0, 0); } "
                    "void g(void) { f(3); }",
                    AN_WILD_NO);
    /* -1 is MPI_PROC_NULL as a source, and a wildcard only as a tag. */
    wildcard_expect("void f(void) { MPI_Recv(0, 1, 0, -1, 0, 0, 0); }", AN_WILD_NO);
}

static void places_are_those_of_the_expansion(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "%s#define POLL(f) MPI_Iprobe(1, 1, 0, f, 0)\nvoid g(int *f)\n{\n  POLL(f);\n}\n",
             head);
    struct an_facts *facts = facts_of(text);
    assert_non_null(facts->sites);
    assert_int_equal(facts->sites->place.line, 6);
    assert_int_equal(facts->sites->place.column, 3);
    assert_false(facts->sites->place.editable);
    assert_string_equal(facts->sites->function, "g");
    an_facts_destroy(facts);
}

static void what_clang_rejects_is_a_problem(void **state)
{
    (void)state;
    struct an_facts *facts = facts_of("int main(void)\n{\n  int f(void) { return 0; }\n}\n");
    assert_non_null(facts->problem);
    assert_non_null(strstr(facts->problem, "test.c:3:"));
    assert_null(facts->functions);
    an_facts_destroy(facts);
}

static void what_gcc_takes_is_no_problem(void **state)
{
    (void)state;
    struct an_facts *facts = facts_of("f(a) int *a; { return g(a); } int *h(void) { return 1; }");
    assert_null(facts->problem);
    an_facts_destroy(facts);
}

static void lines_left_out_are_noted(void **state)
{
    (void)state;
    struct an_facts *facts = facts_of("#if 0\nint f(void);\n#endif\nint x;\n");
    assert_non_null(facts->gaps);
    assert_int_equal(facts->gaps->first, 1);
    assert_int_equal(facts->gaps->last, 3);
    an_facts_destroy(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wildcards_are_found_by_position),
        cmocka_unit_test(places_are_those_of_the_expansion),
        cmocka_unit_test(what_clang_rejects_is_a_problem),
        cmocka_unit_test(what_gcc_takes_is_no_problem),
        cmocka_unit_test(lines_left_out_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
