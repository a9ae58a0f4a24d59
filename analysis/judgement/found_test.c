/* Which calls are sites, and what is open in them. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char head[] =
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static MPI_Status s; static MPI_Request r, q[4]; static MPI_Message m; static int x, y, "
    "flag;\n"
    "static int rank, size;\n"
    "#define RECV(from, tag) MPI_Recv(&x, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &s)\n"
    "#define IRECV(from, tag) MPI_Irecv(&x, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &r)\n"
    "#define ANY MPI_ANY_SOURCE\n";

static void open_names(char *text, size_t size, unsigned open, unsigned maybe)
{
    static const char *const names[] = {"source", "tag", "index", "flag"};
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < 4; i++)
        if (open >> i & 1)
            used += (size_t)snprintf(text + used, size - used, " %s%s", names[i],
                                     maybe >> i & 1 ? "?" : "");
}

/* "Recv source? tag, Probe" */
static void describe(struct an_program *program, char *text, size_t size)
{
    struct an_judgement *judged = an_judge(program);
    size_t used = 0;
    char open[64];

    text[0] = '\0';
    for (const struct an_site *site = judged->sites; site; site = site->next) {
        open_names(open, sizeof open, site->wildcard, site->maybe);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
                                 site->mpi.what->name, open);
    }
    an_judgement_destroy(judged);
}

struct site_case {
    const char *text;
    const char *sites;
};

static void check(const struct site_case *c, bool whole)
{
    char text[8192], found[512];

    snprintf(text, sizeof text, "%s%s", head, c->text);
    struct an_program *program = snippet_join(whole, text);
    describe(program, found, sizeof found);
    if (strcmp(found, c->sites) != 0)
        fail_msg("%s\n  \"%s\" instead of \"%s\"", c->text, found, c->sites);
    an_program_destroy(program);
}

static void check_all(const struct site_case *cases, size_t count, bool whole)
{
    for (size_t i = 0; i < count; i++)
        check(&cases[i], whole);
}

#define CHECK(cases, whole) check_all(cases, sizeof cases / sizeof *cases, whole)

static void calls_are_open_by_nature_or_by_argument(void **state)
{
    static const struct site_case cases[] = {
        {"void f(void) { RECV(1, 2); }", ""},
        {"void f(void) { RECV(MPI_ANY_SOURCE, 2); }", "Recv source"},
        {"void f(void) { RECV(1, MPI_ANY_TAG); }", "Recv tag"},
        {"void f(void) { RECV(MPI_ANY_SOURCE, MPI_ANY_TAG); }", "Recv source tag"},
        {"void f(void) { RECV(MPI_PROC_NULL, 2); }", ""},
        {"void f(void) { (x ? MPI_Recv_init : MPI_Irecv)(&y, 1, MPI_INT, ANY, 2, MPI_COMM_WORLD, "
         "&r); MPI_Wait(&r, &s); }",
         "Recv_init source, Irecv source"},
        {"void f(void) { RECV(-1, 2); RECV(1, -2); }", ""},
        {"void f(void) { MPI_Sendrecv(&x, 1, MPI_INT, -2, -1, &y, 1, MPI_INT, 1, 2, "
         "MPI_COMM_WORLD, &s); }",
         ""},
        {"void f(void) { MPI_Sendrecv(&x, 1, MPI_INT, 1, 1, &y, 1, MPI_INT, ANY, 2, "
         "MPI_COMM_WORLD, &s); }",
         "Sendrecv source"},
        {"void f(void) { MPI_Sendrecv_replace(&x, 1, MPI_INT, 1, 1, 1, MPI_ANY_TAG, "
         "MPI_COMM_WORLD, &s); }",
         "Sendrecv_replace tag"},
        {"void f(void) { MPI_Probe(1, 2, MPI_COMM_WORLD, &s); }", "Probe"},
        {"void f(void) { MPI_Mprobe(1, 2, MPI_COMM_WORLD, &m, &s); MPI_Mrecv(&x, 1, MPI_INT, &m, "
         "&s); }",
         "Mprobe"},
        {"void f(void) { MPI_Iprobe(ANY, 2, MPI_COMM_WORLD, &flag, &s); }", "Iprobe source flag"},
        {"void f(void) { MPI_Improbe(1, 2, MPI_COMM_WORLD, &flag, &m, &s); }", "Improbe flag"},
        {"void f(void) { MPI_Test(&r, &flag, &s); }", "Test flag"},
        {"void f(void) { MPI_Testall(4, q, &flag, MPI_STATUSES_IGNORE); }", "Testall flag"},
        {"void f(void) { MPI_Testany(4, q, &x, &flag, &s); }", "Testany index flag"},
        {"void f(void) { MPI_Testsome(4, q, &x, &y, MPI_STATUSES_IGNORE); }",
         "Testsome index flag"},
        {"void f(void) { MPI_Waitany(4, q, &x, &s); }", "Waitany index"},
        {"void f(void) { MPI_Waitsome(4, q, &x, &y, MPI_STATUSES_IGNORE); }", "Waitsome index"},
        {"void f(void) { MPI_Request_get_status(r, &flag, &s); }", "Request_get_status flag"},
        {"void f(void) { MPI_Test_cancelled(&s, &flag); }", "Test_cancelled flag"},
        {"void f(void) { IRECV(1, 2); MPI_Wait(&r, &s); }", ""},
        {"void f(void) { IRECV(ANY, 2); MPI_Wait(&r, &s); }", "Irecv source"},
        {"void f(void) { MPI_Recv_init(&x, 1, MPI_INT, ANY, 2, MPI_COMM_WORLD, &r); "
         "MPI_Start(&r); MPI_Wait(&r, &s); }",
         "Recv_init source"},
        {"void f(void) { MPI_Isend(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r); MPI_Wait(&r, &s); }",
         ""},
        {"void f(void) { MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); }", ""},
    };
    (void)state;
    CHECK(cases, true);
    CHECK(cases, false);
}

static void values_are_followed(void **state)
{
    static const struct site_case cases[] = {
        {"void f(void) { RECV(ANY, 2); }", "Recv source"},
        {"enum { FROM = MPI_ANY_SOURCE }; void f(void) { RECV(FROM, 2); }", "Recv source"},
        {"static const int from = MPI_ANY_SOURCE; void f(void) { RECV(from, 2); }", "Recv source"},
        {"void f(void) { const int from = MPI_ANY_SOURCE; RECV(from, 2); }", "Recv source"},
        {"void f(void) { int from = MPI_ANY_SOURCE; RECV(from, 2); }", "Recv source"},
        {"void f(void) { int from; from = MPI_ANY_SOURCE; RECV((int)from, 2); }", "Recv source"},
        {"void f(int n) { int from = ANY; if (n) from = 3; RECV(from, 2); }", "Recv source?"},
        {"void f(int n) { int from; if (n) from = ANY; else from = ANY; RECV(from, 2); }",
         "Recv source"},
        {"void f(int prev) { int from = ANY; from = 3; RECV(from, 2); }", ""},
        {"void f(void) { int from = rank - 1; RECV(from, 2); }", ""},
        {"void f(void) { int from = ANY; RECV(from, 1); from = s.MPI_SOURCE; RECV(from, 2); }",
         "Recv source"},
        {"void f(int n) { int from = ANY; while (n--) { RECV(from, 1); from = s.MPI_SOURCE; } }",
         "Recv source?"},
        {"void f(int n) { int from = 0; for (;;) { RECV(from, 1); if (n) break; from = ANY; } }",
         "Recv source?"},
        {"void f(int n) { int from = 0; goto go; from = ANY; go: RECV(from, 1); }", ""},
        {"void f(int n) { int from; switch (n) { case 1: from = ANY; break; default: from = 2; } "
         "RECV(from, 1); }",
         "Recv source?"},
        {"void f(int n) { RECV(n ? ANY : 3, 1); }", "Recv source?"},
        {"void f(int n) { RECV(n ? ANY : MPI_ANY_SOURCE, 1); }", "Recv source"},
        {"void f(void) { MPI_Comm_rank(MPI_COMM_WORLD, &rank); RECV((rank + 1) % size, 1); }", ""},
        {"void f(void) { int up, down; MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &up, &down); "
         "RECV(up, 1); RECV(down, 1); }",
         ""},
        {"static void pick(int *from) { *from = ANY; } void f(void) { int from = 1; pick(&from); "
         "RECV(from, 1); }",
         "Recv source?"},
        {"static void pick(int *from) { *from = 2; } void f(void) { int from; pick(&from); "
         "RECV(from, 1); }",
         ""},
        {"static int pick(int n) { return n ? ANY : 1; } void f(void) { RECV(pick(2), 1); }",
         "Recv source?"},
        {"static int pick(int n) { return n; } void f(void) { RECV(pick(2), 1); }", ""},
        {"static int from = ANY; void f(void) { RECV(from, 1); }", "Recv source"},
        {"static int from; void g(void) { from = ANY; } void f(void) { RECV(from, 1); }",
         "Recv source?"},
        {"static int from; void g(void) { from = rank; } void f(void) { RECV(from, 1); }", ""},
        {"static int from[4]; void g(void) { from[1] = ANY; } void f(int i) { RECV(from[i], 1); }",
         "Recv source?"},
        {"static int from[4]; void g(void) { from[1] = -2; } void f(int i) { RECV(from[i], 1); }",
         ""},
        {"void f(int n) { int *from = malloc(8); from[0] = n; RECV(from[0], 1); }", ""},
        {"void f(int n) { int *from = malloc(8); from[0] = ANY; RECV(from[0], 1); }",
         "Recv source?"},
        {"static void set(int *v) { for (int i = 0; i < 4; i++) v[i] = ANY; }\n"
         "void f(int n) { int from[4]; set(from); RECV(from[n], 1); }",
         "Recv source"},
        {"void f(int n) { int from[2] = {1, ANY}; RECV(from[n], 1); }", "Recv source?"},
        {"void f(int n) { int tag = -1; tag = n ? 3 : 4; RECV(1, tag); }", ""},
        {"void f(int n) { int to = MPI_PROC_NULL, tag = 3; if (n) tag = MPI_ANY_TAG; "
         "RECV(to, tag); }",
         "Recv tag?"},
    };
    (void)state;
    CHECK(cases, true);
}

static void fields_are_what_is_stored_in_them(void **state)
{
    static const struct site_case cases[] = {
        {"struct g { int left, right; }; static void set(struct g *g) { g->left = rank - 1; "
         "g->right = MPI_PROC_NULL; }\n"
         "void f(void) { struct g g; set(&g); RECV(g.left, 1); RECV(g.right, 1); }",
         ""},
        {"struct g { int left, right; }; static void set(struct g *g) { g->left = ANY; "
         "g->right = 2; }\n"
         "void f(void) { struct g g; set(&g); RECV(g.left, 1); RECV(g.right, 1); }",
         "Recv source?"},
        {"struct g { int from; }; static struct g g = {ANY}; void f(void) { RECV(g.from, 1); }",
         "Recv source?"},
        {"struct g { int n; struct { int from; } i; }; static struct g g = {.i.from = ANY};\n"
         "void f(void) { RECV(g.i.from, 1); }",
         "Recv source?"},
        {"struct i { int from; }; struct g { int n; struct i i; }; static struct g g = {1, ANY};\n"
         "void f(void) { RECV(g.i.from, 1); }",
         "Recv source?"},
        {"struct g { int n; struct { int from; }; }; static const struct g g = {1, {ANY}};\n"
         "void f(const struct g *h) { RECV(h->from, 1); f(&g); }",
         "Recv source?"},
        {"struct g { int n, from[2]; }; static struct g g = {1, {ANY, 2}};\n"
         "void f(int n) { RECV(g.from[n], 1); }",
         "Recv source?"},
        {"struct g { int n, *from; }; static int a[2] = {ANY}; static struct g g = {1, a};\n"
         "void f(int n) { RECV(g.from[n], 1); }",
         "Recv source?"},
        {"struct i { int to; }; struct g { int n, from; }; static struct i i = {ANY};\n"
         "static struct g g = {1, 2}; void f(void) { RECV(g.from, 1); x = i.to; }",
         ""},
        {"struct g { int *from; }; static void set(struct g *g) { g->from = malloc(8); "
         "g->from[0] = rank; }\nvoid f(struct g *g, int i) { set(g); RECV(g->from[i], 1); }",
         ""},
        {"struct g { int *from; }; static void set(struct g *g) { g->from = malloc(8); "
         "g->from[0] = ANY; }\nvoid f(struct g *g, int i) { set(g); RECV(g->from[i], 1); }",
         "Recv source?"},
    };
    (void)state;
    CHECK(cases, true);
}

static void memory_is_known_by_all_its_names(void **state)
{
    static const struct site_case cases[] = {
        {"static int from[4]; void f(int n) { int *p = from; p[0] = ANY; RECV(from[n], 1); }",
         "Recv source?"},
        {"static int from[4]; void f(int n) { int *p; p = n ? from + 1 : 0; if (p) *p++ = ANY; "
         "RECV(from[n], 1); }",
         "Recv source?"},
        {"static int from[4]; void f(int n) { int *p = ({ from; }); p[n] = ANY; RECV(from[n], 1); "
         "}",
         "Recv source?"},
        {"static int from[4]; void f(int n) { int *p, *q; p = q = from; p[n] = ANY; "
         "RECV(from[n], 1); }",
         "Recv source?"},
        {"static int from[4], *p; void g(void) { p = from; } void f(int n) { int **q = &p; "
         "(*q)[n] = ANY; RECV(from[n], 1); }",
         "Recv source?"},
        {"static int from[4]; static int *get(void) { return from; }\n"
         "void f(int n) { get()[0] = ANY; RECV(from[n], 1); }",
         "Recv source?"},
        {"struct g { int *from; }; void f(struct g *g, int n) { g->from = malloc(8); "
         "int *p = g->from; p[0] = ANY; RECV(g->from[n], 1); }",
         "Recv source?"},
        {"void f(int n) { int *p = malloc(8), *from; p[0] = ANY; from = realloc(p, 16); "
         "RECV(from[n], 1); }",
         "Recv source?"},
        {"static int from[4], to[4]; void f(int n) { int *p = from, *q = to; p[0] = rank; "
         "q[0] = ANY; if (p && q != p) RECV(from[n], 1); }",
         ""},
    };
    (void)state;
    CHECK(cases, true);
}

static void wildcards_get_to_memory(void **state)
{
    static const struct site_case cases[] = {
        {"static int from[4]; void f(int n) { int t; from[n] = t = ANY; RECV(from[0], 1); }",
         "Recv source?"},
        {"static int from[4]; void f(int n) { from[n] = ({ int t = ANY; t; }); RECV(from[0], 1); }",
         "Recv source?"},
        {"static int from[4]; static void put(const int *v) { from[x++] = *v; }\n"
         "void f(void) { int t = ANY; put(&t); RECV(from[0], 1); }",
         "Recv source?"},
        {"static int from[4]; static void put(const int *v) { from[x++] = v[0]; }\n"
         "static void pass(int *v) { if (v) put(v); }\n"
         "void f(void) { int t = ANY; pass(&t); RECV(from[0], 1); }",
         "Recv source?"},
        {"static int from[4]; static const int *keep; static void put(const int *v) { keep = v; }\n"
         "void f(void) { int t = ANY; put(&t); from[0] = *keep; RECV(from[0], 1); }",
         "Recv source?"},
        {"void f(void) { int t = ANY, from; memcpy(&from, &t, sizeof t); RECV(from, 1); }",
         "Recv source?"},
        {"static int from; static int w(void *b, int n) { from = n; return MPI_Recv(b, 1, MPI_INT, "
         "n, 1, MPI_COMM_WORLD, &s); }\n"
         "void f(void) { w(&x, ANY); RECV(from, 1); }",
         "Recv source, Recv source?"},
        {"#include <stdarg.h>\nstatic int from[4]; static void put(int n, ...) { va_list l; "
         "va_start(l, n); from[n] = va_arg(l, int); va_end(l); }\n"
         "void f(void) { put(1, ANY); RECV(from[0], 1); }",
         "Recv source?"},
        {"struct g { void *data; }; void f(struct g *g) { g->data = (void *)(long)ANY; "
         "RECV((int)(long)g->data, 1); }",
         "Recv source?"},
        {"static void *data[4]; void f(int n) { data[n] = (void *)(long)ANY; "
         "RECV((int)(long)data[0], 1); }",
         "Recv source?"},
        {"void f(int n) { MPI_Status t; t.MPI_SOURCE = n ? rank : ANY; RECV(t.MPI_SOURCE, 1); }",
         "Recv source?"},
        {"static int from[4]; void f(MPI_Status *t) { from[0] = ANY; RECV(t->MPI_SOURCE, 1); }",
         ""},
        {"static int from[4]; static int is_any(const int *v) { return v && *v == ANY; }\n"
         "void f(int n) { int t = ANY; from[0] = rank; if (is_any(&t)) RECV(from[n], 1); }",
         ""},
    };
    (void)state;
    CHECK(cases, true);
}

static void parameters_are_what_callers_pass(void **state)
{
#define WRAPPER                                                                                    \
    "int my_recv(int from) { int e = RECV(from, 1); if (e == MPI_SUCCESS) x++; return s.MPI_TAG; " \
    "}\n"
#define CORRECTED                                                                                  \
    "void my_recv(int *from) { int src = *from; if (src < 0) src = ANY; RECV(src, 1); "            \
    "*from = s.MPI_SOURCE; }\n"
    static const struct site_case whole[] = {
        {WRAPPER "void f(void) { my_recv(1); my_recv(rank + 1); }", ""},
        {WRAPPER "void f(void) { my_recv(ANY); }", "Recv source"},
        {WRAPPER "void f(void) { my_recv(ANY); my_recv(1); }", "Recv source?"},
        {WRAPPER "static void g(int n) { my_recv(n); } void f(void) { g(ANY); }", "Recv source"},
        {WRAPPER "void f(void) { int (*p)(int) = my_recv; p(ANY); }", "Recv source"},
        {WRAPPER "void ext(int (*)(int)); void f(void) { ext(my_recv); }", "Recv source?"},
        {WRAPPER "int other(int) __asm__(\"my_recv\"); void f(void) { other(ANY); }",
         "Recv source?"},
        {WRAPPER "void *dlsym(void *, const char *);\n"
                 "void f(void) { int (*p)(int) = dlsym(0, \"my_recv\"); p(ANY); }",
         "Recv source?"},
        {"static int w(void *b, int n) { return MPI_Recv(b, 1, MPI_INT, n, 3, MPI_COMM_WORLD, "
         "MPI_STATUS_IGNORE); }\n"
         "int other(void *, int) __attribute__((alias(\"w\")));\n"
         "void f(void) { other(&x, ANY); }",
         "Recv source?"},
        {CORRECTED "void f(void) { int n = 3; my_recv(&n); }", ""},
        {CORRECTED "void f(void) { int n = -1; my_recv(&n); }", "Recv source?"},
        {CORRECTED "void f(void) { int n = rank - 1; my_recv(&n); }", "Recv source?"},
        {"static void w(int from) { if (from < 0) from = ANY; RECV(from, 1); x++; }\n"
         "void f(void) { w(3); w(0); }",
         ""},
        {"static void w(int from) { if (from < 0) from = ANY; RECV(from, 1); x++; }\n"
         "void f(void) { w(3); w(-1); }",
         "Recv source?"},
        {"static void w(int from) { RECV(from >= 0 ? from : ANY, 1); x++; }\n"
         "void f(void) { w(3); }",
         ""},
        {"static void w(int n, int from) { if (n) w(n - 1, from); RECV(from, 1); x++; }\n"
         "void f(void) { w(3, 2); }",
         ""},
        {"static void w(int n, int from) { if (n) w(n - 1, ANY); RECV(from, 1); x++; }\n"
         "void f(void) { w(3, 2); }",
         "Recv source?"},
    };
    static const struct site_case part[] = {
        {WRAPPER, "Recv source?"},
        {WRAPPER "void f(void) { my_recv(1); }", "Recv source?"},
        {"static " WRAPPER "void f(void) { my_recv(1); }", ""},
        {"void set(int *); void f(void) { int from; set(&from); RECV(from, 1); }", "Recv source?"},
        {"extern int from; void f(void) { RECV(from, 1); }", "Recv source?"},
        {"int hypre_MPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);\n"
         "void f(void) { hypre_MPI_Recv(&x, 1, MPI_INT, ANY, 1, MPI_COMM_WORLD, &s); }",
         "Recv source"},
    };
#undef WRAPPER
#undef CORRECTED
    (void)state;
    CHECK(whole, true);
    CHECK(part, false);
}

static void forwarders_make_sites_at_their_calls(void **state)
{
#define FORWARD                                                                                    \
    "int w(void *b, int n, int from, int tag, MPI_Status *st)\n"                                   \
    "{ return MPI_Recv(b, n, MPI_INT, from, tag, MPI_COMM_WORLD, st); }\n"
    static const struct site_case cases[] = {
        {FORWARD "void f(void) { w(&x, 1, 1, 1, &s); }", ""},
        {FORWARD "void f(void) { w(&x, 1, ANY, 1, &s); w(&x, 1, 1, 1, &s); w(&x, 1, 1, "
                 "MPI_ANY_TAG, &s); }",
         "Recv source, Recv tag"},
        {"int w(void *b, MPI_Status *st)\n"
         "{ return MPI_Recv(b, 1, MPI_INT, ANY, 3, MPI_COMM_WORLD, st); }\n"
         "void f(void) { w(&x, &s); w(&y, &s); }",
         "Recv source, Recv source"},
        {"int w(); void f(void) { w(&x, ANY, 1); }\n"
         "int w(void *b, int n) { return MPI_Recv(b, 1, MPI_INT, n, 3, MPI_COMM_WORLD, "
         "MPI_STATUS_IGNORE); }",
         "Recv source"},
        {"static void pull(void) { MPI_Recv(&x, 1, MPI_INT, ANY, 3, MPI_COMM_WORLD, &s); }\n"
         "void f(void) { pull(); pull(); }",
         "Recv source"},
        {"#define PULL() do { if (size > 1) RECV(ANY, 3); } while (0)\nvoid f(void) { PULL(); }",
         "Recv source"},
    };
#undef FORWARD
    (void)state;
    CHECK(cases, true);
}

/* ---- Programs with named calls only ---- */

static const char *const named_programs[] = {
    /* a stencil with two neighbours */
    "int main(int argc, char **argv) { double u[102]; int left, right; MPI_Init(&argc, &argv);\n"
    "MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "left = rank > 0 ? rank - 1 : MPI_PROC_NULL; right = rank < size - 1 ? rank + 1 : "
    "MPI_PROC_NULL;\n"
    "for (int t = 0; t < 100; t++) {\n"
    "MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[101], 1, MPI_DOUBLE, right, 0, "
    "MPI_COMM_WORLD, &s);\n"
    "MPI_Sendrecv(&u[100], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1, "
    "MPI_COMM_WORLD, MPI_STATUS_IGNORE); }\n"
    "MPI_Finalize(); return 0; }",
    /* a stencil on a Cartesian communicator, in functions, with a struct */
    "struct grid { int up, down, n; MPI_Comm comm; double *data; };\n"
    "static void grid_init(struct grid *g) { int dims[1] = {0}, periods[1] = {0};\n"
    "MPI_Dims_create(size, 1, dims);\n"
    "MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &g->comm);\n"
    "MPI_Cart_shift(g->comm, 0, 1, &g->up, &g->down); g->data = malloc(800); g->n = 98; }\n"
    "static void exchange(struct grid *g) { MPI_Request w[4];\n"
    "MPI_Irecv(g->data, 1, MPI_DOUBLE, g->up, 1, g->comm, &w[0]);\n"
    "MPI_Irecv(g->data + 99, 1, MPI_DOUBLE, g->down, 2, g->comm, &w[1]);\n"
    "MPI_Isend(g->data + 1, 1, MPI_DOUBLE, g->up, 2, g->comm, &w[2]);\n"
    "MPI_Isend(g->data + 98, 1, MPI_DOUBLE, g->down, 1, g->comm, &w[3]);\n"
    "MPI_Waitall(4, w, MPI_STATUSES_IGNORE); }\n"
    "int main(void) { struct grid g; MPI_Init(0, 0); grid_init(&g);\n"
    "for (int t = 0; t < 10; t++) exchange(&g); MPI_Finalize(); return 0; }",
    /* conjugate gradients: reductions only */
    "static double dot(const double *a, const double *b, int n) { double d = 0, all;\n"
    "for (int i = 0; i < n; i++) d += a[i] * b[i];\n"
    "MPI_Allreduce(&d, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); return all; }\n"
    "int main(void) { double r[8], p[8], rr; MPI_Init(0, 0); memset(r, 0, sizeof r); memset(p, 0, "
    "sizeof p);\n"
    "rr = dot(r, r, 8); while (rr > 1e-9) { double a = rr / dot(p, p, 8); r[0] -= a; "
    "rr = dot(r, r, 8); }\n"
    "MPI_Finalize(); return 0; }",
    /* a transpose by Alltoall */
    "int main(void) { double a[64], b[64]; MPI_Init(0, 0); MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "for (int t = 0; t < 5; t++) MPI_Alltoall(a, 64 / size, MPI_DOUBLE, b, 64 / size, MPI_DOUBLE, "
    "MPI_COMM_WORLD);\nMPI_Finalize(); return 0; }",
    /* a ring */
    "int main(void) { MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "if (rank == 0) { MPI_Send(&x, 1, MPI_INT, 1 % size, 0, MPI_COMM_WORLD);\n"
    "RECV(size - 1, 0); } else { RECV(rank - 1, 0);\n"
    "MPI_Send(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD); }\n"
    "MPI_Finalize(); return 0; }",
    /* a pipeline with a loop over neighbours in an array */
    "static int neighbours(int *list) { int n = 0; for (int d = -1; d <= 1; d += 2)\n"
    "if (rank + d >= 0 && rank + d < size) list[n++] = rank + d; return n; }\n"
    "int main(void) { int list[2], n, in[2]; MPI_Request w[2]; MPI_Init(0, 0);\n"
    "MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "n = neighbours(list); for (int i = 0; i < n; i++)\n"
    "MPI_Irecv(&in[i], 1, MPI_INT, list[i], 7, MPI_COMM_WORLD, &w[i]);\n"
    "for (int i = 0; i < n; i++) MPI_Send(&rank, 1, MPI_INT, list[i], 7, MPI_COMM_WORLD);\n"
    "MPI_Waitall(n, w, MPI_STATUSES_IGNORE); MPI_Finalize(); return 0; }",
    /* persistent halo exchange */
    "int main(void) { MPI_Request w[2]; MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "int peer = rank ^ 1; MPI_Recv_init(&y, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &w[0]);\n"
    "MPI_Send_init(&x, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &w[1]);\n"
    "for (int t = 0; t < 9; t++) { MPI_Startall(2, w); MPI_Waitall(2, w, MPI_STATUSES_IGNORE); }\n"
    "MPI_Request_free(&w[0]); MPI_Request_free(&w[1]); MPI_Finalize(); return 0; }",
    /* matrix multiplication in the manner of Cannon */
    "int main(void) { double a[16]; int from, to; MPI_Comm grid; int dims[2] = {0, 0}, per[2] = "
    "{1, 1};\n"
    "MPI_Init(0, 0); MPI_Comm_size(MPI_COMM_WORLD, &size); MPI_Dims_create(size, 2, dims);\n"
    "MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, 1, &grid);\n"
    "for (int k = 0; k < dims[0]; k++) { MPI_Cart_shift(grid, 1, -1, &from, &to);\n"
    "MPI_Sendrecv_replace(a, 16, MPI_DOUBLE, to, 1, from, 1, grid, MPI_STATUS_IGNORE); }\n"
    "MPI_Finalize(); return 0; }",
    /* a gather by hand: the master names each rank */
    "int main(void) { int all[64]; MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "MPI_Comm_size(MPI_COMM_WORLD, &size); if (rank) MPI_Send(&rank, 1, MPI_INT, 0, 9, "
    "MPI_COMM_WORLD);\n"
    "else for (int i = 1; i < size; i++) MPI_Recv(&all[i], 1, MPI_INT, i, 9, MPI_COMM_WORLD, &s);\n"
    "MPI_Finalize(); return 0; }",
    /* a tree reduction */
    "int main(void) { MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "MPI_Comm_size(MPI_COMM_WORLD, &size); for (int step = 1; step < size; step *= 2) {\n"
    "if (rank & step) { MPI_Send(&x, 1, MPI_INT, rank - step, 4, MPI_COMM_WORLD); break; }\n"
    "if (rank + step < size) { RECV(rank + step, 4); y += x; } }\n"
    "MPI_Bcast(&y, 1, MPI_INT, 0, MPI_COMM_WORLD); MPI_Finalize(); return 0; }",
    /* a wrapper library with its own receive */
    "static int my_recv(void *buffer, int count, int from) { MPI_Status st;\n"
    "int e = MPI_Recv(buffer, count, MPI_BYTE, from, 11, MPI_COMM_WORLD, &st);\n"
    "if (e) MPI_Abort(MPI_COMM_WORLD, e); MPI_Get_count(&st, MPI_BYTE, &e); return e; }\n"
    "int main(void) { MPI_Init(0, 0); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "MPI_Comm_size(MPI_COMM_WORLD, &size); int next = (rank + 1) % size, last = (rank + size - 1) "
    "% size;\n"
    "MPI_Send(&x, 4, MPI_BYTE, next, 11, MPI_COMM_WORLD); my_recv(&y, 4, last);\n"
    "MPI_Finalize(); return 0; }",
};

static void named_programs_have_no_site(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof named_programs / sizeof *named_programs; i++) {
        struct site_case c = {named_programs[i], ""};
        check(&c, true);
    }
}

static void identities_agree_with_the_program(void **state)
{
    struct an_program *program =
        snippet_join(true, "static int x; static MPI_Status s;\n"
                           "void f(int n) { MPI_Probe(0, 0, n, &s); MPI_Probe(1, 0, n, &s); }");
    struct an_judgement *judgement = an_judge(program);

    (void)state;
    assert_non_null(judgement->sites);
    assert_int_equal(judgement->sites->id,
                     an_program_identity(program, snippet_call(program, "f", 0)));
    assert_int_equal(judgement->sites->next->id,
                     an_program_identity(program, snippet_call(program, "f", 1)));
    assert_int_equal(judgement->functions, 1);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_open_by_nature_or_by_argument),
        cmocka_unit_test(values_are_followed),
        cmocka_unit_test(fields_are_what_is_stored_in_them),
        cmocka_unit_test(memory_is_known_by_all_its_names),
        cmocka_unit_test(wildcards_get_to_memory),
        cmocka_unit_test(parameters_are_what_callers_pass),
        cmocka_unit_test(forwarders_make_sites_at_their_calls),
        cmocka_unit_test(named_programs_have_no_site),
        cmocka_unit_test(identities_agree_with_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
