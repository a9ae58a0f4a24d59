/* Units joined: which functions are one, what a call enters, who calls whom, and what that does. */
#include "analysis/program/snippets.h"
#include "analysis/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The call number `number` of `function` enters `targets`. */
struct binding {
    const char *text;
    const char *function;
    unsigned number;
    const char *whole, *part; /* targets in a whole program, and in a part of one */
};

static void check(const struct binding *b, bool whole)
{
    struct an_program *program = snippet_join(whole, b->text);
    const char *found = snippet_targets(program, snippet_call(program, b->function, b->number));
    const char *expected = whole ? b->whole : b->part;

    if (strcmp(found, expected) != 0)
        fail_msg("%s\n  call %u of %s, %s: \"%s\" instead of \"%s\"", b->text, b->number,
                 b->function, whole ? "whole" : "part", found, expected);
    an_program_destroy(program);
}

static void check_all(const struct binding *bindings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check(&bindings[i], true);
        check(&bindings[i], false);
    }
}

#define CHECK(bindings) check_all(bindings, sizeof bindings / sizeof *bindings)

static void calls_enter_what_they_name(void **state)
{
    static const struct binding cases[] = {
        {"void g(void) {} void f(void) { g(); }", "f", 0, "g", "g"},
        {"static void g(void) {} void f(void) { g(); }", "f", 0, "g", "g"},
        {"static void g(void); void f(void) { g(); } void g(void) {}", "f", 0, "g", "g"},
        {"void g(void); void f(void) { g(); }", "f", 0, "...", "..."},
        {"void f(int n) { if (n) f(n - 1); }", "f", 0, "f", "f"},
        {"#include <stdlib.h>\nvoid f(void) { free(0); }", "f", 0, "", ""},
        {"#include <math.h>\ndouble f(double x) { return sin(x); }", "f", 0, "", ""},
        {"void f(void) { MPI_Barrier(MPI_COMM_WORLD); }", "f", 0, "", ""},
        {"void g(a) int a; {} void f(void) { g(1); }", "f", 0, "g", "g"},
    };
    (void)state;
    CHECK(cases);
}

static void pointers_enter_what_they_hold(void **state)
{
    static const struct binding cases[] = {
        {"static void g(void) {} static void h(void) {} void f(void) { void (*p)(void) = g; p(); "
         "(void)h; }",
         "f", 0, "g", "g"},
        {"static void g(void) {} static void h(void) {}\n"
         "void f(int n) { void (*p)(void) = n ? g : h; (*p)(); }",
         "f", 0, "g h", "g h"},
        {"static int g(int x) { return x; } static void h(void) {} static void (*use)(void) = h;\n"
         "static int (*table[2])(int) = {g, 0}; int f(int n) { use(); return table[n](1); }",
         "f", 1, "g", "g"},
        {"static void g(void) {} static void run(void (*p)(void)) { p(); }\n"
         "void f(void) { run(g); }",
         "run", 0, "g", "g"},
        {"static void g(void) {} void run(void (*p)(void)) { p(); } void f(void) { run(g); }",
         "run", 0, "g", "g ..."},
        {"static void g(void) {} void (*hook)(void); void f(void) { hook = g; hook(); }", "f", 0,
         "g", "g ..."},
        {"static void g(void) {} static void (*hook)(void); void f(void) { hook = g; hook(); }",
         "f", 0, "g", "g"},
        {"extern void (*hook)(void); void f(void) { hook(); }", "f", 0, "...", "..."},
        {"static void g(void) {} static void (*pick(void))(void) { return g; }\n"
         "void f(void) { pick()(); }",
         "f", 0, "g", "g"},
        {"static void g(void) {} static void give(void (**p)(void)) { *p = g; }\n"
         "void f(void) { void (*p)(void) = 0; give(&p); p(); }",
         "f", 1, "g", "g"},
        {"static void g(int x) { (void)x; } static void h(int x, void *y) { (void)(x + !y); }\n"
         "void f(int n) { void (*p)(int, void *) = n ? (void (*)(int, void *))g : h; p(1, 0); }",
         "f", 0, "g h", "g h"},
        {"static void g(int x) { (void)x; } static void h(int x, int y) { (void)(x + y); }\n"
         "void f(int n) { void (*p)() = n ? (void (*)())g : (void (*)())h; p(1); }",
         "f", 0, "g", "g"},
    };
    (void)state;
    CHECK(cases);
}

static void fields_hold_what_is_stored_in_them(void **state)
{
    static const struct binding cases[] = {
        {"struct s { void (*go)(void); void (*end)(void); };\n"
         "static void g(void) {} static void h(void) {}\n"
         "static void set(struct s *s, void (*p)(void)) { s->go = p; s->end = h; }\n"
         "void f(void) { struct s s; set(&s, g); s.go(); }",
         "f", 1, "g", "g h ..."},
        {"struct s { int (*go)(int); void (*end)(void); };\n"
         "static int g(int x) { return x; } static void h(void) {}\n"
         "static const struct s s = {g, h}; int f(void) { return s.go(1); }",
         "f", 0, "g", "g ..."},
        {"struct s { int n; int (*go)(int); void (*end)(void); };\n"
         "static int g(int x) { return x; } static void h(void) {}\n"
         "static const struct s s[] = {{.end = h}, {.go = g}};\n"
         "int f(int i) { return s[i].go(1); }",
         "f", 0, "g", "g ..."},
        {"struct s { int n; struct { int (*go)(int); } i; };\n"
         "static int g(int x) { return x; } static int h(int x) { return x; }\n"
         "static struct s s = {.i.go = g}; int f(void) { s.i.go = h; return s.i.go(1); }",
         "f", 0, "g h", "g h ..."},
        {"struct i { int (*go)(int); }; struct s { int n; struct i i[2]; };\n"
         "static int g(int x) { return x; } static int h(int x) { return x; }\n"
         "static struct s s = {1, g}; int f(void) { s.i[1].go = h; return s.i[0].go(1); }",
         "f", 0, "g h", "g h ..."},
        {"struct s { int n; struct { int (*go)(int); }; };\n"
         "static int g(int x) { return x; } static int h(int x) { return x; }\n"
         "static struct s s = {1, {g}}; int f(void) { s.go = h; return s.go(1); }",
         "f", 0, "g h", "g h ..."},
        {"struct s { int n; int (*go[2])(int); };\n"
         "static int g(int x) { return x; } static int h(int x) { return x; }\n"
         "static struct s s = {1, {g}}; int f(void) { s.go[1] = h; return s.go[0](1); }",
         "f", 0, "g h", "g h ..."},
        {"union u { void (*go)(void); void *any; }; static void g(void) {}\n"
         "void f(void) { union u u; u.any = (void *)g; u.go(); }",
         "f", 0, "g", "g ..."},
    };
    (void)state;
    CHECK(cases);
}

static void the_c_library_calls_back(void **state)
{
    static const struct binding cases[] = {
        {"#include <stdlib.h>\nstatic int c(const void *a, const void *b) { return a < b; }\n"
         "void f(int *v) { qsort(v, 3, sizeof *v, c); }",
         "f", 0, "c", "c"},
        {"#include <stdlib.h>\nstatic void bye(void) {} void f(void) { atexit(bye); }", "f", 0,
         "bye", "bye"},
        {"#include <pthread.h>\nstatic void *run(void *p) { return p; }\n"
         "void f(void) { pthread_t t; pthread_create(&t, 0, run, 0); }",
         "f", 0, "run", "run"},
        {"static void g(void) {} void ext(void (*)(void)); void f(void) { ext(g); }", "f", 0,
         "g ...", "g ..."},
        {"extern void dgemm_(); void f(void) { dgemm_(); }", "f", 0, "", ""},
        {"extern void ddot(void); void f(void) { ddot(); }", "f", 0, "", "..."},
        {"extern void error(void); void f(void) { error(); }", "f", 0, "", "..."},
        {"struct s { void (*go)(void); }; static void g(void) {} void ext(struct s *);\n"
         "void f(void) { struct s s = {g}; s.go = g; ext(&s); s.go(); }",
         "f", 1, "g ...", "g ..."},
    };
    (void)state;
    CHECK(cases);
}

static void units_keep_their_own(void **state)
{
    static const char *const texts[] = {
        "static void g(void) { MPI_Barrier(MPI_COMM_WORLD); } void f(void) { g(); }",
        "static void g(void) {} void f2(void) { g(); } void f(void); void f3(void) { f(); }", NULL};
    struct an_program *program = snippets_join(true, texts);
    struct an_targets one = an_call_targets(program, snippet_call(program, "f", 0));
    struct an_targets other = an_call_targets(program, snippet_call(program, "f2", 0));

    (void)state;
    assert_int_equal(one.count, 1);
    assert_int_equal(other.count, 1);
    assert_ptr_not_equal(one.functions[0], other.functions[0]);
    assert_true(an_function_effects(program, snippet_function(program, "f"))->synchronises);
    assert_false(an_function_effects(program, snippet_function(program, "f2"))->synchronises);
    assert_true(an_function_effects(program, snippet_function(program, "f3"))->synchronises);
    assert_string_equal(an_program_unit_of(program, one.functions[0])->path, "a.c");
    assert_string_equal(an_program_unit_of(program, other.functions[0])->path, "b.c");
    an_program_destroy(program);
}

/* Two units that include one header with `text`, each between what stands before and behind it. */
static struct an_program *header_join(const char *text, const char *const before[2],
                                      const char *const behind[2])
{
    char folder[] = "/tmp/snippets.XXXXXX", path[64], one[256], other[256];
    const char *const texts[] = {one, other, NULL};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.h", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(one, sizeof one, "%s\n#include \"%s\"\n%s", before[0], path, behind[0]);
    snprintf(other, sizeof other, "%s\n#include \"%s\"\n%s", before[1], path, behind[1]);
    struct an_program *program = snippets_join(true, texts);
    unlink(path);
    rmdir(folder);
    return program;
}

static void header_functions_are_one(void **state)
{
    static const char *const before[] = {"enum { K = 1 };\n#define T int",
                                         "int own;\nenum { K = 2 };\n#define T double"};
    static const char *const behind[] = {"int f(void) { return both(1) + differs(1) + typed(1); }",
                                         "int g(void) { return both(2) + differs(2) + typed(2); }"};
    struct an_program *program =
        header_join("static inline int both(int x) { int y = x; return y; }\n"
                    "static inline int differs(int x) { return x + K; }\n"
                    "static inline T typed(T x) { return x + x; }\n",
                    before, behind);
    unsigned count = 0;

    (void)state;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        count++;
    assert_int_equal(count, 7); /* f, g, both, the others twice: neither K nor T is the same */
    assert_ptr_equal(an_call_targets(program, snippet_call(program, "f", 0)).functions[0],
                     an_call_targets(program, snippet_call(program, "g", 0)).functions[0]);
    assert_ptr_not_equal(an_call_targets(program, snippet_call(program, "f", 1)).functions[0],
                         an_call_targets(program, snippet_call(program, "g", 1)).functions[0]);
    assert_ptr_not_equal(an_call_targets(program, snippet_call(program, "f", 2)).functions[0],
                         an_call_targets(program, snippet_call(program, "g", 2)).functions[0]);
    assert_int_equal(an_function_callers(program, snippet_function(program, "both")).count, 2);
    an_program_destroy(program);
}

static void header_functions_have_variables_of_their_own(void **state)
{
    static const char *const before[] = {"", ""};
    static const char *const behind[] = {"void f(void) { below(); plain(1); }",
                                         "void g(void) { below(); plain(1); }"};
    struct an_program *program = header_join(
        "static int own;\nstatic const int same = 3;\n"
        "static inline void count(void) { own++; }\nstatic inline void below(void) { count(); }\n"
        "static inline int plain(int x) { return x ? plain(x - 1) : same; }\n",
        before, behind);

    (void)state;
    for (unsigned call = 0; call < 2; call++) {
        const struct an_node *f =
            an_call_targets(program, snippet_call(program, "f", call)).functions[0];
        const struct an_node *g =
            an_call_targets(program, snippet_call(program, "g", call)).functions[0];
        assert_int_equal(f == g, call == 1);
    }
    an_program_destroy(program);
}

static void unit_add(struct an_program *program, const char *flag)
{
    static const char text[] = "int NAME(void) { return VALUE; }";
    const char *const flags[] = {flag, "-DVALUE=1", NULL};
    an_program_add(program, an_source_read("a.c", text, strlen(text), flags));
}

static void the_same_unit_counts_once(void **state)
{
    struct an_program *program = an_program_create();

    (void)state;
    unit_add(program, "-DNAME=f");
    unit_add(program, "-DNAME=f");
    assert_int_equal(an_program_units(program), 1);
    unit_add(program, "-DNAME=g");
    assert_int_equal(an_program_units(program), 2);
    an_program_join(program, true);
    assert_non_null(snippet_function(program, "g"));
    assert_null(an_program_main(program));
    an_program_destroy(program);
}

struct callers_case {
    const char *text;
    unsigned count;
    bool whole, part; /* complete in such a program */
};

static void callers_are_known_or_not(void **state)
{
    static const struct callers_case cases[] = {
        {"void f(void) {} void g(void) { f(); f(); }", 2, true, false},
        {"static void f(void) {} void g(void) { f(); }", 1, true, true},
        {"static void f(void) {} void ext(void (*)(void)); void g(void) { f(); ext(f); }", 1, false,
         false},
        {"#include <stdlib.h>\nstatic void f(void) {} void g(void) { atexit(f); }", 0, false,
         false},
        {"static void f(void) {} void (*hook)(void) = f; void g(void) { hook(); }", 1, true, false},
        {"struct s { void (*go)(void); }; static void f(void) {} void ext(struct s *);\n"
         "void g(void) { struct s s = {f}; ext(&s); f(); }",
         1, false, false},
        {"static void f(void) {} static void (*hook)(void) = f; void g(void) { hook(); }", 1, true,
         true},
        {"static void f(void *a, void *b, int *n, MPI_Datatype *d) { (void)a; (void)b; (void)n;\n"
         "(void)d; } void g(void) { MPI_Op op; MPI_Op_create(f, 1, &op); }",
         0, false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int whole = 0; whole < 2; whole++) {
            struct an_program *program = snippet_join(whole, cases[i].text);
            struct an_callers callers =
                an_function_callers(program, snippet_function(program, "f"));
            if (callers.count != cases[i].count ||
                callers.complete != (whole ? cases[i].whole : cases[i].part))
                fail_msg("%s\n  %s: %u callers%s", cases[i].text, whole ? "whole" : "part",
                         callers.count, callers.complete ? "" : " and others");
            an_program_destroy(program);
        }
}

struct effects_case {
    const char *body; /* of void f(int n) */
    const char *effects;
};

static const char *effects_text(const struct an_effects *e)
{
    static char text[128];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", e->sends ? "sends " : "",
             e->receives ? "receives " : "", e->anonymous ? "anonymous " : "",
             e->collective ? "collective " : "", e->synchronises ? "synchronises " : "",
             e->polls ? "polls " : "", e->clock ? "clock " : "", e->hidden ? "hidden " : "");
    return text;
}

static const char effects_head[] =
    "#include <endian.h>\n#include <stdlib.h>\n#include <time.h>\n#include <setjmp.h>\n"
    "extern void ext(void); static jmp_buf place;\n"
    "static void sync(void) { MPI_Barrier(MPI_COMM_WORLD); }\n"
    "static void late(int n) { if (n) return; sync(); }\n"
    "static void quiet(void) {}\n"
    "static void deep(int n) { if (n > 0) deep(n - 1); else sync(); }\n"
    "static MPI_Request r; static MPI_Status s; static int x, y, flag;\n";

static void effects_follow_all_paths(void **state)
{
#define RECEIVE(from) "MPI_Recv(&x, 1, MPI_INT, " from ", 0, MPI_COMM_WORLD, &s);"
    static const struct effects_case cases[] = {
        {"", ""},
        {"quiet();", ""},
        {"MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);", "sends "},
        {RECEIVE("1"), "receives "},
        {RECEIVE("MPI_ANY_SOURCE"), "receives anonymous "},
        {RECEIVE("MPI_PROC_NULL"), "receives "},
        {"MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);", "anonymous "},
        {"MPI_Test(&r, &flag, &s);", "polls "},
        {"MPI_Sendrecv(&x, 1, MPI_INT, 1, 0, &y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &s);",
         "sends receives "},
        {"MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);", "collective "},
        {"x = (int)MPI_Wtime();", "clock "},
        {"x = (int)time(0);", "clock "},
        {"srand(1); x = rand();", "clock "},
        {"ext();", "hidden "},
        {"x = htobe16(x) + htobe32(x) + htobe64(x) + htole16(x) + htole32(x) + htole64(x);", ""},
        {"sync();", "collective synchronises "},
        {"MPI_Barrier(MPI_COMM_SELF);", "collective "},
        {"MPI_Ibarrier(MPI_COMM_WORLD, &r);", "collective "},
        {"if (n) sync();", "collective "},
        {"if (n) sync(); else sync();", "collective synchronises "},
        {"if (n) return; sync();", "collective "},
        {"if (n) exit(1); sync();", "collective synchronises "},
        {"late(n);", "collective "},
        {"late(n); sync();", "collective synchronises "},
        {"deep(n);", "collective "},
        {"while (n--) sync();", "collective "},
        {"do sync(); while (n--);", "collective synchronises "},
        {"do { if (n) break; sync(); } while (n--);", "collective "},
        {"for (;;) { sync(); if (n) break; }", "collective synchronises "},
        {"for (;;) { if (n) break; sync(); }", "collective "},
        {"for (int i = 0; i < n; i++) sync();", "collective "},
        {"switch (n) { case 1: sync(); break; default: sync(); }", "collective synchronises "},
        {"switch (n) { case 1: sync(); break; case 2: sync(); }", "collective "},
        {"switch (n) { case 1: n = 2; default: sync(); }", "collective synchronises "},
        {"if (n) goto end; sync(); end:;", "collective "},
        {"if (n) goto end; n = 1; end: sync();", "collective synchronises "},
        {"again: sync(); if (n--) goto again;", "collective synchronises "},
        {"n && MPI_Barrier(MPI_COMM_WORLD);", "collective "},
        {"if (MPI_Barrier(MPI_COMM_WORLD) || n) n = 0;", "collective synchronises "},
        {"n ? sync() : sync();", "collective synchronises "},
        {"n ? sync() : quiet();", "collective "},
        {"if (setjmp(place)) return; sync();", "collective "},
        {"void (*p)(void) = n ? sync : quiet; p();", "collective "},
        {"void (*p)(void) = sync; p();", "collective synchronises "},
        {"if (0) sync();", "collective "},
        {"if (1) sync();", "collective synchronises "},
    };
#undef RECEIVE
    char text[4096];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%svoid f(int n) { %s }", effects_head, cases[i].body);
        struct an_program *program = snippet_join(true, text);
        const struct an_node *f = snippet_function(program, "f");
        const char *found = effects_text(an_function_effects(program, f));
        if (strcmp(found, cases[i].effects) != 0)
            fail_msg("%s\n  \"%s\" instead of \"%s\"", cases[i].body, found, cases[i].effects);
        struct an_effects again = an_node_effects(program, an_body(f));
        if (!strstr(cases[i].body, "setjmp"))
            assert_string_equal(effects_text(&again), cases[i].effects);
        an_program_destroy(program);
    }
}

static void persistent_requests_act_when_started(void **state)
{
    static const char text[] =
        "static MPI_Request r; static int x;\n"
        "void init(void) { MPI_Recv_init(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r); "
        "}\n"
        "void start(void) { MPI_Start(&r); }";
    struct an_program *program = snippet_join(true, text);

    (void)state;
    assert_string_equal(
        effects_text(an_function_effects(program, snippet_function(program, "init"))), "");
    assert_string_equal(
        effects_text(an_function_effects(program, snippet_function(program, "start"))),
        "receives anonymous ");
    an_program_destroy(program);
}

static void identities_are_stable_and_differ(void **state)
{
    static const char text[] = "void f(int n) { MPI_Barrier(n); MPI_Barrier(n); }\n"
                               "void g(int n) { MPI_Barrier(n); }";
    static const char edited[] = "\n\nvoid other(void) {}\n"
                                 "void f(int n) { n++; MPI_Barrier(n);\n\n MPI_Barrier(n); }\n"
                                 "void g(int n) { other(); MPI_Barrier(n); }";
    struct an_program *one = snippet_join(true, text), *other = snippet_join(true, edited);
    uint32_t first = an_program_identity(one, snippet_call(one, "f", 0));
    uint32_t second = an_program_identity(one, snippet_call(one, "f", 1));
    uint32_t third = an_program_identity(one, snippet_call(one, "g", 0));

    (void)state;
    assert_int_not_equal(first, 0);
    assert_int_not_equal(first, second);
    assert_int_not_equal(first, third);
    assert_int_equal(first, an_program_identity(other, snippet_call(other, "f", 0)));
    assert_int_equal(second, an_program_identity(other, snippet_call(other, "f", 1)));
    assert_int_equal(third, an_program_identity(other, snippet_call(other, "g", 1)));
    an_program_destroy(one);
    an_program_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_enter_what_they_name),
        cmocka_unit_test(pointers_enter_what_they_hold),
        cmocka_unit_test(fields_hold_what_is_stored_in_them),
        cmocka_unit_test(the_c_library_calls_back),
        cmocka_unit_test(units_keep_their_own),
        cmocka_unit_test(header_functions_are_one),
        cmocka_unit_test(header_functions_have_variables_of_their_own),
        cmocka_unit_test(the_same_unit_counts_once),
        cmocka_unit_test(callers_are_known_or_not),
        cmocka_unit_test(effects_follow_all_paths),
        cmocka_unit_test(persistent_requests_act_when_started),
        cmocka_unit_test(identities_are_stable_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
