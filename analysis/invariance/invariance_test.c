/* invariance_test: programs of a few lines that show values, with the expected letter for each:
 * `=` the same, `d` it may differ, `r` it depends on the rank, `g` the same on a communicator. */
#include "analysis/invariance/invariance.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define HEAD                                                                                       \
    "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"             \
    "#include <math.h>\n#include <getopt.h>\n"                                                     \
    "#define W MPI_COMM_WORLD\n#define SHOW(x) show((long)(x))\n"                                  \
    "static void show(long x) { if (x) puts(\"\"); }\n"                                            \
    "static int rank, size, got; static MPI_Status s;\n"                                           \
    "#define RECV(x) MPI_Recv(&(x), 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &s)\n"                       \
    "#define SUM(x) MPI_Allreduce(MPI_IN_PLACE, &(x), 1, MPI_INT, MPI_SUM, W)\n"                   \
    "#define TELL(x) MPI_Bcast(&(x), 1, MPI_INT, 0, W)\n"
#define MAIN                                                                                       \
    "int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Comm_rank(W, &rank); "          \
    "MPI_Comm_size(W, &size); "
#define END " MPI_Finalize(); return 0; }"

struct one_case {
    const char *text, *expected;
};

static char letter(uint64_t marks)
{
    return marks & AN_OF_RANK ? 'r' : marks & AN_DIFFERS ? 'd' : marks ? 'g' : '=';
}

/* The letters of all values that are shown, in the order of the source. */
static void shown(const char *text, bool whole, char *letters)
{
    char *all = malloc(strlen(HEAD) + strlen(text) + 1);
    assert_non_null(all);
    strcpy(all, HEAD);
    strcat(all, text);
    struct an_program *program = snippet_join(whole, all);
    struct an_invariance *invariance = an_invariance_create(program);
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            if (n->kind == AN_CALL && n->name && strcmp(n->name, "show") == 0)
                *letters++ = letter(an_invariance_of(invariance, an_argument(n, 0)));
    *letters = '\0';
    an_invariance_destroy(invariance);
    an_program_destroy(program);
    free(all);
}

static void check(const struct one_case *cases, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char letters[100];
        shown(cases[i].text, true, letters);
        if (strcmp(letters, cases[i].expected) == 0)
            continue;
        print_error("%s\nexpected %s\nfound    %s\n", cases[i].text, cases[i].expected, letters);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static const struct one_case values[] = {
    /* Constants, arguments of the program, the number of ranks. */
    {MAIN "int n = 3, m; m = n * 2 + size; SHOW(n); SHOW(m); SHOW(argc); SHOW(atoi(argv[1])); "
          "SHOW(argc > 2 ? strtol(argv[2], NULL, 10) : 7);" END,
     "====="},
    {MAIN "int half = rank / 2; SHOW(rank); SHOW(half); SHOW(half == 1 ? 2 : 3);" END, "rrr"},
    /* Results of collectives. */
    {MAIN "int n = rank, m; SUM(n); SHOW(n); MPI_Allreduce(&rank, &m, 1, MPI_INT, MPI_SUM, W); "
          "SHOW(m); SHOW(m + rank);" END,
     "==r"},
    {MAIN "int n = 0, m = 0; if (rank == 0) scanf(\"%d\", &n); SHOW(n); TELL(n); SHOW(n); "
          "MPI_Reduce(&rank, &m, 1, MPI_INT, MPI_SUM, 0, W); SHOW(m);" END,
     "d=d"},
    {MAIN "int all[99], i = 0; MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, W); SHOW(all[3]); "
          "SHOW(all[rank]); while (i < size && all[i]) i++; SHOW(i);" END,
     "=r="},
    /* Received data, input, clocks, random numbers, uninitialised variables. */
    {MAIN "RECV(got); SHOW(got); SHOW(s.MPI_SOURCE); int c = getchar(); SHOW(c); "
          "double t = MPI_Wtime(); SHOW(t); SHOW(rand()); SHOW(getenv(\"HOME\") != NULL);" END,
     "dddddd"},
    {MAIN
     "int n = 5; RECV(n); TELL(n); SHOW(n); RECV(n); SHOW(n); if (argc > 3) TELL(n); SHOW(n);" END,
     "=dd"},
    /* The largest tag. */
    {MAIN "int *top, there; MPI_Comm_get_attr(W, MPI_TAG_UB, &top, &there); SHOW(there); "
          "SHOW(*top);" END,
     "=="},
    /* The value of a pointer. */
    {MAIN "int n = 0; int *p = &n; SHOW(p); SHOW(*p); SHOW(p == NULL);" END, "d=="},
};

static void values_are_followed(void **state)
{
    (void)state;
    check(values, COUNT(values));
}

static const struct one_case conditions[] = {
    {MAIN "int n = 1; if (rank) n = 2; SHOW(n); int m = 1; if (size > 2) m = 2; SHOW(m);" END,
     "r="},
    {MAIN "int n = 0, m = 0; for (int i = 0; i < rank; i++) n++; SHOW(n); "
          "for (int i = 0; i < size; i++) m++; SHOW(m);" END,
     "r="},
    /* Jumps. */
    {MAIN "int n = 0; for (int i = 0; i < 9; i++) { if (i == rank) break; n++; } SHOW(n); "
          "int m = 0; for (int i = 0; i < 9; i++) { if (i == rank) continue; m++; } SHOW(m);" END,
     "rr"},
    {MAIN
     "int n = 0; for (int i = 0; i < 9; i++) { n++; if (i == rank) continue; got++; } SHOW(n);" END,
     "="},
    {"static int f(void) { if (rank) return 1; return 2; }\n" MAIN "SHOW(f());" END, "r"},
    {"static int n; static void f(void) { if (rank) return; n = 2; }\n" MAIN "f(); SHOW(n);" END,
     "r"},
    {MAIN "int n = 0; if (rank) goto out; n = 1; out: SHOW(n);" END, "r"},
    {MAIN "int n = 0; again: n++; if (n < rank) goto again; SHOW(n);" END, "r"},
    {MAIN "int n = 0; switch (rank) { case 0: n = 1; break; case 1: n = 2; } SHOW(n); "
          "switch (size) { case 1: n = 1; break; default: size = size; } SHOW(size);" END,
     "r="},
    {MAIN "int n = 0; rank && (n = 1); SHOW(n); int m = rank ? 1 : 1; SHOW(m);" END, "rr"},
    /* A function that is not called alike. */
    {"static int n; static void f(int x) { n = 2; SHOW(x); }\n" MAIN
     "for (int i = 0; i < 9; i++) if (i % size == rank) f(i); SHOW(n);" END,
     "rr"},
    {"static int n; static void g(void) { n++; }\nstatic void f(void) { g(); }\n" MAIN
     "if (rank) f(); SHOW(n);" END,
     "r"},
    /* An error ends the program: what follows is alike on those that live. */
    {MAIN "int n = 0; if (rank > 64) MPI_Abort(W, 1); n = 1; SHOW(n);" END, "="},
    /* The sum is told, but not to all. */
    {MAIN "int n = rank; if (rank < 2) SUM(n); SHOW(n);" END, "r"},
};

static void conditions_are_followed(void **state)
{
    (void)state;
    check(conditions, COUNT(conditions));
}

static const struct one_case memory[] = {

    {MAIN "int n = 1, m = 2, *p[2] = {&n, &m}; *p[rank] = 5; SHOW(n);" END, "r"},
    {MAIN "int n = 1, *p = &n, **q = &p; **q = rank; SHOW(n);" END, "r"},
    {"static int a(void) { return 1; } static int b(void) { return 2; } static int (*const "
     "t[2])(void) = {a, b};\n" MAIN "SHOW(t[rank]());" END,
     "r"},
    {MAIN "int n = 0; do n++; while (n < rank); SHOW(n);" END, "r"},
    {MAIN "int n = 0; while (1) { n++; if (n > rank) break; } SHOW(n);" END, "r"},
    {MAIN "int n = 0; for (int i = 0; i < 9; i++) { switch (rank) { case 0: continue; default: "
          "break; } n++; } SHOW(n);" END,
     "r"},
    {MAIN
     "int n = 0; for (int i = 0; i < 9; i++) { if (i == rank) goto out; n++; } out: SHOW(n);" END,
     "r"},
    {MAIN "char b[9]; sprintf(b, \"%d\", rank); SHOW(atoi(b)); SHOW(strlen(b));" END, "rr"},
    {MAIN "char b[9], c[9]; sprintf(b, \"%d\", rank); strcpy(c, b); SHOW(c[0]); SHOW(*strchr(c, "
          "'1'));" END,
     "rr"},
    {"static int *gp; static int n; static void f(void) { gp = &n; }\n" MAIN
     "f(); *gp = rank; SHOW(n);" END,
     "r"},
    {"static int apply(int (*f)(int), int x) { return f(x); } static int g; static int id(int x) { "
     "g = x; return x; }\n" MAIN "SHOW(apply(id, rank)); SHOW(g);" END,
     "rr"},
    {"struct a { int n; int *p; };\n" MAIN
     "struct a x = {1, NULL}; memset(&x, rank, sizeof x); SHOW(x.n);" END,
     "r"},
    {"struct a { int n; int *p; };\n" MAIN
     "int k = 1; struct a x = {1, NULL}, y; x.p = &k; y = x; *y.p = rank; SHOW(k);" END,
     "r"},
    {"struct a { int n; int *p; };\n" MAIN
     "int k = 1; struct a x = {1, &k}; void *v = &x; struct a *q = v; *q->p = rank; SHOW(k);" END,
     "r"},
    {"struct a { int n; int *p; };\n" MAIN
     "int k = 1; struct a x = {1, &k}, y; memcpy(&y, &x, sizeof x); *y.p = rank; SHOW(k);" END,
     "r"},
    {"struct a { int n; int *p; };\n" MAIN
     "int k = 1; struct a x = {1, &k}, y; char b[16]; memcpy(b, &x, 16); memcpy(&y, b, 16); *y.p = "
     "rank; SHOW(k);" END,
     "r"},
    {MAIN "SHOW(argv[rank][0]); SHOW(argv[1][rank]);" END, "rr"},
    {"#include <setjmp.h>\nstatic jmp_buf b;\n" MAIN
     "int n = 1; if (setjmp(b)) n = 2; SHOW(n);" END,
     "d"},
    {MAIN "int n = 0, m; for (int i = 0; i < 9; i++) { m = n; if (i == 3) RECV(n); } SHOW(m);" END,
     "d"},
    {"static int pick(const int *a, int i) { return a[i]; }\n" MAIN
     "int a[9] = {1}, b[9]; b[0] = rank; SHOW(pick(a, 0)); SHOW(pick(a, rank)); SHOW(pick(b, "
     "0));" END,
     "rrr"},
    {MAIN "int n = 0; if (size > 2) { RECV(n); } else n = 3; SHOW(n);" END, "d"},
    {MAIN "int n = 0; MPI_Request q; MPI_Iallreduce(&rank, &n, 1, MPI_INT, MPI_SUM, W, &q); "
          "MPI_Wait(&q, &s); SHOW(n);" END,
     "="},
    {MAIN "int n; MPI_Scan(&size, &n, 1, MPI_INT, MPI_SUM, W); SHOW(n); int t[9]; MPI_Alltoall(t, "
          "1, MPI_INT, t, 1, MPI_INT, W); SHOW(t[0]);" END,
     "dd"},
    {MAIN "int f; MPI_Iprobe(0, 1, W, &f, &s); SHOW(f); int c; MPI_Get_count(&s, MPI_INT, &c); "
          "SHOW(c);" END,
     "dd"},
    {"static int n; static void f(int k) { if (k > 0) { n = k; f(k - 1); } }\n" MAIN
     "f(rank); SHOW(n);" END,
     "r"},
    {"struct v { int n; int *d; }; static void push(struct v *v, int x) { v->d = realloc(v->d, 9); "
     "v->d[v->n++] = x; }\n" MAIN
     "struct v v = {0, NULL}; push(&v, rank); SHOW(v.n); SHOW(v.d[0]);" END,
     "=r"},
    {"struct v { int n; int *d; }; static void push(struct v *v, int x) { v->d = realloc(v->d, 9); "
     "v->d[v->n++] = x; }\n" MAIN
     "struct v v = {0, NULL}; if (rank) push(&v, 1); SHOW(v.n); SHOW(v.d[0]);" END,
     "rr"},
    {MAIN "FILE *f = fopen(\"x\", \"r\"); int n = 0; if (f) fscanf(f, \"%d\", &n); SHOW(n); SHOW(f "
          "!= NULL);" END,
     "dd"},
    {MAIN "int n = 0; SHOW(({ n = rank; n + 1; }));" END, "r"},
    {MAIN "int a[3] = {0, 0, rank}; SHOW(a[0]); int b[2][2] = {{1, 2}, {3, 4}}; SHOW(b[1][0]); "
          "b[rank][0] = 2; SHOW(b[0][0]);" END,
     "rrr"},
    {"static int log2_of(int n) { int k = 0; for (;;) { if (n <= 1) return k; n /= 2; k++; } "
     "}\n" MAIN "SHOW(log2_of(size)); SHOW(log2_of(rank));" END,
     "=r"},
    {MAIN "int n = 3; n += rank; SHOW(n); int m = 1; m <<= size; SHOW(m);" END, "r="},
    {MAIN "int n = 1; int *p = NULL; if (rank) p = &n; if (p) n = 2; SHOW(n);" END, "r"},
    /* An alias. */
    {MAIN "int n = 1, m = 1, *p = &n; *p = rank; SHOW(n); SHOW(m);" END, "r="},
    {"static void set(int *p, int v) { *p = v; }\n" MAIN
     "int n, m; set(&n, 3); SHOW(n); set(&m, rank); "
     "SHOW(m);" END,
     "rr"},
    {MAIN "int a[9] = {0}, b[9] = {0}; a[rank] = 1; SHOW(a[2]); b[size] = 1; SHOW(b[2]);" END,
     "r="},
    {MAIN "int *a = malloc(36), *b = malloc(36); RECV(a[0]); b[0] = size; SHOW(a[1]); SHOW(b[1]); "
          "SHOW(b == NULL);" END,
     "d=="},
    {"static void *get(size_t n) { void *p = malloc(n); if (!p) exit(1); return p; }\n" MAIN
     "int *a = get(36), *b = get(36); RECV(a[0]); b[0] = size; SHOW(a[1]); SHOW(b[1]);" END,
     "d="},
    {MAIN "int n = 1, m = 2; int *p = rank ? &n : &m; SHOW(*p); *p = 7; SHOW(n);" END, "rr"},
    {MAIN "int n = 1; long where = (long)&n; *(int *)where = rank; SHOW(n);" END, "d"},
    {MAIN "int n = 1, *p = &n; TELL(n); *p = rank; SHOW(n);" END, "r"},
    /* Records. */
    {"struct a { int n, m; }; static struct a g = {1, 2};\n" MAIN
     "struct a x = {size, 2}, *p = &x; p->m = rank; SHOW(x.n); SHOW(x.m); g = x; SHOW(g.n);" END,
     "=r="},
    {"struct a { int n, m; };\n" MAIN
     "struct a x = {1, 2}; MPI_Recv(&x, sizeof x, MPI_BYTE, 0, 1, W, &s); "
     "SHOW(x.n);" END,
     "d"},
    {"struct a { int n, m; };\n" MAIN
     "struct a x = {1, 2}; char b[8]; MPI_Recv(b, 8, MPI_BYTE, 0, 1, W, &s); "
     "SHOW(x.n); memcpy(&x, b, 8); SHOW(x.m);" END,
     "dd"},
    {"struct a { int n, m; };\n" MAIN
     "struct a x = {1, 2}, y = {3, 4}; if (rank) x = y; SHOW(x.n);" END,
     "r"},
    {"struct a { int n, m; };\n" MAIN
     "struct a x = {1, 2}, y = {3, 4}; if (rank) memcpy(&x, &y, sizeof x); "
     "SHOW(x.n);" END,
     "r"},
    {"union u { int n; float f; };\n" MAIN "union u u; u.n = 1; u.f = rank; SHOW(u.n);" END, "r"},
    {"struct a { int n; }; struct b { int k; };\n" MAIN
     "struct a x = {1}; struct b *p = (struct b *)&x; p->k = rank; SHOW(x.n);" END,
     "r"},
    {"struct a { int n; };\n" MAIN
     "struct a x = {1}; int *p = (int *)&x; *p = rank; SHOW(x.n);" END,
     "r"},
    {"struct l { struct l *next; int n; };\n" MAIN
     "struct l *first = NULL; for (int i = 0; i < size; i++) { "
     "struct l *l = malloc(sizeof *l); l->next = first; l->n = i; first = l; } "
     "for (struct l *l = first; l; l = l->next) SHOW(l->n); if (rank) first = first->next; "
     "SHOW(first->n);" END,
     "rr"},
    /* Code that is not here. */
    {"void far(int *p); int near(void);\n" MAIN "int n = 1; far(&n); SHOW(n); SHOW(near());" END,
     "dd"},
    {"extern int far;\n" MAIN "SHOW(far);" END, "d"},
    {MAIN "int n = 1; __asm__(\"\" : \"=r\"(n)); SHOW(n);" END, "d"},
    /* Bytes that a function copies by itself. */
    {"struct a { int n; }; static void copy(void *to, const void *from, int n) { char *a = to; "
     "const char "
     "*b = from; while (n-- > 0) *a++ = *b++; }\n" MAIN
     "struct a x = {1}; copy(&x, &rank, 4); SHOW(x.n);" END,
     "r"},
    {"static void drop(void *p) { if (p) free(p); }\n" MAIN "int *a = malloc(9), *b = malloc(9); "
     "a[0] = rank; b[0] = 1; drop(a); SHOW(b[0]); drop(b);" END,
     "="},
    {"union u { int *p; long n; };\n" MAIN "int k; union u u; u.p = &k; SHOW(u.n);" END, "d"},
    /* A handler, a thread. */
    {"#include <signal.h>\nstatic int stop; static void handle(int s) { stop = 1; }\n" MAIN
     "signal(SIGTERM, handle); SHOW(stop);" END,
     "d"},
    {"#include <pthread.h>\nstatic int n; static void *run(void *p) { n++; return p; }\n" MAIN
     "pthread_t t; pthread_create(&t, NULL, run, NULL); SHOW(n);" END,
     "d"},
    /* Options. */
    {"struct o { const char *name; long *value; };\nstatic void read_all(int argc, char **argv, "
     "const "
     "struct o *o) { struct option t[9] = {{0}}; int c, k; for (int i = 0; o[i].name; i++) t[i] = "
     "(struct "
     "option){o[i].name, required_argument, NULL, 'v'}; while ((c = getopt_long(argc, argv, \"\", "
     "t, "
     "&k)) != -1) if (c == 'v') *o[k].value = strtol(optarg, NULL, 10); }\n" MAIN
     "long steps = 10, mine = rank; struct o o[] = {{\"steps\", &steps}, {0}}; read_all(argc, "
     "argv, o); "
     "SHOW(steps); SHOW(mine);" END,
     "=r"},
};

static void memory_is_followed(void **state)
{
    (void)state;
    check(memory, COUNT(memory));
}

static const struct one_case functions[] = {
    /* A function that only computes says nothing of other calls. */
    {"static int least(int a, int b) { return a < b ? a : b; }\n" MAIN
     "SHOW(least(size, 3)); SHOW(least(rank, 3));" END,
     "=r"},
    {"static int half(int n) { int k = 0; while (2 * k < n) k++; return k; }\n" MAIN
     "SHOW(half(size)); if (rank) SHOW(half(rank)); SHOW(half(8));" END,
     "=r="},
    {"static int n; static int count(int k) { n += k; return n; }\n" MAIN
     "SHOW(count(1)); count(rank); SHOW(n);" END,
     "rr"},
    {"static double sum(double x, MPI_Comm comm) { double all; MPI_Allreduce(&x, &all, 1, "
     "MPI_DOUBLE, "
     "MPI_SUM, comm); return all; }\n" MAIN "SHOW(sqrt(sum(rank, W)));" END,
     "g"},
    {"static int (*f)(void); static int a(void) { return 1; } static int b(void) { return 2; "
     "}\n" MAIN "f = a; SHOW(f()); f = rank ? a : b; SHOW(f());" END,
     "rr"},
    {"static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n" MAIN
     "SHOW(fib(size));" END,
     "="},
    /* Return codes of MPI. */
    {MAIN "int e = MPI_Barrier(W); SHOW(e);" END, "="},
    {MAIN "MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN); int e = MPI_Barrier(W); SHOW(e);" END,
     "d"},
    {MAIN "int n; MPI_Type_size(MPI_DOUBLE, &n); SHOW(n);" END, "="},
    /* An operation of its own. */
    {"static void f(void *a, void *b, int *n, MPI_Datatype *t) { *(int *)b = rank; }\n" MAIN
     "MPI_Op op; int n; MPI_Op_create(f, 1, &op); MPI_Allreduce(&size, &n, 1, MPI_INT, op, W); "
     "SHOW(n);" END,
     "d"},
    /* Communicators. */
    {MAIN
     "MPI_Comm half; MPI_Comm_split(W, rank % 2, 0, &half); int n = rank, m; MPI_Allreduce("
     "MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, half); SHOW(n); MPI_Comm_size(half, &m); SHOW(m);" END,
     "gg"},
};

static void functions_are_followed(void **state)
{
    (void)state;
    check(functions, COUNT(functions));
}

/* Variables that a collective overwrites. */
static const struct one_case overwritten[] = {
    {"static void f(int n) { SHOW(n); TELL(n); SHOW(n); }\n" MAIN "f(rank);" END, "r="},
    {"static int n; static void start(void) { if (rank == 0) scanf(\"%d\", &n); TELL(n); }\n" MAIN
     "start(); SHOW(n); for (int i = 0; i < n; i++) SHOW(i);" END,
     "=="},
    /* Another function sees it before. */
    {"static int n, m; static void use(void) { m = n; }\nstatic void start(void) { if (rank == 0) "
     "scanf(\"%d\", &n); use(); TELL(n); }\n" MAIN "start(); SHOW(n); SHOW(m);" END,
     "dd"},
    /* On some way nobody tells. */
    {"static int n; static void start(int t) { if (rank == 0) scanf(\"%d\", &n); if (t) return; "
     "TELL(n); }\n" MAIN "start(argc); SHOW(n);" END,
     "d"},
    {"static int n; static void spoil(void) { n = rank; }\nstatic void start(void) { TELL(n); "
     "}\n" MAIN "start(); spoil(); SHOW(n);" END,
     "r"},
    {MAIN "int n = rank; for (int i = 0; i < 9; i++) { SHOW(n); SUM(n); SHOW(n); n += rank; }" END,
     "r="},
    /* Half of it, a byte of it. */
    {MAIN
     "long n = rank, m = rank; MPI_Bcast(&n, 1, MPI_INT, 0, W); SHOW(n); MPI_Bcast(&m, sizeof m, "
     "MPI_BYTE, 0, W); SHOW(m);" END,
     "r="},
    {MAIN "int n = rank, k = rank; MPI_Bcast(&n, k, MPI_INT, 0, W); SHOW(n);" END, "r"},
    {MAIN "int n = rank; MPI_Request q; MPI_Irecv(&n, 1, MPI_INT, 0, 1, W, &q); TELL(n); SHOW(n); "
          "MPI_Wait(&q, &s);" END,
     "r"},
};

static void what_is_overwritten_is_clean(void **state)
{
    (void)state;
    check(overwritten, COUNT(overwritten));
}

/* In a part of a program anything may be written and called from elsewhere. */
static void a_part_is_open(void **state)
{
    char letters[100];
    (void)state;
    shown("int n = 1; static int m = 1; void f(int k) { SHOW(n); SHOW(m); SHOW(k); }", false,
          letters);
    assert_string_equal(letters, "ddd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_followed),          cmocka_unit_test(conditions_are_followed),
        cmocka_unit_test(memory_is_followed),           cmocka_unit_test(functions_are_followed),
        cmocka_unit_test(what_is_overwritten_is_clean), cmocka_unit_test(a_part_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
