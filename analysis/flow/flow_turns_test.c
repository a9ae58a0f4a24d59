/* Which turn, in what order, under which condition: exits, answers, polls and latches. */
#include "analysis/flow/flow_case.h"

static const struct flow_case cases[] = {
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
     "for (int k = 1; k < size; k++) MPI_Send(&n, 1, MPI_INT, k, 2, W); MPI_Barrier(W); }"},
    {"nested rounds that nothing separates", "N", "",
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
/* Conditions that become true once, sooner or later. */
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
