/* The slice of small programs: it always keeps what depends on a site. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"
#include "analysis/slice/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct slice_case {
    const char *reason; /* what stands in the reason; NULL: nothing reaches a send */
    const char *helpers, *body;
};

#define HEAD                                                                                       \
    "#include <stdlib.h>\n#include <string.h>\n#define W MPI_COMM_WORLD\n"                         \
    "#define SEND(x) MPI_Send(&x, 1, MPI_INT, 0, 2, W)\n"                                          \
    "#define GET(x) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &s)\n"
#define OPEN                                                                                       \
    "\nint main(void)\n{\n    int v = 0, w = 0, t[64] = {0};\n    MPI_Status s;\n"                 \
    "    MPI_Init(0, 0);\n"
#define CLOSE "\n    MPI_Finalize();\n    return 0;\n}\n"

static const struct slice_case cases[] = {
    {NULL, "", "GET(v); SEND(w);"},
    {NULL, "", "GET(v); t[v] = v; w = 3; SEND(w);"},
    {NULL, "int more(int a) { return a + 1; }", "GET(v); v = more(v); SEND(w);"},
    {"`&w` may carry the order of arrival", "", "GET(v); w = v; SEND(w);"},
    {"decides on the send", "", "GET(v); if (v) SEND(w);"},
    {"decides on the send", "", "GET(v); while (v--) SEND(w);"},
    {"decides on the send", "void f(int a) { int b = 1; if (a) return; SEND(b); }",
     "GET(v); f(v);"},
    {"decides on the send", "", "GET(v); if (v) exit(0); SEND(w);"},
    {"may carry", "", "GET(v); SEND(t[s.MPI_SOURCE]);"},
    {"may carry", "", "GET(v); t[v] = 1; SEND(t[0]);"},
    {"may carry", "", "int *p = &w; GET(v); *p = v; SEND(w);"},
    {"may carry", "", "int **q, *p = &w; q = &p; GET(v); **q = v; SEND(w);"},
    {"may carry", "", "GET(v); memcpy(&w, &v, sizeof v); SEND(w);"},
    {"may carry", "struct p { int a, b; };", "struct p x, *y = &x; GET(v); y->a = v; SEND(x.a);"},
    {"may carry", "struct p { int a, b; };",
     "struct p x; void *y = &x; GET(v); memcpy(y, &v, 4); SEND(x.b);"},
    {"may carry", "struct p { int *a; }; struct q { struct p in; };",
     "struct q x, y; x.in.a = &w; memcpy(&y, &x, sizeof x); GET(v); *y.in.a = v; SEND(w);"},
    {"may carry", "union u { int a; char b[4]; };",
     "union u x; GET(v); x.a = v; w = x.b[1]; SEND(w);"},
    {"may carry", "int g; int get(void) { return g; } void put(int a) { g = a; }",
     "GET(v); put(v); w = get(); SEND(w);"},
    {"may carry", "int hold(int *p, int a) { *p = a; return 0; } int (*f)(int *, int) = hold;",
     "GET(v); f(&w, v); SEND(w);"},
    {"may carry", "", "int *p = malloc(4); GET(v); *p = v; SEND(*p);"},
    {NULL, "int *make(void) { int *p = malloc(4); return p; }",
     "int *p = make(), *q = make(); *q = 1; GET(v); *p = v; SEND(*q);"},
    {"may carry",
     "#include <stdarg.h>\nint last(int n, ...) { va_list l; int a; va_start(l, n); "
     "a = va_arg(l, int); va_end(l); return a; }",
     "GET(v); w = last(1, v); SEND(w);"},
    {"may carry", "int less(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
     "GET(v); t[3] = v; qsort(t, 64, sizeof *t, less); SEND(t[0]);"},
    {"may carry", "struct p { int a; }; struct p pass(struct p x) { return x; }",
     "struct p x[9] = {{1}}, y; GET(v); y = pass(x[v]); SEND(y.a);"},
    {"may carry", "",
     "MPI_Request r; MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &r); "
     "MPI_Wait(&r, &s); w = s.MPI_TAG; SEND(w);"},
    {"may carry", "", "long n = (long)&w; GET(v); *(int *)n = v; SEND(w);"},
};

static void test_cases(void **state)
{
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        snprintf(text, sizeof text, HEAD "%s" OPEN "%s" CLOSE, cases[i].helpers, cases[i].body);
        struct an_program *program = snippet_join(true, text);
        struct an_judgement *judgement = an_judge(program);
        struct an_slice *slice = an_slice_create(judgement);
        assert_non_null(judgement->sites);
        struct an_slice_answer answer = an_slice_ask(slice, judgement->sites);
        const char *want = cases[i].reason;
        bool good = want ? answer.reaches && strstr(answer.reason, want) : !answer.reaches;
        if (!good)
            print_error("%s: %s\n", cases[i].body, answer.reaches ? answer.reason : "nothing");
        if (answer.reaches)
            assert_non_null(answer.witness);
        failed += !good;
        an_slice_destroy(slice);
        an_judgement_destroy(judgement);
        an_program_destroy(program);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
