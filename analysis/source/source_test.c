/* C text against the tree that it gives: statements, expressions and the traps of libclang. */
#include "analysis/source/source.h"
#include "analysis/tree/dump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char head[] =
    "typedef int MPI_Comm; int g(int); int h(); void use(void *);\n"
    "extern int i, j, k, n, *p, a[9], m[3][4]; extern double d;\n"
    "enum { E = 5, F };\n"
    "struct s { int x; struct { int y; }; struct s *next; int (*call)(int); int v[3]; };\n"
    "extern struct s s, *q;\n";

static struct an_unit *unit_of(const char *text)
{
    static const char *const flags[] = {"-O2", "-DX=1", "-fopenmp", NULL};
    return an_source_read("test.c", text, strlen(text), flags);
}

struct pair {
    const char *text, *tree;
};

/* The statements `text` as the body of a function. */
static void body_expect(const struct pair *expected)
{
    char text[4096];
    snprintf(text, sizeof text, "%svoid f(int b, char *c)\n{\n%s\n}\n", head, expected->text);
    struct an_unit *unit = unit_of(text);
    if (unit->problem)
        fail_msg("%s: %s", expected->text, unit->problem);
    char *tree = an_dump_node(an_body(unit->functions));
    if (strcmp(tree, expected->tree) != 0)
        fail_msg("%s\n  is       %s\n  expected %s", expected->text, tree, expected->tree);
    free(tree);
    an_unit_destroy(unit);
}

static void bodies_expect(const struct pair *cases, size_t count)
{
    for (size_t c = 0; c < count; c++)
        body_expect(&cases[c]);
}

#define EXPECT(cases) bodies_expect(cases, sizeof cases / sizeof *cases)

static void computed_lengths_are_run(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"int l[g(1)][i], (*o)[g(2)] = 0, r[9]; g(3);",
         "(BLOCK (CALL g 1) (CALL g 2) (DECLARE (VARIABLE l -) (VARIABLE o 0) (VARIABLE r -)) "
         "(CALL g 3))"},
        {"for (char l[g(1)];;) ;",
         "(BLOCK (BLOCK (CALL g 1) (FOR (DECLARE (VARIABLE l -)) - - -)))"},
        {"p = *(int (*)[g(1)][n][j++])c;",
         "(BLOCK (ASSIGN p (UNARY u* (CAST (BINARY , (UNARY x++ j) (BINARY , (CALL g 1) c))))))"},
        {"typedef int t[j++]; t l;", "(BLOCK (UNARY x++ j) (DECLARE) (DECLARE (VARIABLE l -)))"},
        {"int l[i][j], o[9]; b = sizeof l; b = sizeof(l[0]); b = sizeof(int[k]); b = sizeof o;",
         "(BLOCK (DECLARE (VARIABLE l -) (VARIABLE o -)) (ASSIGN b (OTHER j i)) "
         "(ASSIGN b (OTHER j i 0)) (ASSIGN b (OTHER k)) (ASSIGN b (SIZEOF)))"},
    };
    EXPECT(cases);
}

static void statements_have_all_parts(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"", "(BLOCK)"},
        {";", "(BLOCK -)"},
        {"if (i) g(1);", "(BLOCK (IF i (CALL g 1) -))"},
        {"if (i) ; else g(1);", "(BLOCK (IF i - (CALL g 1)))"},
        {"if (i) g(1); else if (j) g(2); else { }",
         "(BLOCK (IF i (CALL g 1) (IF j (CALL g 2) (BLOCK))))"},
        {"while (i) { g(1); }", "(BLOCK (WHILE i (BLOCK (CALL g 1))))"},
        {"while (1) ;", "(BLOCK (WHILE 1 -))"},
        {"do g(1); while (i);", "(BLOCK (DO (CALL g 1) i))"},
        {"return;", "(BLOCK (RETURN -))"},
        {"int l = 1, o; { int r; }",
         "(BLOCK (DECLARE (VARIABLE l 1) (VARIABLE o -)) (BLOCK (DECLARE (VARIABLE r -))))"},
        {"struct t { int x; } t; typedef int u; int v(void); u w = 2;",
         "(BLOCK (DECLARE (VARIABLE t -)) (DECLARE) (DECLARE) (DECLARE (VARIABLE w 2)))"},
        {"l: g(1); goto l;", "(BLOCK (LABEL l (CALL g 1)) (GOTO l))"},
        {"goto l; l: ;", "(BLOCK (GOTO l) (LABEL l -))"},
        {"void *to = &&l; l: goto *to;",
         "(BLOCK (DECLARE (VARIABLE to (OTHER))) (LABEL l (GOTO)))"},
        {"while (i) { if (j) break; continue; }",
         "(BLOCK (WHILE i (BLOCK (IF j (BREAK) -) (CONTINUE))))"},
        {"__asm__(\"\" : \"=r\"(i) : \"r\"(j + 1));", "(BLOCK (ASM i (BINARY + j 1)))"},
        {"__asm__(\"mov %1, %0\" : \"=r\"(i) : \"r\"(j));", "(BLOCK (ASM values i j))"},
    };
    EXPECT(cases);
}

#define CLEANED "\n#define CL(f) __attribute__((__cleanup__(f)))\n"

static void what_is_cleaned_up_is_called_where_its_scope_ends(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {CLEANED "{ CL(use) int l = 1; CL(use) char o; g(1); } g(2);",
         "(BLOCK (BLOCK (DECLARE (VARIABLE l 1)) (DECLARE (VARIABLE o -)) (CALL g 1) "
         "(CALL use (UNARY u& o)) (CALL use (UNARY u& l))) (CALL g 2))"},
        {"int l __attribute__((cleanup(use))); if (i) return; g(1);",
         "(BLOCK (DECLARE (VARIABLE l -)) (IF i (BLOCK (CALL use (UNARY u& l)) (RETURN -)) -) "
         "(CALL g 1) (CALL use (UNARY u& l)))"},
        {"while (i) { int l __attribute__((cleanup(use))); if (j) break; if (k) continue; while "
         "(n) "
         "break; }",
         "(BLOCK (WHILE i (BLOCK (DECLARE (VARIABLE l -)) (IF j (BLOCK (CALL use (UNARY u& l)) "
         "(BREAK)) -) (IF k (BLOCK (CALL use (UNARY u& l)) (CONTINUE)) -) (WHILE n (BREAK)) "
         "(CALL use (UNARY u& l)))))"},
        {"{ int l __attribute__((cleanup(use))); goto in; in: goto out; } out: ;",
         "(BLOCK (BLOCK (DECLARE (VARIABLE l -)) (BLOCK (GOTO in)) (LABEL in (BLOCK "
         "(CALL use (UNARY u& l)) (GOTO out))) (CALL use (UNARY u& l))) (LABEL out -))"},
        {"again: ; int l __attribute__((cleanup(use))); goto again;",
         "(BLOCK (LABEL again -) (DECLARE (VARIABLE l -)) (BLOCK (CALL use (UNARY u& l)) "
         "(GOTO again)) (CALL use (UNARY u& l)))"},
        {"for (int l __attribute__((cleanup(use))) = 0;;) { break; }",
         "(BLOCK (BLOCK (FOR (DECLARE (VARIABLE l 0)) - - (BLOCK (BREAK))) "
         "(CALL use (UNARY u& l))))"},
        {"i = ({ int l __attribute__((cleanup(use))) = 1; l; });",
         "(BLOCK (ASSIGN i (STATEMENTS (BLOCK (DECLARE (VARIABLE l 1)) (DECLARE (VARIABLE kept l)) "
         "(CALL use (UNARY u& l)) kept))))"},
        {"void late(int *); int l __attribute__((cleanup(late)));",
         "(BLOCK (DECLARE) (DECLARE (VARIABLE l -)) (CALL cleanup of l (UNARY u& l)))"},
        {"static int l __attribute__((cleanup(use)));", "(BLOCK (DECLARE (VARIABLE l -)))"},
    };
    EXPECT(cases);
}

static void what_is_returned_is_computed_before_the_cleanup(void **state)
{
    (void)state;
    static const char text[] =
        "void use(void *); int g(int);\n"
        "int f(int b) { int l __attribute__((cleanup(use))) = b; return g(l); }";
    struct an_unit *unit = unit_of(text);
    char *tree = an_dump_node(an_body(unit->functions));
    assert_string_equal(tree, "(BLOCK (DECLARE (VARIABLE l b)) (BLOCK (DECLARE (VARIABLE kept "
                              "(CALL g l))) (CALL use (UNARY u& l)) (RETURN kept)) "
                              "(CALL use (UNARY u& l)))");
    free(tree);
    an_unit_destroy(unit);
}

static void switches_keep_their_labels(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"switch (i) { case 1: g(1); break; case E: case F: g(2); default: g(3); }",
         "(BLOCK (SWITCH i (BLOCK (CASE 1 (CALL g 1)) (BREAK) (CASE 5 (CASE 6 (CALL g 2))) "
         "(DEFAULT (CALL g 3)))))"},
        {"switch (i) case -2: g(1);", "(BLOCK (SWITCH i (CASE -2 (CALL g 1))))"},
        {"switch (i) { case 2 ... 4: ; }", "(BLOCK (SWITCH i (BLOCK (CASE 2 -))))"},
        {"switch (i) { g(0); case 0: while (j) { case 1: g(1); } }",
         "(BLOCK (SWITCH i (BLOCK (CALL g 0) (CASE 0 (WHILE j (BLOCK (CASE 1 (CALL g 1))))))))"},
        {"switch (i) { case 0: g(1); __attribute__((fallthrough)); default: ; }",
         "(BLOCK (SWITCH i (BLOCK (CASE 0 (CALL g 1)) - (DEFAULT -))))"},
    };
    EXPECT(cases);
}

static void headers_of_for_are_told_apart(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"for (i = 0; i < n; i++) g(i);",
         "(BLOCK (FOR (ASSIGN i 0) (BINARY < i n) (UNARY x++ i) (CALL g i)))"},
        {"for (;;) ;", "(BLOCK (FOR - - - -))"},
        {"for (i = 0;; i++) ;", "(BLOCK (FOR (ASSIGN i 0) - (UNARY x++ i) -))"},
        {"for (; i; i++) ;", "(BLOCK (FOR - i (UNARY x++ i) -))"},
        {"for (i = 0; i;) ;", "(BLOCK (FOR (ASSIGN i 0) i - -))"},
        {"for (i++; j++;) ;", "(BLOCK (FOR (UNARY x++ i) (UNARY x++ j) - -))"},
        {"for (; i++; j++) ;", "(BLOCK (FOR - (UNARY x++ i) (UNARY x++ j) -))"},
        {"for (i++;; j++) ;", "(BLOCK (FOR (UNARY x++ i) - (UNARY x++ j) -))"},
        {"for (i++;;) ;", "(BLOCK (FOR (UNARY x++ i) - - -))"},
        {"for (; i++;) ;", "(BLOCK (FOR - (UNARY x++ i) - -))"},
        {"for (;; i++) ;", "(BLOCK (FOR - - (UNARY x++ i) -))"},
        {"for (int o = 0;; o++) ;", "(BLOCK (FOR (DECLARE (VARIABLE o 0)) - (UNARY x++ o) -))"},
        {"for (i = 0 /* ; */; ; i++ /* ; */) ;", "(BLOCK (FOR (ASSIGN i 0) - (UNARY x++ i) -))"},
        {"for (// ;\n; *\";\" ; i++) ;", "(BLOCK (FOR - (UNARY u* (STRING)) (UNARY x++ i) -))"},
        {"for (use(\"a;b\");; i++) ;", "(BLOCK (FOR (CALL use (STRING)) - (UNARY x++ i) -))"},
        {"for (i = ';';; i++) ;", "(BLOCK (FOR (ASSIGN i 59) - (UNARY x++ i) -))"},
        {"for (({ g(1); g(2); });; i++) ;",
         "(BLOCK (FOR (STATEMENTS (BLOCK (CALL g 1) (CALL g 2))) - (UNARY x++ i) -))"},
        {"for (; ({ g(1); i; }); ) ;", "(BLOCK (FOR - (STATEMENTS (BLOCK (CALL g 1) i)) - -))"},
    };
    EXPECT(cases);
}

static void headers_of_for_in_macros(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"\n#define EVER for (;;)\nEVER g(1);", "(BLOCK (FOR - - - (CALL g 1)))"},
        {"\n#define UP(v) for (v = 0;; v++)\nUP(i) g(1);",
         "(BLOCK (FOR (ASSIGN i 0) - (UNARY x++ i) (CALL g 1)))"},
        {"\n#define ON(v) for (; v; v++)\nON(i) g(1);",
         "(BLOCK (FOR - i (UNARY x++ i) (CALL g 1)))"},
        {"\n#define TO(v) for (v = 0; v < n;)\nTO(i) g(1);",
         "(BLOCK (FOR (ASSIGN i 0) (BINARY < i n) - (CALL g 1)))"},
        {"\n#define ONE 1\n#define PAIR ONE, ONE\nh(PAIR);", "(BLOCK (CALL h 1 1))"},
        {"\n#define SPIN for (; i--;)\nSPIN g(1);", "(BLOCK (FOR - (UNARY x-- i) - (CALL g 1)))"},
        {"\n#define ZERO i = 0\nfor (ZERO;; i++) ;",
         "(BLOCK (FOR (ASSIGN i 0) - (UNARY x++ i) -))"},
        {"\n#define ID(x) x\nfor (; ID(i); ID(i)++) ;", "(BLOCK (FOR - i (UNARY x++ i) -))"},
        {"\n#define ID(x) x\nID(for (; i++; j++) ;)",
         "(BLOCK (FOR - (UNARY x++ i) (UNARY x++ j) -))"},
    };
    EXPECT(cases);
}

static void expressions_lose_what_says_nothing(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"d = ((i)) + 1.5;", "(BLOCK (ASSIGN d (BINARY + i (NUMBER 1.5))))"},
        {"d = -2.5e-3f * 0x1p+4;", "(BLOCK (ASSIGN d (BINARY * (UNARY u- (NUMBER 2.5e-3f)) (NUMBER "
                                   "0x1p+4))))"},
        {"i += j << 2;", "(BLOCK (ASSIGN + i (BINARY << j 2)))"},
        {"i = j = k;", "(BLOCK (ASSIGN i (ASSIGN j k)))"},
        {"i -= 1, j |= 2, k >>= 3;",
         "(BLOCK (BINARY , (BINARY , (ASSIGN - i 1) (ASSIGN | j 2)) (ASSIGN >> k 3)))"},
        {"i = !j && ~k || -n;",
         "(BLOCK (ASSIGN i (BINARY || (BINARY && (UNARY ! j) (UNARY ~ k)) (UNARY u- n))))"},
        {"i = j ? 1 : k;", "(BLOCK (ASSIGN i (CHOOSE j 1 k)))"},
        {"i = g(j) ?: k;", "(BLOCK (ASSIGN i (CHOOSE (CALL g j) (CALL g j) k)))"},
        {"p = &a[i];", "(BLOCK (ASSIGN p (UNARY u& (INDEX a i))))"},
        {"i = 1[a] + *p++;", "(BLOCK (ASSIGN i (BINARY + (INDEX a 1) (UNARY u* (UNARY x++ p)))))"},
        {"m[i][j] = --k;", "(BLOCK (ASSIGN (INDEX (INDEX m i) j) (UNARY --x k)))"},
        {"d = (double)i;", "(BLOCK (ASSIGN d (CAST i)))"},
        {"i = sizeof(int) + sizeof j + _Alignof(int);",
         "(BLOCK (ASSIGN i (BINARY + (BINARY + (SIZEOF) (SIZEOF)) (SIZEOF))))"},
        {"i = __builtin_offsetof(struct s, v[1]);", "(BLOCK (ASSIGN i (SIZEOF)))"},
        {"i = ({ int r = g(1); r; });",
         "(BLOCK (ASSIGN i (STATEMENTS (BLOCK (DECLARE (VARIABLE r (CALL g 1))) r))))"},
        {"i = __builtin_expect(!!(j), 0);", "(BLOCK (ASSIGN i (UNARY ! (UNARY ! j))))"},
        {"i = __extension__ j;", "(BLOCK (ASSIGN i j))"},
        {"c = \"a\" \"b\"; c = (char *)__func__;",
         "(BLOCK (ASSIGN c (STRING)) (ASSIGN c (CAST (STRING))))"},
        {"__builtin_va_list l; i = __builtin_va_arg(l, int);",
         "(BLOCK (DECLARE (VARIABLE l -)) (ASSIGN i (OTHER l)))"},
        {"i = __real__ d;", "(BLOCK (ASSIGN i (OTHER d)))"},
    };
    EXPECT(cases);
}

static void members_and_lists(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"s.x = q->x;", "(BLOCK (ASSIGN (MEMBER x s) (MEMBER x q)))"},
        {"s.y = q->next->y;", "(BLOCK (ASSIGN (MEMBER y s) (MEMBER y (MEMBER next q))))"},
        {"i = q->v[1] + s.call(2) + (*q->call)(3);",
         "(BLOCK (ASSIGN i (BINARY + (BINARY + (INDEX (MEMBER v q) 1) (CALL (MEMBER call s) 2)) "
         "(CALL (UNARY u* (MEMBER call q)) 3))))"},
        {"int l[] = {1, i, [4] = 2};", "(BLOCK (DECLARE (VARIABLE l (LIST 1 i 2))))"},
        {"struct s l = {.x = i, .v = {1, [2] = j}, .call = g};",
         "(BLOCK (DECLARE (VARIABLE l (LIST i (LIST 1 j) g))))"},
        {"use((int[]){i, 2}); use(&(struct s){.x = 1});",
         "(BLOCK (CALL use (LIST i 2)) (CALL use (UNARY u& (LIST 1))))"},
        {"int l[2][2] = {{1, 2}, {3}};",
         "(BLOCK (DECLARE (VARIABLE l (LIST (LIST 1 2) (LIST 3)))))"},
        {"int l[i + 1];", "(BLOCK (DECLARE (VARIABLE l -)))"},
        {"int (*l)(int) = g; l(1); (&g)(2); (*g)(3);",
         "(BLOCK (DECLARE (VARIABLE l g)) (CALL l 1) (CALL (UNARY u& g) 2) (CALL (UNARY u* g) 3))"},
    };
    EXPECT(cases);
}

static void a_choice_of_functions_is_one_of_calls(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"(i ? g : h)(j);", "(BLOCK (CHOOSE i (CALL g j) (CALL h j)))"},
        {"k = (*(i ? &g : s.call))(j);", "(BLOCK (ASSIGN k (CHOOSE i (CALL (UNARY u& g) j) "
                                         "(CALL (MEMBER call s) j))))"},
        {"((int (*)(int))(i ? g : j ? h : g))(k);",
         "(BLOCK (CHOOSE i (CALL g k) (CHOOSE j (CALL h k) (CALL g k))))"},
        {"(i ? g : h)((j ? g : h)(1));",
         "(BLOCK (CHOOSE i (CALL g (CHOOSE j (CALL g 1) (CALL h 1))) "
         "(CALL h (CHOOSE j (CALL g 1) (CALL h 1)))))"},
    };
    EXPECT(cases);
}

static void calls_and_loops_made_by_macros(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"\n#define CALL(x) do { g(x); } while (0)\nCALL(1);", "(BLOCK (DO (BLOCK (CALL g 1)) 0))"},
        {"\n#define RENAMED g\nRENAMED(1);", "(BLOCK (CALL g 1))"},
        {"h(1, 2); unknown(3);", "(BLOCK (CALL h 1 2) (CALL unknown 3))"},
    };
    EXPECT(cases);
}

static void directives_of_openmp_are_nodes(void **state)
{
    (void)state;
    static const struct pair cases[] = {
        {"\n#pragma omp parallel for private(j) \\\n  num_threads(2)\nfor (i = 0; i < 3; i++) "
         "g(j);",
         "(BLOCK (PARALLEL (FOR (ASSIGN i 0) (BINARY < i 3) (UNARY x++ i) (CALL g j))))"},
        {"\n#pragma omp parallel\n{\n# pragma omp for\nfor (;;) g(1);\n#pragma omp barrier\ng(2); "
         "}",
         "(BLOCK (PARALLEL (BLOCK (PARALLEL (FOR - - - (CALL g 1))) (CALL g 2))))"},
        {"if (i)\n#pragma omp critical\n/* why */ i = 1;",
         "(BLOCK (IF i (PARALLEL (ASSIGN i 1)) -))"},
        {"\n#pragma once_omp parallel\ng(1);\n#pragma omp atomic\ni++;",
         "(BLOCK (CALL g 1) (UNARY x++ i))"},
        {"\n#ifdef _OPENMP\ng(1);\n#endif", "(BLOCK (CALL g 1))"},
    };
    EXPECT(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_have_all_parts),
        cmocka_unit_test(computed_lengths_are_run),
        cmocka_unit_test(what_is_cleaned_up_is_called_where_its_scope_ends),
        cmocka_unit_test(what_is_returned_is_computed_before_the_cleanup),
        cmocka_unit_test(switches_keep_their_labels),
        cmocka_unit_test(headers_of_for_are_told_apart),
        cmocka_unit_test(headers_of_for_in_macros),
        cmocka_unit_test(expressions_lose_what_says_nothing),
        cmocka_unit_test(members_and_lists),
        cmocka_unit_test(a_choice_of_functions_is_one_of_calls),
        cmocka_unit_test(calls_and_loops_made_by_macros),
        cmocka_unit_test(directives_of_openmp_are_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
