/* Values that are stored, sorted, accumulated and named. */
#include "analysis/flow/flow_case.h"

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
    {"the last one, in place, in the argument of a macro", "NU",
     "#define CHECK(call) if (call) return 1\n",
     EACH "n = v; } CHECK(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, W));"},
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
/* Memory to which a structure points. */
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
};

static void test_cases(void **state)
{
    (void)state;
    assert_int_equal(flow_cases_judge(cases, sizeof cases / sizeof *cases), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
