/* Members of nodes besides their children: constants, names, types, places, flags. */
#include "analysis/source/source.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct an_unit *unit_of(const char *text)
{
    static const char *const flags[] = {NULL};
    struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
    if (unit->problem)
        fail_msg("%s\n%s", text, unit->problem);
    return unit;
}

static const struct an_node *find_in(const struct an_node *roots, enum an_kind kind,
                                     const char *name)
{
    for (const struct an_node *root = roots; root; root = root->next)
        for (const struct an_node *node = root; node; node = an_next(root, node, false))
            if (node->kind == kind && (!name || (node->name && strcmp(node->name, name) == 0)))
                return node;
    return NULL;
}

/* The first node of the kind, with that name if one is given. */
static const struct an_node *find(const struct an_unit *unit, enum an_kind kind, const char *name)
{
    const struct an_node *node = find_in(unit->functions, kind, name);
    if (!node)
        node = find_in(unit->variables, kind, name);
    if (!node)
        fail_msg("no %s %s", an_kind_name(kind), name ? name : "");
    return node;
}

/* The value of an argument of use(), or that it has none. */
static void value_expect(const char *argument, const char *expected)
{
    char text[1024], value[32] = "none";
    snprintf(text, sizeof text,
             "enum { A, B = 7, C }; static const int K = B + 1; const volatile int S = 1; const "
             "unsigned char Y = 300;\n"
             "#define M (-2)\n#define N M * 3\nextern int v; int w = 3; const int *P;\n"
             "void use(long long);\nvoid f(void) { const int l = 4; use(%s); (void)l; }\n",
             argument);
    struct an_unit *unit = unit_of(text);
    const struct an_node *node = an_argument(find(unit, AN_CALL, "use"), 0);
    if (node->constant)
        snprintf(value, sizeof value, "%" PRId64, node->value);
    if (strcmp(value, expected) != 0)
        fail_msg("%s is %s, not %s", argument, value, expected);
    an_unit_destroy(unit);
}

static void constants_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *argument, *value;
    } cases[] = {
        {"1", "1"},
        {"'a'", "97"},
        {"0x7fffffff", "2147483647"},
        {"0xffffffff", "4294967295"},
        {"C", "8"},
        {"K", "8"},
        {"Y", "44"},
        {"l", "4"},
        {"M", "-2"},
        {"N", "-6"},
        {"-(1)", "-1"},
        {"~0u", "4294967295"},
        {"!3", "0"},
        {"(char)257", "1"},
        {"(_Bool)257", "1"},
        {"(unsigned)-1", "4294967295"},
        {"2147483647 + 1", "-2147483648"},
        {"4000000000u + 4000000000u", "3705032704"},
        {"7 / 2 - 7 % 4 + (1 << 4)", "16"},
        {"-7 / 2", "-3"},
        {"-8 >> 1", "-4"},
        {"(6 & 3) | (6 ^ 3)", "7"},
        {"-1 < 1u", "0"},
        {"-1 < 1", "1"},
        {"-1 == 0xffffffffu", "1"},
        {"-1LL == 0xffffffffu", "0"},
        {"B > 6 && C != 7", "1"},
        {"1 ? 2 : 3", "2"},
        {"v ? 2 : 2", "none"},
        {"1 / 0", "none"},
        {"1 << 40", "none"},
        {"1LL << 40", "1099511627776"},
        {"v", "none"},
        {"w", "none"},
        {"*P", "none"},
        {"S", "none"},
        {"sizeof(int)", "none"},
        {"(int)1.5", "none"},
        {"v + 1", "none"},
        {"18446744073709551615ull", "-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        value_expect(cases[i].argument, cases[i].value);
}

static void macros_name_whole_expressions(void **state)
{
    (void)state;
    struct an_unit *unit = unit_of("typedef int MPI_Comm;\nvoid use(int, ...);\n"
                                   "#define WORLD ((MPI_Comm)0x44000000)\n#define ANY (-2)\n"
                                   "#define SUM ANY + 1\n#define TWO 1, 2\n#define ALIAS WORLD\n"
                                   "#define OF(x) (x)\n"
                                   "void f(int i) { use(WORLD, ANY, ANY + 1, SUM, ALIAS, OF(3)); "
                                   "i = TWO; use(0, TWO); }\n");
    const struct an_node *call = find(unit, AN_CALL, "use");
    static const char *const texts[] = {"WORLD", "ANY", "ANY + 1", "SUM", "ALIAS", "3"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(an_text(unit, an_argument(call, i)), texts[i]);
    assert_string_equal(an_plain(an_argument(call, 0))->name, "WORLD");
    assert_int_equal(an_argument(call, 4)->value, 0x44000000);
    const struct an_node *second = an_child(an_body(unit->functions), 2);
    assert_string_equal(an_text(unit, second), "use(0, 1, 2)");
    an_unit_destroy(unit);
}

static enum an_class class_of(const char *declarations, const char *name)
{
    char text[1024];
    snprintf(text, sizeof text,
             "typedef int MPI_Comm; typedef int MPI_Request; typedef int MPI_Datatype;\n"
             "typedef struct MPI_Status { int MPI_SOURCE; } MPI_Status; typedef int MPI_Message;\n"
             "typedef MPI_Request my_request;\n#define hypre_Status MPI_Status\n"
             "typedef struct { my_request *r; } *box; enum e { A };\n%s\n",
             declarations);
    struct an_unit *unit = unit_of(text);
    const struct an_node *node = find(unit, AN_VARIABLE, name);
    enum an_class class = node->type->class;
    if (class == AN_POINTER || class == AN_ARRAY)
        class = node->type->below->class + 100;
    an_unit_destroy(unit);
    return class;
}

static void types_have_classes(void **state)
{
    (void)state;
    static const struct {
        const char *declaration;
        unsigned class;
    } cases[] = {
        {"MPI_Comm x;", AN_COMM},
        {"const MPI_Comm x;", AN_COMM},
        {"my_request x;", AN_REQUEST},
        {"my_request x[3];", 100 + AN_REQUEST},
        {"MPI_Request *x;", 100 + AN_REQUEST},
        {"my_request const *const x;", 100 + AN_REQUEST},
        {"hypre_Status x;", AN_STATUS},
        {"struct MPI_Status x;", AN_RECORD},
        {"MPI_Message x;", AN_MESSAGE},
        {"MPI_Datatype x;", AN_DATATYPE},
        {"int x;", AN_INTEGER},
        {"_Bool x;", AN_INTEGER},
        {"enum e x;", AN_INTEGER},
        {"unsigned long long x;", AN_INTEGER},
        {"float x;", AN_FLOATING},
        {"_Complex double x;", AN_FLOATING},
        {"void *x;", 100 + AN_VOID},
        {"box x;", 100 + AN_RECORD},
        {"int (*x)(int);", 100 + AN_FUNCTION_TYPE},
        {"union { int a; } x;", AN_RECORD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (class_of(cases[i].declaration, "x") != cases[i].class)
            fail_msg("%s: class %d", cases[i].declaration, class_of(cases[i].declaration, "x"));
}

static void array_parameters_are_pointers(void **state)
{
    (void)state;
    struct an_unit *unit = unit_of("typedef int MPI_Request; int f(MPI_Request r[], char *v[2]) "
                                   "{ return r[0] + *v[1]; }");
    const struct an_node *r = find(unit, AN_PARAMETER, "r");
    assert_int_equal(r->type->class, AN_POINTER);
    assert_int_equal(r->type->below->class, AN_REQUEST);
    assert_string_equal(find(unit, AN_PARAMETER, "v")->type->name, "char **");
    assert_ptr_equal(find(unit, AN_REFERENCE, "r")->type, r->type);
    an_unit_destroy(unit);
}

static void storages_and_identities(void **state)
{
    (void)state;
    struct an_unit *unit =
        unit_of("int g; static int s; extern int e; int h(int);\n"
                "#define BOTH { int t = 1; g = t; }\n"
                "int f(int p) { int l = g; static int c; extern int x; { int l = s; h(l); } BOTH "
                "BOTH return p + l + c + e + x; }\n");
    static const struct {
        const char *name;
        enum an_storage storage;
        bool internal;
    } cases[] = {
        {"g", AN_GLOBAL, false},         {"s", AN_GLOBAL, true},
        {"e", AN_GLOBAL, false},         {"x", AN_GLOBAL, false},
        {"h", AN_FUNCTION_NAME, false},  {"p", AN_PARAMETER_VARIABLE, false},
        {"l", AN_LOCAL_VARIABLE, false}, {"c", AN_STATIC_LOCAL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct an_node *node = find(unit, AN_REFERENCE, cases[i].name);
        if (node->storage != cases[i].storage || node->internal != cases[i].internal)
            fail_msg("%s: storage %d", cases[i].name, node->storage);
    }
    const struct an_node *body = an_body(unit->functions);
    const struct an_node *outer = an_child(body, 0)->child;
    const struct an_node *inner = an_child(an_child(body, 3), 0)->child;
    assert_string_equal(outer->name, inner->name);
    assert_ptr_not_equal(outer->symbol, inner->symbol);
    const struct an_node *first = an_child(body, 4), *second = an_child(body, 5);
    assert_ptr_not_equal(first->child->child->symbol, second->child->child->symbol);
    assert_ptr_equal(second->child->child->symbol, an_child(an_child(second, 1), 1)->symbol);
    an_unit_destroy(unit);
}

static void calls_say_who_is_called(void **state)
{
    (void)state;
    struct an_unit *unit =
        unit_of("#include <stdlib.h>\nint g(int); _Noreturn void quit(void);\n"
                "__attribute__((noreturn)) void stop(void); int MPI_Abort(int, int);\n"
                "struct s { int (*call)(int); };\n#define G(x) g(x)\n"
                "static int v(int n, ...) { return n; }\n"
                "void f(struct s *s) { g(1); s->call(2); (*g)(3); G(4); exit(5); "
                "quit(); stop(); MPI_Abort(0, 1); v(6); g(g(7)); }\n");
    const struct an_node *call = find(unit, AN_CALL, NULL);
    assert_string_equal(call->name, "g");
    assert_false(call->by_macro || call->system || call->noreturn);
    assert_null((call = call->next)->name);
    assert_string_equal((call = call->next)->name, "g");
    assert_true((call = call->next)->by_macro);
    assert_string_equal(call->name, "g");
    call = call->next;
    assert_true(call->system && call->noreturn);
    for (unsigned i = 0; i < 3; i++)
        assert_true((call = call->next)->noreturn);
    assert_false((call = call->next)->noreturn);
    assert_true(call->internal);
    assert_true(find(unit, AN_FUNCTION, "v")->variadic);
    assert_true(find(unit, AN_FUNCTION, "v")->internal);
    assert_false(find(unit, AN_FUNCTION, "f")->variadic);
    assert_true(find(unit, AN_MEMBER, "call")->arrow);
    assert_non_null(find(unit, AN_MEMBER, "call")->symbol);
    an_unit_destroy(unit);
}

static void a_name_alone_ends_nothing(void **state)
{
    (void)state;
    struct an_unit *unit = unit_of("#include <err.h>\nextern void (*get(int))(void) "
                                   "__attribute__((noreturn));\n"
                                   "void at_end(void (*)(void) __attribute__((noreturn)));\n"
                                   "static void quick_exit(int n) { use(&n); }\n"
                                   "void abort(void);\n"
                                   "void f(void) { errx(1, \"\"); abort(); at_end(0); get(1); "
                                   "quick_exit(0); }\n");
    const struct an_node *call = find(unit, AN_CALL, "errx");
    assert_true(call->noreturn);
    assert_true((call = call->next)->noreturn);
    while ((call = call->next))
        assert_false(call->noreturn);
    an_unit_destroy(unit);
}

static void place_expect(const struct an_node *node, unsigned line, unsigned column,
                         unsigned length, bool editable)
{
    assert_string_equal(node->place.file, "test.c");
    assert_int_equal(node->place.line, line);
    assert_int_equal(node->place.column, column);
    assert_int_equal(node->end.offset - node->place.offset, length);
    assert_int_equal(node->editable, editable);
}

static void places_are_those_of_the_reader(void **state)
{
    (void)state;
    struct an_unit *unit = unit_of("int g(int);\n#define DO(x) do { g(x); } while (0)\n"
                                   "#define GET(v, x) v = x\n#define TWICE(x) g(x); g(x)\n"
                                   "#define PASS(x) x\n#define LOOP for (;;)\n"
                                   "void f(int v)\n{\n    g(1);\n    DO(g(2));\n    GET(v, g(3));\n"
                                   "    TWICE(4);\n    PASS(g(5));\n    int w = 6;\n"
                                   "    LOOP { g(7); }\n}\n");
    const struct an_node *node = an_body(unit->functions);
    place_expect(node, 8, 1, 109, true);
    place_expect(node = node->child, 9, 5, 4, true);
    place_expect(node = node->next, 10, 5, 8, true);
    place_expect(node->child, 10, 5, 8, false);
    place_expect(an_argument(node->child->child, 0), 10, 8, 4, false);
    place_expect(node = node->next, 11, 9, 7, false);
    place_expect(node = node->next, 12, 5, 8, false);
    place_expect(node = node->next, 12, 5, 8, false);
    place_expect(node = node->next, 13, 10, 4, false);
    place_expect(node = node->next, 14, 5, 9, true);
    place_expect(node = node->next, 15, 5, 14, true);
    place_expect(an_child(node, 3), 15, 10, 9, true);
    an_unit_destroy(unit);
}

static void a_directive_is_part_of_its_statement(void **state)
{
    (void)state;
    static const char text[] =
        "int g(int);\nvoid f(void)\n{\n  #pragma omp parallel\n    g(1);\n}\n";
    static const char *const flags[] = {"-fopenmp", NULL};
    struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
    const struct an_node *node = an_body(unit->functions)->child;
    assert_int_equal(node->kind, AN_PARALLEL);
    place_expect(node, 4, 3, 29, true);
    place_expect(node->child, 5, 5, 4, false);
    an_unit_destroy(unit);
}

static void deep_nesting_is_a_problem(void **state)
{
    (void)state;
    char text[4 * AN_DEPTH + 64] = "int f(int a) { return a";
    for (unsigned i = 0; i < AN_DEPTH; i++)
        strcat(text, "+a");
    strcat(text, "; }");
    static const char *const flags[] = {NULL};
    struct an_unit *unit = an_source_read("test.c", text, strlen(text), flags);
    assert_non_null(unit->problem);
    assert_non_null(strstr(unit->problem, "test.c:1:23: more than"));
    assert_null(unit->functions);
    an_unit_destroy(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(macros_name_whole_expressions),
        cmocka_unit_test(types_have_classes),
        cmocka_unit_test(array_parameters_are_pointers),
        cmocka_unit_test(storages_and_identities),
        cmocka_unit_test(calls_say_who_is_called),
        cmocka_unit_test(a_name_alone_ends_nothing),
        cmocka_unit_test(places_are_those_of_the_reader),
        cmocka_unit_test(a_directive_is_part_of_its_statement),
        cmocka_unit_test(deep_nesting_is_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
