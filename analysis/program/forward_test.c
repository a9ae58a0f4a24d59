/* Which functions are read as calls of MPI, and where their arguments come from. */
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct forward_case {
    const char *text;
    const char *call; /* what call 0 of "f" is: "Recv 3=src 4=tag", or "" when it is none */
};

static void describe(struct an_program *program, char *text, size_t size)
{
    struct an_node *call = snippet_call(program, "f", 0);
    struct an_unit *unit = an_program_unit_of(program, call);
    struct an_mpi mpi;
    size_t used;

    *text = '\0';
    if (!an_call_is_mpi(program, call, &mpi))
        return;
    used = (size_t)snprintf(text, size, "%s%s", mpi.what->name, mpi.provisional ? "?" : "");
    for (unsigned i = 0; (int)i < mpi.what->arguments; i++) {
        const struct an_node *argument = an_mpi_argument(program, &mpi, i);
        used += (size_t)snprintf(text + used, size - used, " %s",
                                 argument ? an_text(unit, argument) : "-");
    }
}

static void check(const struct forward_case *c, bool whole)
{
    struct an_program *program = snippet_join(whole, c->text);
    char text[256];

    describe(program, text, sizeof text);
    if (strcmp(text, c->call) != 0)
        fail_msg("%s\n  \"%s\" instead of \"%s\"", c->text, text, c->call);
    an_program_destroy(program);
}

static void check_all(const struct forward_case *cases, size_t count, bool whole)
{
    for (size_t i = 0; i < count; i++)
        check(&cases[i], whole);
}

#define CHECK(cases, whole) check_all(cases, sizeof cases / sizeof *cases, whole)

static void forwarders_are_seen_through(void **state)
{
    static const struct forward_case cases[] = {
        {"void f(void) { MPI_Barrier(9); }", "Barrier 9"},
        {"void f(void) { PMPI_Barrier(9); }", "Barrier 9"},
        {"#define B(c) MPI_Barrier(c)\nvoid f(void) { B(9); }", "Barrier 9"},
        {"int w(MPI_Comm c) { return MPI_Barrier(c); } void f(void) { w(9); }", "Barrier 9"},
        {"int w(long s, long t, MPI_Comm c, MPI_Status *st) { return MPI_Probe((int)s, (int)t, c, "
         "st); }\nvoid f(void) { w(1, 2, 3, 0); }",
         "Probe 1 2 3 0"},
        {"static long n; int w(int s, MPI_Comm c) { MPI_Status st; n++; int e = MPI_Probe(s, 7, c, "
         "&st); if (e) return e; n--; return 0; }\nvoid f(void) { w(1, 2); }",
         "Probe 1 - 2 -"},
        {"int w(MPI_Request *r, long *flag, MPI_Status *s) { int g; int e = MPI_Test(r, &g, s); "
         "*flag = (long)g; return e; }\nstatic MPI_Request a; static long b; void f(void) { w(&a, "
         "&b, 0); }",
         "Test &a &b 0"},
        {"int w(MPI_Comm c) { return MPI_Barrier(c); } int v(MPI_Comm c) { return w(c); }\n"
         "void f(void) { v(9); }",
         "Barrier 9"},
        {"int w(int t, int s) { MPI_Comm c = 5; return MPI_Probe(s, t, c, MPI_STATUS_IGNORE); }\n"
         "void f(void) { w(1, 2); }",
         "Probe 2 1 - -"},
        {"static double spent; int w(MPI_Comm c) { double t = MPI_Wtime(); int e = MPI_Barrier(c);"
         " spent += MPI_Wtime() - t; return e; }\nvoid f(void) { w(9); }",
         "Barrier 9"},
        {"#include <stdlib.h>\nint w(MPI_Comm c) { if (MPI_Barrier(c) != MPI_SUCCESS) abort(); "
         "return 0; }\nvoid f(void) { w(9); }",
         "Barrier 9"},
        {"int w(void *b, int n, int d, MPI_Comm c) { do { MPI_Send(b, n * 8, MPI_BYTE, d, 0, c); } "
         "while (0); return 0; }\nvoid f(void) { w(0, 3, 1, 9); }",
         "Send 0 - - 1 - 9"},
        {"#include <stdlib.h>\n"
         "int w(int n, MPI_Request *q, long *i, MPI_Status *s) { int *k = malloc(4); int m, e;\n"
         "e = MPI_Waitsome(n, q, &m, k, s); for (int j = 0; j < n; j++) i[j] = k[j]; free(k);\n"
         "return e + m; }\nvoid f(void) { w(1, 0, 0, 0); }",
         ""}, /* the number of indices is read by the wrapper itself */
    };
    (void)state;
    CHECK(cases, true);
}

static void others_are_functions(void **state)
{
    static const struct forward_case cases[] = {
        {"int w(int n, MPI_Comm c) { if (n) return 0; return MPI_Barrier(c); }\n"
         "void f(void) { w(1, 9); }",
         ""},
        {"int w(int n, MPI_Comm c) { if (n) MPI_Barrier(c); return 0; } void f(void) { w(1, 9); }",
         ""},
        {"int w(int n, MPI_Comm c) { while (n--) MPI_Barrier(c); return 0; }\n"
         "void f(void) { w(1, 9); }",
         ""},
        {"int w(MPI_Comm c) { MPI_Barrier(c); return MPI_Barrier(c); } void f(void) { w(9); }", ""},
        {"int w(int s, MPI_Comm c) { if (s < 0) s = MPI_ANY_SOURCE; return MPI_Probe(s, 0, c, "
         "MPI_STATUS_IGNORE); }\nvoid f(void) { w(1, 9); }",
         ""},
        {"int w(int *s, MPI_Comm c) { int f = *s; if (f < 0) f = MPI_ANY_SOURCE; return "
         "MPI_Probe(f, 0, "
         "c, MPI_STATUS_IGNORE); }\nvoid f(void) { int a = -1; w(&a, 9); }",
         ""},
        {"int w(int s, MPI_Comm c) { int f = 3; if (s) f = s; return MPI_Probe(f, 0, c, "
         "MPI_STATUS_IGNORE); }\nvoid f(void) { w(1, 9); }",
         ""},
        {"int w(int s, MPI_Comm c) { return MPI_Probe(s + 1, 0, c, MPI_STATUS_IGNORE); }\n"
         "void f(void) { w(1, 9); }",
         ""},
        {"int w(int t, MPI_Comm c) { MPI_Status s; MPI_Probe(MPI_ANY_SOURCE, t, c, &s); return "
         "s.MPI_SOURCE; }\nvoid f(void) { w(1, 9); }",
         ""},
        {"int w(MPI_Comm c) { return MPI_Barrier(c); } int (*p)(MPI_Comm) = w;\n"
         "void f(void) { w(9); }",
         ""},
        {"void ext(void); int w(MPI_Comm c) { ext(); return MPI_Barrier(c); }\n"
         "void f(void) { w(9); }",
         ""},
        {"void ext_MPI_Barrier(MPI_Comm); void f(void) { ext_MPI_Barrier(9); }", ""},
        {"int w(int *b, MPI_Comm c) { b[0] = 1; return MPI_Send(b, 1, MPI_INT, 0, 0, c); }\n"
         "void f(void) { w(0, 9); }",
         ""},
    };
    (void)state;
    CHECK(cases, true);
}

static void names_count_in_a_part_of_a_program(void **state)
{
    static const struct forward_case cases[] = {
        {"int my_MPI_Barrier(MPI_Comm); void f(void) { my_MPI_Barrier(9); }", "Barrier? 9"},
        {"int my_MPI_Barrier(MPI_Comm, int); void f(void) { my_MPI_Barrier(9, 9); }", ""},
        {"int my_MPI_Barriers(MPI_Comm); void f(void) { my_MPI_Barriers(9); }", ""},
        {"int my_MPI_Barrier(MPI_Comm c) { return c; } void f(void) { my_MPI_Barrier(9); }", ""},
        {"int w(MPI_Comm c) { return MPI_Barrier(c); } void f(void) { w(9); }", "Barrier 9"},
    };
    (void)state;
    CHECK(cases, false);
}

static void a_forwarder_has_no_call_of_its_own(void **state)
{
    struct an_program *program =
        snippet_join(true, "int w(MPI_Comm c) { return MPI_Barrier(c); } void f(void) { w(9); }");
    struct an_mpi mpi;

    (void)state;
    assert_false(an_call_is_mpi(program, snippet_call(program, "w", 0), &mpi));
    assert_true(an_call_is_mpi(program, snippet_call(program, "f", 0), &mpi));
    assert_ptr_equal(mpi.inner, snippet_call(program, "w", 0));
    an_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forwarders_are_seen_through),
        cmocka_unit_test(others_are_functions),
        cmocka_unit_test(names_count_in_a_part_of_a_program),
        cmocka_unit_test(a_forwarder_has_no_call_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
