/* Records against their first hole: "FIELD BIT" of what it follows and where it begins, "none", or
 * "unknown" for a record that has no layout. */
#include "analysis/source/source.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct record_case {
    const char *members, *hole;
} cases[] = {
    {"int a; int b; double c;", "none"},
    {"char a; double b;", "a 8"},
    {"double a; char b;", "b 72"},
    {"char a[3]; char b; int c;", "none"},
    {"char a[3]; int c;", "a 24"},
    {"double a; char b; char rest[];", "none"},
    {"double a; int b; double rest[];", "b 96"},
    {"struct { char a; double b; } in; int c;", "in 8"},
    {"int c; int d; struct { char a; double b; } in[4];", "in 72"},
    {"int c; struct { int a; int b; } in[4];", "none"},
    {"struct { char a; int b; }; int c;", " 8"},
    {"union { char a; double b; } u; int c; int d;", "none"},
    {"union { char a[9]; double b; } u;", "u 72"},
    {"union { struct { char x; int y; } a; int b[2]; } u;", "none"},
    {"unsigned a : 3; unsigned b : 29;", "none"},
    {"unsigned a : 3;", "a 3"},
    {"unsigned a : 3; unsigned : 5; unsigned b : 24;", "a 3"},
    {"struct s *next; int a; int b;", "none"},
    {"struct s *next; int a;", "a 96"},
    {"", "none"},
};

static const struct an_layout *layout_of(const struct an_unit *unit)
{
    const struct an_node *function = unit->functions;
    return function->child->type->below->layout;
}

static void holes_are_found(void **state)
{
    (void)state;
    static const char *const flags[] = {NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], found[64] = "unknown";
        snprintf(text, sizeof text, "struct s { %s };\nvoid f(struct s *p) { (void)p; }\n",
                 cases[i].members);
        struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
        if (unit->problem)
            fail_msg("%s: %s", cases[i].members, unit->problem);
        const struct an_layout *layout = layout_of(unit);
        if (layout && layout->before)
            snprintf(found, sizeof found, "%s %" PRIu64, layout->before->name, layout->hole);
        else if (layout)
            strcpy(found, layout->hole == layout->size ? "none" : "broken");
        if (strcmp(found, cases[i].hole) != 0)
            fail_msg("%s\n  is %s, not %s", cases[i].members, found, cases[i].hole);
        an_unit_destroy(unit);
    }
}

static void packed_and_open_records(void **state)
{
    (void)state;
    static const char text[] = "struct __attribute__((packed)) s { char a; double b; };\n"
                               "void f(struct s *p) { (void)p; }\n"
                               "struct open;\nvoid g(struct open *p) { (void)p; }\n";
    static const char *const flags[] = {NULL};
    struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
    assert_null(unit->problem);
    assert_int_equal(layout_of(unit)->size, 72);
    assert_null(layout_of(unit)->before);
    assert_null(unit->functions->next->child->type->below->layout);
    an_unit_destroy(unit);
}

static void sizes_are_known(void **state)
{
    (void)state;
    static const char text[] =
        "struct s { char a; double b; };\n"
        "unsigned long f(int n) { int v[n]; return sizeof(struct s) + sizeof v; }\n";
    static const char *const flags[] = {NULL};
    struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
    unsigned sizes = 0, computed = 0;
    for (const struct an_node *n = unit->functions; n; n = an_next(unit->functions, n, false))
        if (n->kind == AN_SIZEOF) {
            assert_int_equal(n->value, 16);
            sizes++;
        } else if (n->kind == AN_OTHER) {
            assert_string_equal(n->child->name, "n");
            computed++;
        }
    assert_int_equal(sizes, 1);
    assert_int_equal(computed, 1);
    an_unit_destroy(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holes_are_found),
                                       cmocka_unit_test(packed_and_open_records),
                                       cmocka_unit_test(sizes_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
