/* What is judged how: programs in which a value takes a way through helpers, structures, globals,
 * pointers, copies and exits, some of them harmless, some not. A harmless one may be judged worse
 * than it is only where the table says so; a harmful one never better. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct flow_case {
    const char *name;
    const char *may; /* classes that the first site may have: D S C N U */
    const char *helpers, *body;
};

#define HEAD                                                                                       \
    "#include <stdlib.h>\n#include <string.h>\n#define W MPI_COMM_WORLD\n#define ANY "             \
    "MPI_ANY_SOURCE\n"
#define OPEN                                                                                       \
    "\nint main(void)\n{\n    int rank, size, v = 0, n = 0, t[64] = {0};\n    MPI_Status s;\n"     \
    "    MPI_Init(0, 0);\n    MPI_Comm_rank(W, &rank);\n    MPI_Comm_size(W, &size);\n"            \
    "    if (rank) { MPI_Send(&rank, 1, MPI_INT, 0, 1, W); }\n    else {\n"
#define CLOSE "\n    }\n    MPI_Finalize();\n    return 0;\n}\n"
#define RECV "MPI_Recv(&v, 1, MPI_INT, ANY, 1, W, &s);\n"
#define EACH "for (int i = 1; i < size; i++) {\n" RECV

static const struct flow_case cases[] = {
    /* Stored at the source's place. */
    {"by source", "S", "", EACH "t[s.MPI_SOURCE] = v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"by source, in a helper", "S",
     "struct all { int part[64]; };\n"
     "static void put(struct all *a, int at, int what) { a->part[at] = what; }\n",
     "static struct all all;\n" EACH "put(&all, s.MPI_SOURCE, v); }\n"
     "MPI_Bcast(all.part, 64, MPI_INT, 0, W);"},
    {"by turn", "NU", "", EACH "t[i] = v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"the turn at the source's place", "NU", "",
     EACH "t[s.MPI_SOURCE] = i; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"by turn, in a helper through two pointers", "NU",
     "static void put(int **at, int what) { **at = what; (*at)++; }\n",
     "int *at = t;\n" EACH "put(&at, v); } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    /* Sorted, and not. */
    {"sorted", "S",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n",
     EACH "t[n++] = v; } qsort(t, n, sizeof *t, cmp); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted with places", "S", "void sort2(int *key, int *place, int n);\n",
     "int place[64], key[64];\n" EACH "t[n++] = v; }\n"
     "for (int k = 0; k < n; k++) { place[k] = k; key[k] = t[k]; }\n"
     "sort2(key, place, n);\n"
     "for (int k = 0; k < n; k++) MPI_Send(&t[place[k]], 1, MPI_INT, 1, 2, W);"},
#define SORTED(how, compare)                                                                       \
    "static int key[64];\nstatic int cmp(const void *a, const void *b) { return " compare "; }\n", \
        EACH "t[n++] = v; } qsort(t, n, sizeof *t, " how "); MPI_Bcast(t, 64, MPI_INT, 0, W);"
#define A "*(const int *)a"
#define B "*(const int *)b"
    {"sorted by halves", "NU", SORTED("cmp", A " / 2 - " B " / 2")},
    {"sorted by the absolute value", "NU", SORTED("cmp", "abs(" A ") - abs(" B ")")},
    {"sorted by the remainder", "NU", SORTED("cmp", A " % 8 - " B " % 8")},
    {"sorted by a key from elsewhere", "NU", SORTED("cmp", "key[" A "] - key[" B "]")},
    {"all equal", "NU", SORTED("cmp", "0")},
    {"divided, not sorted", "NU", SORTED("cmp", A " > 5")},
    {"sorted by a function that is not here", "NU", "int cmp(const void *a, const void *b);\n",
     EACH "t[n++] = v; } qsort(t, n, sizeof *t, cmp); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted by a comparison of comparisons", "S",
     SORTED("cmp", "(" A " > " B ") - (" A " < " B ")")},
    {"sorted by a comparison's result", "S",
     "static int cmp(const void *a, const void *b)\n"
     "{ int x = *(int *)a, y = *(int *)b, d = x - y; return d < 0 ? -1 : d > 0; }\n",
     EACH "t[n++] = v; } qsort(t, n, sizeof *t, cmp); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted by another comparison", "S",
     "static int less(int x, int y) { return x < y ? -1 : x > y; }\n"
     "static int cmp(const void *a, const void *b) { return less(*(int *)a, *(int *)b); }\n",
     EACH "t[n++] = v; } qsort(t, n, sizeof *t, cmp); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted by differences that are cut", "NU",
     "static int cmp(const void *a, const void *b) { return *(double *)a - *(double *)b; }\n",
     "double d[64];\n" EACH "d[n++] = v * 0.1; } qsort(d, n, sizeof *d, cmp);\n"
     "MPI_Bcast(d, 64, MPI_DOUBLE, 0, W);"},
    {"sorted by a part of each number", "NU",
     SORTED("cmp", "*(const short *)a - *(const short *)b")},
    {"sorted by a part of each number, in another type", "NU",
     SORTED("cmp", "(signed char)" A " - (signed char)" B)},
    {"sorted by a part of each number, in a variable", "NU",
     "static int cmp(const void *a, const void *b)\n"
     "{ short x = *(int *)a, y = *(int *)b; return x < y ? -1 : x > y; }\n",
     EACH "t[n++] = v; } qsort(t, n, sizeof *t, cmp); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted in a wider type", "S", SORTED("cmp", "(long)" A " < (long)" B " ? -1 : " A " > " B)},
    {"sorted by the bytes", "S", SORTED("cmp", "memcmp(a, b, sizeof(int))")},
    {"sorted by some bytes", "NU", SORTED("cmp", "memcmp(a, b, 2)")},
    {"structures, sorted by what they begin with", "NU",
     "struct m { int key, value; };\n"
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n",
     "struct m m[64] = {0};\n" EACH
     "m[n].key = v / 2; m[n].value = v; n++; } qsort(m, n, sizeof *m, cmp);\n"
     "for (int i = 0; i < n; i++) t[i] = m[i].value;\nMPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"another array is sorted", "NU",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n",
     "int other[64] = {3};\n" EACH "t[n++] = v; } qsort(other, 64, sizeof *t, cmp);\n"
     "MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"sorted, then mixed with what comes later", "NU",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n",
     "for (int i = 1; i < size; i++) {\n" RECV "t[n++] = v; qsort(t, n, sizeof *t, cmp);\n"
     "MPI_Send(t, 1, MPI_INT, 1, 2, W); }"},
    /* Accumulated. */
    {"sum", "S", "", EACH "n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"sum through a pointer to a pointer", "S",
     "static void add(int **to, int what) { **to += what; }\n",
     "int *to = &n;\n" EACH "add(&to, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"maximum", "S", "", EACH "if (v > n) n = v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"exclusive or at a place that the message names", "S", "",
     EACH "t[v & 63] ^= v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"the sum so far", "NU", "", EACH "n += v; MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a sum until it is enough", "NU", "",
     "while (n < 100) {\n" RECV "n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a floating-point sum", "NU", "",
     "double d = 0;\n" EACH "d += v * 0.1; } MPI_Bcast(&d, 1, MPI_DOUBLE, 0, W);"},
    {"a floating-point sum in a structure, by a helper", "NU",
     "struct acc { double sum; };\nstatic void add(struct acc *a, double x) { a->sum = a->sum + x; "
     "}\n",
     "struct acc a = {0};\n" EACH "add(&a, v * 0.1); } MPI_Bcast(&a.sum, 1, MPI_DOUBLE, 0, W);"},
    {"a floating-point sum that stays here", "S", "",
     "double d = 0;\n" EACH "d += v * 0.1; } if (d > 3) exit(1);"},
    {"a hash", "NU", "", EACH "n = n * 31 + v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one", "NU", "", EACH "n = v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a global, by memcpy", "NU",
     "static int last;\nstatic void keep(const int *p) { memcpy(&last, p, sizeof last); }\n",
     EACH "keep(&v); } MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"whether one was large", "S", "", EACH "if (v > 5) n = 1; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether the last was large", "NU", "",
     EACH "if (v > 5) n = 1; else n = 0; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether the last was large, reset first", "NU", "",
     EACH "n = 0; if (v > 5) n = 1; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the sum up to a certain one", "NU", "",
     "for (;;) {\n" RECV "if (v == 7) break; n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that each turn triples", "NU", "",
     EACH "n += v; n *= 3; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that each turn cuts", "NU", "",
     EACH "n += v; n &= 255; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum with a limit", "NU", "",
     EACH "n += v; if (n > 100) n = 100; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"bits that move on with each turn", "NU", "",
     EACH "n <<= 1; n |= v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that also counts the turns", "S", "",
     EACH "n += v; n++; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that is cut to a whole number each time", "NU", "",
     EACH "n += v * 0.3; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"two numbers at once, cut to a whole one", "NU", "",
     EACH "n += v * 0.3 + v * 0.7; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum of numbers that are whole", "S", "",
     EACH "n += (int)(v * 0.3); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by a statement expression", "NU", "",
     EACH "n = ({ int x = v; x + 1; }); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the sum, by a statement expression", "S", "",
     EACH "n += ({ int x = v; if (x > 9) x = 9; x; }); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"which function the last one chose, by its result", "NU",
     "static int one(void) { return 1; }\nstatic int two(void) { return 2; }\n",
     "int (*f)(void) = one;\n" EACH
     "f = v > 3 ? one : two; } n = f(); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"which function the last one chose, by its send", "NU",
     "static void one(void) { MPI_Send(0, 0, MPI_INT, 1, 2, W); }\nstatic void two(void) { }\n",
     "void (*f)(void) = one;\n" EACH "f = v > 3 ? one : two; } f();"},
    {"the last one, by a variable argument", "NU",
     "#include <stdarg.h>\nstatic void put(int *to, ...) { va_list l; va_start(l, to);\n"
     "    *to = va_arg(l, int); va_end(l); }\n",
     EACH "put(&n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, at a variable argument, in a helper", "NU",
     "#include <stdarg.h>\nstatic void take(va_list l) { int *p = va_arg(l, int *);\n"
     "    *p = va_arg(l, int); }\n"
     "static void put(int k, ...) { va_list l; va_start(l, k); take(l); va_end(l); }\n",
     EACH "put(2, &n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in place", "NU", "",
     EACH "n = v; } MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, W);"},
    {"the last one, in place at the root only", "NU", "",
     EACH "n = v; } MPI_Reduce(rank ? &size : MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, 0, W);"},
    {"nothing, and no buffer to send from", "S", "",
     EACH "n = v; } MPI_Scatter(NULL, 0, MPI_INT, &n, 1, MPI_INT, 1, W);"},
    {"the sum, in place", "S", "",
     EACH "n += v; } MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, W);"},
    {"a datatype that the last one chose", "NU", "",
     "MPI_Datatype d = MPI_INT;\n" EACH
     "d = v > 3 ? MPI_INT : MPI_CHAR; } MPI_Bcast(t, 1, d, 0, W);"},
    {"a communicator that the last one chose", "NU", "",
     "MPI_Comm c = W, e;\nMPI_Comm_dup(W, &e);\n" EACH
     "c = v > 3 ? e : W; } MPI_Bcast(t, 1, MPI_INT, 0, c);"},
    {"an operation that the last one chose", "NU", "",
     "MPI_Op o = MPI_SUM;\n" EACH "o = v > 3 ? MPI_SUM : MPI_MAX; }\n"
     "MPI_Allreduce(&size, &n, 1, MPI_INT, o, W);"},
    {"a datatype of a length that the last one said", "NU", "",
     "MPI_Datatype d;\n" EACH "n = v; } MPI_Type_contiguous(n, MPI_INT, &d);\n"
     "MPI_Type_commit(&d); MPI_Bcast(t, 1, d, 0, W);"},
    {"a communicator of a colour that the last one said", "NU", "",
     "MPI_Comm c;\n" EACH "n = v; } MPI_Comm_split(W, n, 0, &c); MPI_Bcast(t, 1, MPI_INT, 0, c);"},
    {"a communicator that all ranks of one colour have", "S", "",
     "MPI_Comm c;\nMPI_Comm_split(W, rank, 0, &c);\n" EACH
     "n += v; } MPI_Bcast(t, 1, MPI_INT, 0, c);"},
    {"which of two numbers came last", "NU", "",
     EACH "if (v == 1) n = 1; if (v == 2) n = 2; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"which of two numbers came last, far apart", "NU", "",
     EACH "if (v == 1) n = 1; if (v == 2) n = 65; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"one number for two events", "S", "",
     EACH "if (v == 1) n = 5; if (v == 2) n = 5; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a count that another event begins anew", "NU", "",
     EACH "if (v > 3) n++; else n = 5; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that begins anew at a certain value", "NU", "",
     EACH "n += v; if (n == 7) n = 0; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
/* What a structure points to. */
#define HOLDER "struct h { int k; struct { int *p; } in; int *q; };\nstatic int g;\n"
#define INTO(place) EACH "*" place " = v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"
    {"a pointer that a structure begins with", "NU", HOLDER,
     "struct h h = {1, {&n}, &n};\n" INTO("h.q")},
    {"a pointer that a structure in it begins with", "NU", HOLDER,
     "struct h h = {.q = 0, .in = {&n}};\n" INTO("h.in.p")},
    {"a pointer that an array begins with", "NU", "", "int *p[2] = {&rank, &n};\n" INTO("p[1]")},
    {"a pointer in a copy of a structure", "NU", HOLDER,
     "struct h h, other;\nh.q = &n; other = h;\n" INTO("other.q")},
    {"a pointer in a structure that a function returns", "NU",
     HOLDER "static struct h make(int *p) { struct h h; h.q = p; return h; }\n",
     "struct h h = make(&n);\n" INTO("h.q")},
    {"a pointer in a structure that stands in the call", "NU",
     HOLDER "static void put(const struct h *h, int v) { *h->q = v; }\n",
     EACH "put(&(struct h){1, {0}, &n}, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a field of what a function returns", "NU",
     HOLDER "static struct h make(int v) { struct h h; h.k = v; return h; }\n",
     EACH "n = make(v).k; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a pointer of a global that nobody sets", "NU", HOLDER "static int *const p = &g;\n",
     EACH "*p = v; } MPI_Bcast(&g, 1, MPI_INT, 0, W);"},
    {"a pointer that a global structure begins with", "NU",
     HOLDER "static struct h all[2] = {{1, {0}, &g}, {2, {0}, 0}};\n",
     EACH "*all[0].q = v; } MPI_Bcast(&g, 1, MPI_INT, 0, W);"},
    {"a pointer that a static local begins with", "NU",
     HOLDER "static void put(int v) { static int *p = &g; *p = v; }\n",
     EACH "put(v); } MPI_Bcast(&g, 1, MPI_INT, 0, W);"},
    {"several fields, by the address of the first", "NU", "struct p { int x, y, z; };\n",
     "struct p p = {0};\nfor (int i = 1; i < size; i++) MPI_Recv(&p.x, 3, MPI_INT, ANY, 1, W, "
     "&s);\n"
     "MPI_Bcast(&p.y, 1, MPI_INT, 0, W);"},
    {"several fields sent, by the address of the first", "NU", "struct p { int x, y, z; };\n",
     "struct p p = {0};\n" EACH "p.y = v; } MPI_Bcast(&p.x, 3, MPI_INT, 0, W);"},
    {"one field of several", "S", "struct p { int x, y, z; };\n",
     "struct p p = {0};\n" EACH "p.y = v; } MPI_Bcast(&p.x, 1, MPI_INT, 0, W);"},
    {"a structure in a structure", "NU", "struct o { int k; struct { int a, b; } in; };\n",
     "struct o o = {0};\n" EACH "o.in.a = v; } MPI_Bcast(&o.in, 2, MPI_INT, 0, W);"},
    {"beside a structure in a structure", "S",
     "struct o { int k; struct { int a, b; } in, other; };\n",
     "struct o o = {0};\n" EACH "o.in.a = v; } MPI_Bcast(&o.other, 2, MPI_INT, 0, W);"},
    {"a union, by another member", "NU", "union u { int a[2]; double f; };\n",
     "union u u = {0};\n" EACH "u.a[0] = v; } MPI_Bcast(&u.f, 1, MPI_DOUBLE, 0, W);"},
    {"a structure in a union", "NU",
     "union u { struct { int b, k; } q; struct { int a; float f; } p; };\n",
     "union u u = {0};\n" EACH "u.p.a = v; } MPI_Bcast(&u.q.b, 1, MPI_INT, 0, W);"},
    {"an anonymous union", "NU", "struct u { int k; union { int a; float f; }; };\n",
     "struct u u = {0};\n" EACH "u.a = v; } MPI_Bcast(&u.f, 1, MPI_FLOAT, 0, W);"},
    {"beside an anonymous union", "S", "struct u { int k; union { int a; float f; }; };\n",
     "struct u u = {0};\n" EACH "u.a = v; } MPI_Bcast(&u.k, 1, MPI_INT, 0, W);"},
    {"a pointer in a structure, and another one", "S", HOLDER,
     "int m = 0; struct h h = {1, {&m}, &rank};\n" INTO("h.q")},
    /* Names that promise what the function does not do. */
    {"a function that sounds like free", "NU",
     "static int last;\nstatic void freeze(int v) { last = v; }\n",
     EACH "freeze(v); } MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a function that sounds like an allocation", "NU",
     "static int *allocated(int *a, int v) { *a = v; return a; }\n",
     EACH "allocated(&n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a pool that hands out its places as they are asked for", "NU",
     "static int pool[64], at;\nstatic int *pool_alloc(int v) { pool[at] = v; return &pool[at++]; "
     "}\n",
     EACH "pool_alloc(v); } MPI_Bcast(pool, 64, MPI_INT, 0, W);"},
    {"a pool that is handed in", "C",
     "struct pool { char *free; int left; };\nstatic char *pool_alloc(struct pool *p, int n)\n"
     "{ char *at = p->free; p->free += n; p->left -= n; return at; }\n",
     "struct pool p = {malloc(4096), 4096};\n" EACH
     "int *a = (int *)pool_alloc(&p, 16); a[0] = v + 1;\n"
     "MPI_Send(a, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a function that allocates and stores", "NU",
     "struct item { int v; };\nstatic struct item *item_alloc(int v)\n"
     "{ struct item *p = malloc(sizeof *p); p->v = v; return p; }\n",
     "struct item *p = 0;\n" EACH "p = item_alloc(v); } MPI_Bcast(&p->v, 1, MPI_INT, 0, W);"},
    {"a function that allocates again and stores", "NU",
     "static int *grow_realloc(int *p, int v) { p = realloc(p, 64); p[0] = v; return p; }\n",
     "int *p = malloc(64);\n" EACH "p = grow_realloc(p, v); } MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"a function that asks whether all is sorted", "NU",
     "static int is_sorted(const int *a, int n)\n"
     "{ for (int i = 1; i < n; i++) if (a[i] < a[i - 1]) return 0; return 1; }\n",
     EACH "t[n++] = v; } if (!is_sorted(t, n)) exit(1); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that sends and then sorts", "NU",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
     "static void send_sorted(int *a, int n)\n"
     "{ MPI_Send(a, n, MPI_INT, 1, 2, W); qsort(a, n, sizeof *a, cmp); }\n",
     EACH "t[n++] = v; } send_sorted(t, n);"},
    {"a function that sounds like a minimum", "NU",
     "static int admin(int a, int b) { return 2 * a + b; }\n",
     EACH "n = admin(n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a function that is a minimum", "S",
     "static int imin(int a, int b) { if (a < b) return a; return b; }\n",
     EACH "n = imin(n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
/* Several at once: how many is up to time. */
#define SOME(turn)                                                                                 \
    "MPI_Request r[8]; int k, left, at[8];\n"                                                      \
    "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"                  \
    "for (left = 8; left > 0; left -= k) { MPI_Waitsome(8, r, &k, at, "                            \
    "MPI_STATUSES_IGNORE);\n" turn " }\n"
    {"how many batches there were", "NU", "", SOME("n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many the last batch had", "NU", "", SOME("") "MPI_Bcast(&k, 1, MPI_INT, 0, W);"},
    {"how many the last batch had, in another variable", "NU", "",
     SOME("n = 2 * k;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a send for each batch", "NU", "", SOME("MPI_Send(&size, 1, MPI_INT, 1, 9, W);")},
    {"a send when a batch is the fifth", "NU", "",
     SOME("if (left == 3) MPI_Send(&size, 1, MPI_INT, 1, 9, W);")},
    {"how many batches were not empty", "NU", "",
     SOME("if (k > 0) n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether a batch was large", "NU", "",
     SOME("if (k > 3) n = 1;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"three batches", "NU", "",
     "MPI_Request r[8]; int k, at[8];\n"
     "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"
     "for (int b = 0; b < 3; b++) { MPI_Waitsome(8, r, &k, at, MPI_STATUSES_IGNORE); n += k; }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many were complete, in all", "S", "", SOME("n += k;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many were complete, one by one", "S", "",
     SOME("for (int j = 0; j < k; j++) n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum, batch by batch", "SN", "",
     SOME("for (int j = 0; j < k; j++) n += t[at[j]];") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether there was a batch", "S", "",
     SOME("if (k > 0) n = 1;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the answer of the last poll", "NU", "",
     "int f; for (int k = 0; k < 1000; k++) MPI_Iprobe(ANY, 1, W, &f, &s);\n"
     "MPI_Bcast(&f, 1, MPI_INT, 0, W);"},
/* Requests that are moved while their data stay, or are given up. */
#define ANY_OF(turn)                                                                               \
    "MPI_Request r[8]; int k, out[8] = {0};\n"                                                     \
    "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"                  \
    "for (int left = 8; left > 0; left--) { MPI_Waitany(8, r, &k, MPI_STATUS_IGNORE);\n" turn      \
    " }\nMPI_Bcast(out, 8, MPI_INT, 0, W);"
    {"requests that stay", "S", "", ANY_OF("out[k] = 2 * t[k];")},
    {"requests that are given up", "S", "", ANY_OF("out[k] = 2 * t[k]; r[k] = MPI_REQUEST_NULL;")},
    {"requests that are posted again", "SN", "",
     ANY_OF("out[k] = 2 * t[k]; if (left > 8) MPI_Irecv(&t[k], 1, MPI_INT, 1, k, W, &r[k]);")},
    {"the last request moves into the hole", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; r[k] = r[left - 1];")},
    {"the last request moves into the hole, by a helper", "NU",
     "static void move(MPI_Request *to, const MPI_Request *from) { *to = *from; }\n",
     ANY_OF("out[k] = 2 * t[k]; move(&r[k], &r[left - 1]);")},
    {"the last request moves into the hole, by memcpy", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; memcpy(&r[k], &r[left - 1], sizeof *r);")},
    {"the requests behind the hole move up", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; for (int j = k; j < left - 1; j++) r[j] = r[j + 1];")},
    {"the requests behind the hole move up, by memmove", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; memmove(r + k, r + k + 1, (left - 1 - k) * sizeof *r);")},
    {"requests that come from another array before", "S", "",
     "MPI_Request q[8];\nfor (int round = 0; round < 3; round++) {\n"
     "MPI_Request r[8]; int k, out[8] = {0};\n"
     "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &q[i]);\n"
     "for (int i = 0; i < 8; i++) r[i] = q[i];\n"
     "for (int left = 8; left > 0; left--) { MPI_Waitany(8, r, &k, MPI_STATUS_IGNORE);\n"
     "out[k] = 2 * t[k]; }\nMPI_Bcast(out, 8, MPI_INT, 0, W); }"},
/* What is put somewhere by one function and fetched by another. */
#define KEPT "#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>\nstatic char c[64];\n"
    {"the last one, in an attribute", "NU", "",
     "int k, f, *p; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &k, "
     "0);\n" EACH "MPI_Comm_set_attr(W, k, &n); n = v; } MPI_Comm_get_attr(W, k, &p, &f);\n"
     "MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"the last one, an attribute by itself", "NU", "#include <stdint.h>\n",
     "int k, f; void *p; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, "
     "&k, 0);\n" EACH "MPI_Comm_set_attr(W, k, (void *)(intptr_t)v); }\n"
     "MPI_Comm_get_attr(W, k, &p, &f); n = (int)(intptr_t)p; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"an attribute, and nothing of it sent", "S", "#include <stdint.h>\n",
     "int k; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &k, 0);\n" EACH
     "MPI_Comm_set_attr(W, k, (void *)(intptr_t)v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"an attribute of the library", "S", "",
     "int f, *p;\n" EACH "n += v; } MPI_Comm_get_attr(W, MPI_TAG_UB, &p, &f);\n"
     "MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"the last one, in the environment", "NU", KEPT,
     EACH "sprintf(c, \"%d\", v); setenv(\"LAST\", c, 1); } n = atoi(getenv(\"LAST\"));\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in the environment, by putenv", "NU", KEPT,
     EACH "sprintf(c, \"LAST=%d\", v); putenv(c); } n = atoi(getenv(\"LAST\"));\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the environment", "S", "",
     EACH "n += v; } n += atoi(getenv(\"LAST\")); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH "fwrite(&v, sizeof v, 1, f); } rewind(f);\n"
     "fread(&n, sizeof n, 1, f); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file, as text", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH "fprintf(f, \"%d\\n\", v); } rewind(f);\n"
     "fscanf(f, \"%d\", &n); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file that is opened twice", "NU", KEPT,
     "FILE *f = fopen(\"a\", \"w\");\n" EACH "fputc(v, f); } fclose(f); f = fopen(\"a\", \"r\");\n"
     "n = fgetc(f); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file that is opened twice, in lines", "NU", KEPT,
     "FILE *f = fopen(\"a\", \"w\");\n" EACH
     "sprintf(c, \"%d\\n\", v); fputs(c, f); } fclose(f); f = fopen(\"a\", \"r\");\n"
     "fgets(c, 64, f); MPI_Bcast(c, 64, MPI_CHAR, 0, W);"},
    {"the last one, in a pipe", "NU", KEPT,
     "int p[2]; pipe(p);\n" EACH "write(p[1], &v, sizeof v); } read(p[0], &n, sizeof n);\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many bytes have been written", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH
     "fprintf(f, \"%d\\n\", v); if (ftell(f) > 9) n = 1; else n = 0;\n"
     "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a file that is read, and a stream that is written", "SU", KEPT,
     "FILE *f = fopen(\"a\", \"r\");\n" EACH "n += v; printf(\"%d\\n\", v); } n += fgetc(f);\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a file that is read before", "S", KEPT,
     "FILE *f = fopen(\"a\", \"r\"); fscanf(f, \"%d\", &n); fclose(f);\n" EACH
     "printf(\"%d\\n\", v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
/* Buffers by absolute addresses. */
#define BOTTOM(what)                                                                               \
    "MPI_Aint a; MPI_Datatype d; int one = 1; MPI_Get_address(" what ", &a);\n"                    \
    "MPI_Type_create_hindexed(1, &one, &a, MPI_INT, &d); MPI_Type_commit(&d);\n"
    {"the last one, by its address", "NU", "",
     BOTTOM("&n") EACH "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"the last one, by its address in a structure", "NU", "struct q { int k, n; };\n",
     "struct q q = {0};\n" BOTTOM("&q.n") EACH "q.n = v; } MPI_Send(MPI_BOTTOM, 1, d, 1, 2, W);"},
    {"the last one comes in by its address", "NU", "",
     BOTTOM("&n") "for (int i = 1; i < size; i++) MPI_Recv(MPI_BOTTOM, 1, d, ANY, 1, W, &s);\n"
                  "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one comes in by its address, later", "NU", "",
     BOTTOM("&n") "for (int i = 1; i < size; i++) { MPI_Request r;\n"
                  "MPI_Irecv(MPI_BOTTOM, 1, d, ANY, 1, W, &r); MPI_Wait(&r, &s); }\n"
                  "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by a null pointer and its address", "NU", "",
     BOTTOM("&n") EACH "n = v; } MPI_Bcast(NULL, 1, d, 0, W);"},
    {"the sum, by its address", "S", "",
     BOTTOM("&n") EACH "n += v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"something else, by its address", "S", "",
     BOTTOM("&size") EACH "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"the last one, by its address, persistently", "NU", "",
     BOTTOM("&n") "MPI_Request r; MPI_Send_init(MPI_BOTTOM, 1, d, 1, 2, W, &r);\n" EACH
                  "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"the last one, by one of two addresses", "NU", "",
     "MPI_Aint a[2]; MPI_Datatype d, e[2] = {MPI_INT, MPI_INT}; int one[2] = {1, 1};\n"
     "MPI_Get_address(&size, &a[0]); MPI_Get_address(&n, &a[1]);\n"
     "MPI_Type_create_struct(2, one, a, e, &d); MPI_Type_commit(&d);\n" EACH
     "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"by addresses that are not here", "NU", "MPI_Datatype make(void);\nstatic int last;\n",
     "MPI_Datatype d = make();\n" EACH "last = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"comes in by addresses that are not here", "NU",
     "MPI_Datatype make(void);\nstatic int last;\n",
     "MPI_Datatype d = make();\n"
     "for (int i = 1; i < size; i++) MPI_Recv(MPI_BOTTOM, 1, d, ANY, 1, W, &s);\n"
     "MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a function that sounds like sorting", "NU",
     "static void sort_out(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n",
     EACH "t[n++] = v; } sort_out(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that orders two only", "NU",
     "static void sort_two(int *a, int n)\n"
     "{ if (n > 1 && a[0] > a[1]) { int x = a[0]; a[0] = a[1]; a[1] = x; } }\n",
     EACH "t[n++] = v; } sort_two(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that sorts", "S",
     "static void sort(int *a, int n) { for (int i = 1; i < n; i++)\n"
     "    for (int k = i; k > 0 && a[k - 1] > a[k]; k--) {\n"
     "        int x = a[k]; a[k] = a[k - 1]; a[k - 1] = x; } }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that sorts by itself", "S",
     "static void swap(int *a, int i, int k) { int x = a[i]; a[i] = a[k]; a[k] = x; }\n"
     "static void sort_part(int *a, int left, int right) { int i, last = left;\n"
     "    if (left >= right) return; swap(a, left, (left + right) / 2);\n"
     "    for (i = left + 1; i <= right; i++) if (a[i] < a[left]) swap(a, ++last, i);\n"
     "    swap(a, left, last); sort_part(a, left, last - 1); sort_part(a, last + 1, right); }\n"
     "static void sort(int *a, int n) { sort_part(a, 0, n - 1); }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that has somebody sort", "S",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
     "static void sort(int *a, int n) { qsort(a, n, sizeof *a, cmp); }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a copy the other way round", "NU",
     "static void my_memcpy(const void *from, void *to, int n) { memcpy(to, from, n); }\n",
     EACH "my_memcpy(&v, &n, sizeof n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a copy the other way round, byte by byte", "NU",
     "static void my_memcpy(const char *from, char *to, int n)\n"
     "{ for (int i = 0; i < n; i++) to[i] = from[i]; }\n",
     EACH "my_memcpy((char *)&v, (char *)&n, sizeof n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a copy that also keeps the last one", "NU",
     "static int last;\nstatic void my_memcpy(int *to, const int *from, int n)\n"
     "{ last = *from; memcpy(to, from, n); }\n",
     EACH "my_memcpy(&t[s.MPI_SOURCE], &v, sizeof v); } MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a copy", "S",
     "static void my_memcpy(void *to, const void *from, int n) { memcpy(to, from, n); }\n",
     EACH "my_memcpy(&t[s.MPI_SOURCE], &v, sizeof v); } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a place in a pool, filled", "NU",
     "static int pool[64], at;\nstatic int *pool_alloc(int v) { pool[at] = v; return &pool[at++]; "
     "}\n",
     "int *p = t;\n" EACH "p = pool_alloc(v); } MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"a place in a pool that is filled later", "NU",
     "static int pool[64], at;\nstatic int *pool_alloc(void) { return &pool[at++]; }\n",
     EACH "*pool_alloc() = v; } MPI_Bcast(pool, 64, MPI_INT, 0, W);"},
    /* Persistent sends. */
    {"the last one, by a persistent send", "NU", "",
     "MPI_Request r; MPI_Send_init(&n, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"the last one, by one of two persistent sends", "NU", "",
     "MPI_Request r[2]; MPI_Send_init(&size, 1, MPI_INT, 1, 2, W, &r[0]);\n"
     "MPI_Send_init(&n, 1, MPI_INT, 1, 3, W, &r[1]);\n" EACH
     "n = v; } MPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);"},
    {"the sum, by a persistent send", "S", "",
     "MPI_Request r; MPI_Send_init(&n, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n += v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"something else, by a persistent send", "S", "",
     "MPI_Request r; MPI_Send_init(&size, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    /* Some messages only, by the turns in which they came. */
    {"a sum of the first ones", "NU", "",
     EACH "if (i < 5) n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum of the first ones, by continue", "NU", "",
     EACH "if (i >= 5) continue; n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a maximum of the first ones", "NU", "",
     EACH "if (i < 5) { if (v > n) n = v; } } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the first ones by source", "NU", "",
     EACH "if (i < 5) t[s.MPI_SOURCE] = v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a sum for each remainder of the turn", "NU", "",
     EACH "t[i % 4] += v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"the sum after three", "NU", "",
     EACH "n += v; if (i == 3) t[0] = n; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a sum of all but one's own", "S", "",
     "for (int i = 0; i < size; i++) if (i != rank) {\n" RECV
     "n += v; if (v > t[0]) t[0] = v; t[s.MPI_SOURCE] = v; }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum of all but one's own, by continue", "S", "",
     "for (int i = 0; i < size; i++) { if (i == rank) continue;\n" RECV "n += v; }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum of all but one's own, later", "SU", "",
     "MPI_Request r[64]; int k = 0;\n"
     "for (int i = 0; i < size; i++) if (i != rank) MPI_Irecv(&t[i], 1, MPI_INT, ANY, 1, W, "
     "&r[k++]);\n"
     "MPI_Waitall(k, r, MPI_STATUSES_IGNORE);\n"
     "for (int i = 0; i < size; i++) if (i != rank) n += t[i];\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum, element by element", "S", "",
     "int b[64];\nfor (int i = 1; i < size; i++) { MPI_Recv(b, 64, MPI_INT, ANY, 1, W, &s);\n"
     "for (int k = 0; k < 64; k++) if (k != rank) t[k] += b[k]; } MPI_Bcast(t, 64, MPI_INT, 0, "
     "W);"},
    {"which of two numbers came last, by continue", "NU", "",
     EACH "if (v > 3) { n = 5; continue; } n++; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"which of two numbers came last, by a continue in a switch", "NU", "",
     EACH "switch (v) { case 3: n = 5; continue; } n++; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"which of two numbers came last, by return", "NU",
     "static int g;\nstatic void one(int v) { if (v > 3) { g = 1; return; } g = 2; }\n",
     EACH "one(v); } MPI_Bcast(&g, 1, MPI_INT, 0, W);"},
    {"whether one was large, by return", "S",
     "static int g;\nstatic void one(int v) { if (v <= 3) return; g = 1; }\n",
     EACH "one(v); } MPI_Bcast(&g, 1, MPI_INT, 0, W);"},
    {"whether one was large, by continue", "S", "",
     EACH "if (v <= 3) continue; n = 1; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a latch that it opens itself", "NU", "",
     EACH "if (v == 1) n = 1; if (n == 1) n = 0; if (v == 2) n = 1; }\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a latch that it opens itself, in the next turn", "NU", "",
     EACH "if (n == 1) n = 0; if (v == 1) n = 1; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that a latch begins anew", "NU", "",
     "int m = 0;\n" EACH "if (v == 1) m = 1; n += v; if (m) n = 0; }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a latch, and what it lets through", "S", "",
     "int m = 0;\n" EACH "if (v == 1) m = 1; if (m) n = 4; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that is made anew from itself", "NU", "",
     EACH "n += v; n = 2 * n + 1; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that is made anew from itself, by a helper", "NU",
     "static int f(int x) { return 3 * x; }\n",
     EACH "n += v; n = f(n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that is made anew from itself, by way of another variable", "NU", "",
     "int m;\n" EACH "n += v; m = n * 2; n = m; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum that is made anew from itself, by way of a structure and a helper", "NU",
     "struct s { int a, b; };\nstatic void turn(struct s *s) { s->b = s->a * 2; }\n",
     "struct s q = {0};\n" EACH "q.a += v; turn(&q); q.a = q.b; }\n"
     "MPI_Bcast(&q.a, 1, MPI_INT, 0, W);"},
    {"two variables that each turn makes of the sum", "S", "",
     "int m, o = 0;\n" EACH "n += v; m = n * 2; o = m + 1; } MPI_Bcast(&o, 1, MPI_INT, 0, W);"},
    {"the turn in which the third large one came", "NU", "",
     "int m = 0;\n" EACH "if (v > 3) n++; if (n == 3) m = i; } MPI_Bcast(&m, 1, MPI_INT, 0, W);"},
    {"a constant when the third large one came", "S", "",
     "int m = 0;\n" EACH "if (v > 3) n++; if (n == 3) m = 5; } MPI_Bcast(&m, 1, MPI_INT, 0, W);"},
    {"a function of the sum", "S", "static int f(int x) { return 3 * x; }\n",
     EACH "n += v; t[0] = f(n); } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    /* Through functions of the system and of libraries that only compute. */
    {"what the last one's text says", "NU", "#include <stdio.h>\n",
     "char c[64];\nfor (int i = 1; i < size; i++) { MPI_Recv(c, 64, MPI_CHAR, ANY, 1, W, &s);\n"
     "sscanf(c, \"%d\", &n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"where the last one's text ends", "NU", "",
     "char c[64], *e = c;\nfor (int i = 1; i < size; i++) { MPI_Recv(c, 64, MPI_CHAR, ANY, 1, W, "
     "&s);\n"
     "strtol(c, &e, 10); } n = e - c; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"where something is found", "NU", "",
     EACH
     "t[n++] = v; } n = (char *)memchr(t, 3, 64) - (char *)t; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how long the last one's text is, on a stream", "S", "#include <stdio.h>\n",
     EACH "printf(\"%d\\n\", v); } fflush(stdout); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a random number for each", "NU", "",
     EACH "n = rand(); MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by BLAS", "NU", "void cblas_dcopy(int, const double *, int, double *, int);\n",
     "double x[4], y[4];\nfor (int i = 1; i < size; i++) { MPI_Recv(x, 4, MPI_DOUBLE, ANY, 1, W, "
     "&s);\n"
     "cblas_dcopy(4, x, 1, y, 1); } MPI_Bcast(y, 4, MPI_DOUBLE, 0, W);"},
    {"the last one, by an atomic store", "NU", "",
     EACH "__atomic_store_n(&n, v, __ATOMIC_SEQ_CST); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a number for each, by an atomic counter", "NU", "",
     EACH "v = __sync_fetch_and_add(&n, 1); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by an exchange", "NU", "",
     EACH "__atomic_exchange_n(&n, v, __ATOMIC_SEQ_CST); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the one before, by an exchange", "NU", "",
     EACH "v = __atomic_exchange_n(&n, v, __ATOMIC_SEQ_CST);\n"
          "MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by a test and set", "NU", "",
     EACH "__sync_lock_test_and_set(&n, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the one before, by a test and set", "NU", "",
     EACH "v = __sync_lock_test_and_set(&n, v); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by an exchange through a pointer", "NU", "",
     "int *p = &n;\n" EACH "__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by a generic exchange", "NU", "",
     "int o;\n" EACH "__atomic_exchange(&n, &v, &o, __ATOMIC_SEQ_CST); }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the one before, by a generic exchange", "NU", "",
     "int o;\n" EACH "__atomic_exchange(&n, &v, &o, __ATOMIC_SEQ_CST);\n"
     "MPI_Send(&o, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by a generic store", "NU", "",
     EACH "__atomic_store(&n, &v, __ATOMIC_SEQ_CST); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by an exchange of C11", "NU", "#include <stdatomic.h>\nstatic _Atomic int g;\n",
     EACH "atomic_exchange(&g, v); } n = atomic_load(&g); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the one before, by an exchange of C11", "NU",
     "#include <stdatomic.h>\nstatic _Atomic int g;\n",
     EACH "v = atomic_exchange(&g, v); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by a store of C11", "NU", "#include <stdatomic.h>\nstatic atomic_int g;\n",
     EACH "atomic_store(&g, v); } n = atomic_load(&g); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by an exchange of C11 through a pointer", "NU",
     "#include <stdatomic.h>\nstatic atomic_int g;\n",
     "atomic_int *p = &g;\n" EACH "atomic_exchange_explicit(p, v, memory_order_relaxed); }\n"
     "n = atomic_load(&g); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by an assignment to an atomic", "NU",
     "#include <stdatomic.h>\nstatic atomic_int g;\n",
     EACH "g = v; } n = g; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"who was first, by compare and swap", "NU", "",
     EACH "__sync_bool_compare_and_swap(&n, 0, v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"who was first, by compare and exchange", "NU",
     "#include <stdatomic.h>\nstatic atomic_int g;\n",
     EACH "int o = 0; atomic_compare_exchange_strong(&g, &o, v); }\n"
          "n = atomic_load(&g); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether one was first, by a flag", "NU", "#include <stdatomic.h>\nstatic atomic_flag g;\n",
     EACH "if (!atomic_flag_test_and_set(&g)) n = v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"an exchange that nobody sends", "S", "",
     "int m = 0;\n" EACH "__atomic_exchange_n(&m, v, __ATOMIC_SEQ_CST); }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a number for each, by a function that is not here", "NU", "int next(void);\n",
     EACH "v = next(); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"an answer by a function of mathematics", "C", "double sqrt(double);\n",
     EACH "v = sqrt(v); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the last one, by longjmp", "NU",
     "#include <setjmp.h>\nstatic jmp_buf j;\nstatic int last;\n"
     "static void leave(int v) { last = v; longjmp(j, 1); }\n",
     "volatile int i = 0; setjmp(j); if (++i < size) {\n" RECV "leave(v); }\n"
     "MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a longjmp before all messages", "S", "#include <setjmp.h>\nstatic jmp_buf j;\n",
     "if (size < 2) longjmp(j, 1);\n" EACH "n += v; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    /* Answers. */
    {"an answer", "C", "", EACH "v = v + 1; MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"an answer by a helper, from a structure", "C",
     "struct job { int to, what; };\n"
     "static void reply(struct job *j) { MPI_Send(&j->what, 1, MPI_INT, j->to, 2, W); }\n",
     "struct job j;\n" EACH "j.to = s.MPI_SOURCE; j.what = v * 2; reply(&j); }"},
    {"an answer into a buffer of its own", "C", "",
     EACH "int *p = malloc(4 * sizeof *p); for (int k = 0; k < 4; k++) p[k] = v + k;\n"
          "MPI_Send(p, 4, MPI_INT, s.MPI_SOURCE, 2, W); free(p); }"},
    {"a number for each", "NU", "", EACH "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); n++; }"},
    {"a number for each, by a helper with a static", "NU",
     "static int next(void) { static int count; return ++count; }\n",
     EACH "v = next(); MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the turn as the answer", "NU", "", EACH "MPI_Send(&i, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"the turn as the tag", "NU", "", EACH "MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, i, W); }"},
    {"work for the first ones only", "NU", "",
     EACH "if (i < 5) MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W);\n"
          "else MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 3, W); }"},
    {"what the one before said", "NU", "",
     EACH "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); n = v; }"},
    {"what the one before said, copied", "NU", "",
     "int a[4] = {0}, b[4] = {0};\n" EACH "memcpy(b, a, sizeof a); a[0] = v;\n"
     "MPI_Send(b, 4, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"on to one rank", "NU", "", EACH "MPI_Send(&v, 1, MPI_INT, 1, 2, W); }"},
    {"on to one rank, by recursion", "NU",
     "static void pass(int depth, int what) {\n"
     "    if (depth) pass(depth - 1, what); else MPI_Send(&what, 1, MPI_INT, 1, 2, W); }\n",
     EACH "pass(3, v); }"},
    {"on to one rank, by a callback", "NU",
     "typedef void (*callback)(int);\nstatic void send(int w) { MPI_Send(&w, 1, MPI_INT, 1, 2, W); "
     "}\n"
     "static void each(callback f, int w) { f(w); }\n",
     EACH "each(send, v); }"},
    {"on to whom the message names", "NU", "", EACH "MPI_Send(&v, 1, MPI_INT, v % size, 2, W); }"},
    {"a queue", "NU", "",
     "int head = 0;\n" EACH "t[n++] = v; if (n > 3) {\n"
     "MPI_Send(&t[head++], 1, MPI_INT, s.MPI_SOURCE, 2, W); } }"},
    {"who came first", "NU", "",
     EACH "if (n == 0) n = s.MPI_SOURCE; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many came before a certain one", "NU", "",
     EACH "n++; if (v == 3) break; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many came before a certain one, by a loop that it ends", "NU", "",
     "do {\n" RECV "n++; } while (v != 3); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"where a certain one is", "NU", "",
     EACH "t[i] = v; } for (n = 1; n < size; n++) if (t[n] > 3) break;\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a constant behind a certain one", "S", "",
     "for (;;) {\n" RECV "n = 3; if (v == 3) break; } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    /* Arrays in the order of arrival. */
    {"answers later, in order", "C", "",
     "int who[64];\n" EACH "who[n] = s.MPI_SOURCE; t[n] = v; n++; }\n"
     "for (int k = 0; k < n; k++) MPI_Send(&t[k], 1, MPI_INT, who[k], 2, W);"},
    {"answers later, to the wrong one", "NU", "",
     "int who[64];\n" EACH "who[n] = s.MPI_SOURCE; t[n] = v; n++; }\n"
     "for (int k = 0; k < n; k++) MPI_Send(&t[n - 1 - k], 1, MPI_INT, who[k], 2, W);"},
    {"shares later, in order", "NU", "",
     "int who[64], share[64] = {1, 2};\n" EACH "who[n++] = s.MPI_SOURCE; }\n"
     "for (int k = 0; k < n; k++) MPI_Send(&share[k], 1, MPI_INT, who[k], 2, W);"},
    {"the first one later", "NU", "", EACH "t[n++] = v; } MPI_Bcast(&t[0], 1, MPI_INT, 0, W);"},
    /* Exits, nesting. */
    {"nested rounds", "S", "",
     "for (int round = 0; round < 3; round++) { n = 0;\n" EACH "n += v; }\n"
     "for (int k = 1; k < size; k++) MPI_Send(&n, 1, MPI_INT, k, 2, W); }"},
    {"the first of each round", "NU", "",
     "for (int round = 0; round < 3; round++) { n = -1;\n" EACH "if (n < 0) n = v; }\n"
     "for (int k = 1; k < size; k++) MPI_Send(&n, 1, MPI_INT, k, 2, W); }"},
    {"an early return", "NU",
     "static int first(int size) { int v; for (int i = 1; i < size; i++) {\n"
     "    MPI_Recv(&v, 1, MPI_INT, ANY, 1, W, MPI_STATUS_IGNORE); if (v > 3) return v; } return 0; "
     "}\n",
     "n = first(size); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a choice of where to store", "NU", "",
     "int a = 0, b = 0, *p;\n" EACH "p = i % 2 ? &a : &b; *p = v; }\n"
     "MPI_Bcast(&a, 1, MPI_INT, 0, W); MPI_Bcast(&b, 1, MPI_INT, 0, W);"},
    {"whole structures", "NU", "struct m { int a, b; };\n",
     "struct m m, k = {0, 0};\n"
     "for (int i = 1; i < size; i++) { MPI_Recv(&m, 2, MPI_INT, ANY, 1, W, &s); k = m; }\n"
     "MPI_Bcast(&k.b, 1, MPI_INT, 0, W);"},
    /* A tag for each turn: one process may send with it, or several. */
    {"a tag for each turn", "U", "static MPI_Request r[4]; static double d[4];\n",
     "for (int i = 0; i < 4; i++) MPI_Recv_init(&d[i], 1, MPI_DOUBLE, ANY, i ^ 1, W, &r[i]);\n"
     "MPI_Startall(4, r); MPI_Waitall(4, r, MPI_STATUSES_IGNORE);\n"
     "MPI_Bcast(d, 4, MPI_DOUBLE, 0, W);"},
    {"one tag for all turns", "N", "static MPI_Request r[4]; static double d[4];\n",
     "for (int i = 0; i < 4; i++) MPI_Recv_init(&d[i], 1, MPI_DOUBLE, ANY, size ^ 1, W, &r[i]);\n"
     "MPI_Startall(4, r); MPI_Waitall(4, r, MPI_STATUSES_IGNORE);\n"
     "MPI_Bcast(d, 4, MPI_DOUBLE, 0, W);"},
/* Sorted by the source: what hangs on an element comes along. */
#define LINKS                                                                                      \
    "struct link { int rank, count, *rows; };\nstruct all { int n; struct link *links; };\n"       \
    "static int by_rank(const void *a, const void *b)\n"                                           \
    "{ return ((const struct link *)a)->rank - ((const struct link *)b)->rank; }\n"                \
    "static int by_count(const void *a, const void *b)\n"                                          \
    "{ return ((const struct link *)a)->count - ((const struct link *)b)->count; }\n"              \
    "static int by_half(const void *a, const void *b)\n"                                           \
    "{ return ((const struct link *)a)->rank / 2 - ((const struct link *)b)->rank / 2; }\n"        \
    "static void tell(struct all *a) { for (int i = 0; i < a->n; i++) {\n"                         \
    "    struct link *l = &a->links[i];\n"                                                         \
    "    MPI_Send(l->rows, l->count, MPI_INT, l->rank, 2, W); } }\n"
#define LINKS_IN                                                                                   \
    "struct all a = {size - 1, 0}; a.links = calloc(a.n, sizeof *a.links);\n"                      \
    "for (int i = 0; i < a.n; i++) { int *b = malloc(64 * sizeof(int));\n"                         \
    "struct link *l = &a.links[i];\n"                                                              \
    "MPI_Recv(b, 64, MPI_INT, ANY, 1, W, &s); MPI_Get_count(&s, MPI_INT, &l->count);\n"            \
    "l->rank = s.MPI_SOURCE; l->rows = malloc(l->count * sizeof(int));\n"                          \
    "for (int k = 0; k < l->count; k++) l->rows[k] = b[k] + 1;\n"
    {"sorted by the source, with blocks", "S", LINKS,
     LINKS_IN "free(b); } qsort(a.links, a.n, sizeof *a.links, by_rank); tell(&a);"},
    {"sorted by the size, with blocks", "NU", LINKS,
     LINKS_IN "free(b); } qsort(a.links, a.n, sizeof *a.links, by_count);\n"
              "MPI_Send(a.links[0].rows, 1, MPI_INT, 1, 2, W);"},
    {"sorted by half the source, with blocks", "NU", LINKS,
     LINKS_IN "free(b); } qsort(a.links, a.n, sizeof *a.links, by_half);\n"
              "MPI_Send(a.links[0].rows, 1, MPI_INT, 1, 2, W);"},
    {"not sorted, with blocks", "CNU", LINKS, LINKS_IN "free(b); } tell(&a);"},
    {"not sorted, the first one's block", "NU", LINKS,
     LINKS_IN "free(b); } MPI_Send(a.links[0].rows, 1, MPI_INT, 1, 2, W);"},
    {"sorted by the source, which stands in another element", "NU", LINKS,
     LINKS_IN "a.links[a.n - 1 - i].rank = s.MPI_SOURCE; free(b); }\n"
              "qsort(a.links, a.n, sizeof *a.links, by_rank); tell(&a);"},
    {"sorted by the source, a block is known elsewhere", "NU", LINKS,
     "int *first = 0;\n" LINKS_IN "if (!first) first = l->rows; free(b); }\n"
     "qsort(a.links, a.n, sizeof *a.links, by_rank); MPI_Send(first, 1, MPI_INT, 1, 2, W);"},
    {"sorted by the source, the turn beside it", "NU", LINKS,
     LINKS_IN "l->count = i; free(b); } qsort(a.links, a.n, sizeof *a.links, by_rank); tell(&a);"},
    {"sorted by the source, the turn beside it alone", "NU", LINKS,
     "struct link l[64] = {0};\n" EACH "l[i].rank = s.MPI_SOURCE; l[i].count = i; }\n"
     "qsort(l, 64, sizeof *l, by_rank); MPI_Send(&l[0].count, 1, MPI_INT, 1, 2, W);"},
    {"sorted by the source, a number beside it that came later", "NU", LINKS,
     "struct link l[64] = {0};\n" EACH "l[i].rank = s.MPI_SOURCE; }\n"
     "for (int k = 0; k < 64; k++) l[k].count = k * k;\n"
     "qsort(l, 64, sizeof *l, by_rank); MPI_Send(&l[0].count, 1, MPI_INT, 1, 2, W);"},
    {"sorted by the source, then one more message", "NU", LINKS,
     LINKS_IN "free(b); qsort(a.links, a.n, sizeof *a.links, by_rank); }\n"
              "MPI_Send(a.links[0].rows, 1, MPI_INT, 1, 2, W);"},
/* A poll in a helper that returns early. */
#define SERVE(found, none)                                                                         \
    "static void serve(void) { int f, v; MPI_Status s;\n"                                          \
    "    MPI_Iprobe(ANY, 1, W, &f, &s);\n    if (!f) " none                                        \
    "    MPI_Recv(&v, 1, MPI_INT, s.MPI_SOURCE, 1, W, MPI_STATUS_IGNORE); " found "}\n"
    {"an early return, an answer", "C",
     SERVE("MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W);", "return;\n"),
     "for (int k = 0; k < 1000; k++) serve();"},
    {"an early return behind a send", "NU",
     SERVE("MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W);",
           "{ MPI_Send(&f, 1, MPI_INT, 1, 2, W); return; }\n"),
     "for (int k = 0; k < 1000; k++) serve();"},
    {"an early return, messages passed on", "NU",
     SERVE("MPI_Send(&v, 1, MPI_INT, 1, 2, W);", "return;\n"),
     "for (int k = 0; k < 1000; k++) serve();"},
    {"an early return, no receive of what was found", "NU",
     "static void ask(void) { int f, v = 3; MPI_Status s;\n"
     "    MPI_Iprobe(ANY, 1, W, &f, &s);\n    if (!f) return;\n"
     "    MPI_Send(&v, 1, MPI_INT, 1, 2, W);\n"
     "    MPI_Recv(&v, 1, MPI_INT, 1, 3, W, &s); }\n",
     "for (int k = 0; k < 1000; k++) ask();"},
    /* A turn that decides by an early exit. */
    {"work for the first ones only, by continue", "NU", "",
     EACH "if (i >= 5) continue; MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"work for the first ones only, by return", "NU",
     "static void one(int i) { int v; MPI_Status s; MPI_Recv(&v, 1, MPI_INT, ANY, 1, W, &s);\n"
     "    if (i >= 5) return; MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }\n",
     "for (int i = 1; i < size; i++) one(i);"},
    {"an answer to the fifth only", "NU", "",
     EACH "if (v > 3) n++; if (n == 5) MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
/* How often was asked, in what is carried from turn to turn. */
#define ASKED                                                                                      \
    "static int asked;\nstatic void ask(MPI_Request *r, int count) { int f;\n"                     \
    "    for (int i = 0; i < count; i++)\n"
#define POSTED                                                                                     \
    "MPI_Request r[3]; int f = 0; for (int i = 0; i < 3; i++)\n"                                   \
    "MPI_Irecv(&v, 1, MPI_INT, 1, i, W, &r[i]);\n"
    {"turns, counted in another variable", "NU", "",
     POSTED "while (!f) { MPI_Testall(3, r, &f, MPI_STATUSES_IGNORE); v = n * 3 + 1; n = v; }\n"
            "MPI_Send(&n, 1, MPI_INT, 1, 2, W);"},
    {"turns of which nobody hears", "DSC", "",
     POSTED "while (!f) { MPI_Testall(3, r, &f, MPI_STATUSES_IGNORE); v = n * 3 + 1; n = v; }\n"
            "MPI_Send(&size, 1, MPI_INT, 1, 2, W);"},
    {"turns of several waits", "NU", "",
     POSTED "for (int i = 0; i < 3; i++)\n"
            "    for (f = 0; !f; n++) MPI_Test(&r[i], &f, MPI_STATUS_IGNORE);\n"
            "MPI_Send(&n, 1, MPI_INT, 1, 2, W);"},
    {"turns that a helper keeps", "NU",
     ASKED "        for (f = 0; !f; asked++) MPI_Test(&r[i], &f, MPI_STATUS_IGNORE); }\n",
     POSTED "ask(r, 3); MPI_Send(&asked, 1, MPI_INT, 1, 2, W);"},
    {"turns that are counted far below", "NU",
     "static int asked;\nstatic void add1(void) { asked++; }\nstatic void add2(void) { add1(); }\n"
     "static void add3(void) { add2(); }\nstatic void add4(void) { add3(); }\n"
     "static void add5(void) { add4(); }\nstatic void add6(void) { add5(); }\n",
     POSTED "for (; !f; add6()) MPI_Testall(3, r, &f, MPI_STATUSES_IGNORE);\n"
            "MPI_Send(&asked, 1, MPI_INT, 1, 2, W);"},
/* What happens once, sooner or later. */
#define LATCH "int f, g, told = 0, ended = 0; n = size;\nwhile (!ended) {\n"
#define COUNT "MPI_Iprobe(ANY, 1, W, &f, &s); if (f) { " RECV "n--; }\n"
#define TELL "MPI_Send(&size, 1, MPI_INT, 1, 2, W);"
#define UNTIL                                                                                      \
    "MPI_Iprobe(1, 5, W, &g, &s);\n"                                                               \
    "if (g) { MPI_Recv(&v, 1, MPI_INT, 1, 5, W, &s); ended = 1; } }"
    {"told once, and then ended", "C", "",
     LATCH COUNT "if (n > 0) continue;\nif (!told) { " TELL " told = 1; }\n" UNTIL},
    {"told once, in a helper", "CNU",
     "struct all { int n, told, ended; };\nstatic void tell(struct all *a)\n"
     "{ if (a->told) return; MPI_Send(0, 0, MPI_INT, 1, 2, W); a->told = 1; }\n"
     "static void turn(struct all *a) { int f, v; MPI_Iprobe(ANY, 1, W, &f, MPI_STATUS_IGNORE);\n"
     "    if (f) { MPI_Recv(&v, 1, MPI_INT, ANY, 1, W, MPI_STATUS_IGNORE); a->n--; }\n"
     "    if (a->n > 0) return; tell(a); a->ended = 1; }\n",
     "struct all a = {size, 0, 0}; while (!a.ended) turn(&a);"},
    {"told where the loop is left", "C", "",
     "int f; n = size;\nfor (;;) {\n" COUNT "if (n == 0) { " TELL " break; } }"},
    {"told, and maybe ended before", "NU", "",
     LATCH COUNT "if (n <= 0 && !told) { " TELL " told = 1; }\n" UNTIL},
    {"told once or never", "NU", "",
     "int f, told = 0; n = size; for (int k = 0; k < 1000; k++) {\n" COUNT
     "if (n == 0 && !told) { " TELL " told = 1; } }"},
    {"told without a latch", "NU", "", LATCH COUNT "if (n > 0) continue;\n" TELL "\n" UNTIL},
    {"a latch that each message opens", "NU", "",
     LATCH "MPI_Iprobe(ANY, 1, W, &f, &s); if (f) { " RECV "n--; told = 0; }\n"
           "if (n > 3) continue;\nif (!told) { " TELL " told = 1; }\n" UNTIL},
    {"a latch that a helper opens", "NU", "static void open(int *p) { *p = 0; }\n",
     LATCH COUNT "if (n > 0) continue;\nif (!told) { " TELL " told = 1; }\n"
                 "if (rank == 0) open(&told);\n" UNTIL},
    {"a latch that is not always set", "NU", "",
     LATCH COUNT "if (n > 0) continue;\nif (!told) { " TELL " if (size > 3) told = 1; }\n" UNTIL},
    {"a latch that is left before it is set", "NU", "",
     LATCH COUNT "if (n > 0) continue;\n"
                 "if (!told) { " TELL " if (size > 3) continue; told = 1; }\n" UNTIL},
    {"a latch that is closed elsewhere", "NU", "",
     LATCH COUNT "MPI_Iprobe(1, 6, W, &g, &s);\n"
                 "if (g) { MPI_Recv(&v, 1, MPI_INT, 1, 6, W, &s); told = 1; }\n"
                 "if (n > 0) continue;\nif (!told) { " TELL " told = 1; }\n" UNTIL},
    {"a latch that closes before all have come", "NU", "",
     LATCH COUNT "if (!told) { told = 1; if (n <= 0) " TELL " }\n"
                 "if (n > 0) continue;\n" UNTIL},
    {"a count against what a message said", "NU", "",
     "int m = 0;\n" LATCH COUNT "if (f) m = v; if (n != m) continue;\n"
     "if (!told) { " TELL " told = 1; }\n" UNTIL},
    {"a sum of what messages say", "NU", "",
     LATCH "MPI_Iprobe(ANY, 1, W, &f, &s); if (f) { " RECV "n -= v; }\n"
           "if (n <= 0 && !told) { " TELL " told = 1; }\n" UNTIL},
    {"a count that another message meets", "NU", "",
     LATCH COUNT "MPI_Iprobe(1, 5, W, &g, &s); if (g) {\n"
                 "MPI_Recv(&v, 1, MPI_INT, 1, 5, W, &s); if (n == 0) " TELL " ended = 1; } }"},
    {"what is told counts the turns", "NU", "",
     "int k = 0;\n" LATCH COUNT "k++; if (n > 0) continue;\n"
     "if (!told) { MPI_Send(&k, 1, MPI_INT, 1, 2, W); told = 1; }\n" UNTIL},
    {"ticks until all have come", "NU", "", "int f; n = size; while (n > 0) {\n" COUNT TELL " }"},
    {"one helper sends the ticks and the news", "NU",
     "static void tell(int a) { MPI_Send(&a, 1, MPI_INT, 1, 2, W); }\n",
     "int f; for (int k = 0; k < 1000; k++) { tell(3); MPI_Iprobe(1, 1, W, &f, &s);\n"
     "if (f) { MPI_Recv(&v, 1, MPI_INT, 1, 1, W, &s); tell(4); } }"},
    {"a helper that leaves no loop", "NU",
     "static void serve(int *n) { int f, v; MPI_Status s;\n"
     "    MPI_Iprobe(ANY, 1, W, &f, &s); if (f) { " RECV "--*n; }\n"
     "    if (*n == 0) { MPI_Send(n, 1, MPI_INT, 1, 2, W); return; } }\n",
     "n = size; for (int k = 0; k < 1000; k++) serve(&n);"},
    {"a block that the callers still see", "NU",
     "static int *last;\nstatic void keep(int v) { int *p = malloc(4); *p = v; last = p; }\n",
     EACH "keep(v); } MPI_Bcast(last, 1, MPI_INT, 0, W);"},
};

static bool judge_case(const struct flow_case *c)
{
    static const char letters[] = "DSCNU";
    char text[8192];

    snprintf(text, sizeof text, "%s%s%s%s%s", HEAD, c->helpers, OPEN, c->body, CLOSE);
    struct an_program *program = snippet_join(true, text);
    struct an_judgement *judgement = an_judge(program);
    assert_non_null(judgement->sites);
    char got = letters[judgement->sites->judged];
    if (!strchr(c->may, got))
        print_error("%s: %c (%s), may be %s\n", c->name, got, judgement->sites->reason, c->may);
    assert_non_null(judgement->sites->witness);
    bool good = strchr(c->may, got) != NULL;
    an_judgement_destroy(judgement);
    an_program_destroy(program);
    return good;
}

static void test_cases(void **state)
{
    unsigned failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        failed += !judge_case(&cases[i]);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
