/* A store removes what was there where it means exactly one place; where it may mean another,
 * all stays. */
#include "analysis/flow/flow_case.h"

static const struct flow_case cases[] = {
#define NAMED(to, count) "MPI_Recv(" to ", " count ", MPI_INT, 1, 5, W, &s);\n"
#define PAIR "struct q { int k, f; };\n"
#define ONE_OF "struct q x = {0}, y = {0}, z = {0}, *p = size > 5 ? &x : &y;\n"
#define ALL(what) "MPI_Bcast(" what ", 1, MPI_INT, 0, W);"
    /* One of two places, nobody knows which. */
    {"a receive into one of two", "NU", "",
     "int a = 0, *p = size > 5 ? &a : &n;\n" EACH "a = v; }\n" NAMED("p", "1") ALL("&a")},
    {"a receive into one of two others", "S", "",
     "int a = 0, *p = size > 5 ? &t[0] : &n;\n" EACH "a += v; }\n" NAMED("p", "1") ALL("&a")},
    {"a receive by a function, into one of two", "NU",
     "static void get(int *p) { MPI_Recv(p, 1, MPI_INT, 1, 5, W, MPI_STATUS_IGNORE); }\n",
     "int a = 0;\n" EACH "a = v; }\nget(size > 5 ? &a : &n);\n" ALL("&a")},
    {"a receive by a function, into one and the other", "S",
     "static void get(int *p) { MPI_Recv(p, 1, MPI_INT, 1, 5, W, MPI_STATUS_IGNORE); }\n",
     "int a = 0;\n" EACH "a = v; }\nget(&n);\nget(&a);\n" ALL("&a")},
    {"a receive into one of two records", "NU", PAIR,
     ONE_OF EACH "x.f = v; }\n" NAMED("p", "2") ALL("&x.f")},
    {"a receive into a record", "S", PAIR,
     "struct q x;\n" EACH "x.f = v; }\n" NAMED("&x", "2") ALL("&x.f")},
    {"one of two records is assigned", "NU", PAIR, ONE_OF EACH "x.f = v; }\n*p = z;\n" ALL("&x.f")},
    {"one of two records is copied", "NU", PAIR,
     ONE_OF EACH "x.f = v; }\nmemcpy(p, &z, sizeof z);\n" ALL("&x.f")},
/* A part of what came as a whole. */
#define WHOLE(to) "for (int i = 1; i < size; i++) MPI_Recv(" to ", 8, MPI_INT, ANY, 1, W, &s);\n"
    {"one of two elements", "NU", "",
     WHOLE("t") "int *p = size > 5 ? &t[0] : &t[1];\n*p = 0;\n" ALL("&t[0]")},
    {"an element", "S", "", WHOLE("t") "int *p = &t[0];\n*p = 0;\n" ALL("&t[0]")},
    {"one of two fields", "NU", PAIR,
     "struct q x[4]; int *p;\n" WHOLE("x") "p = size > 5 ? &x->k : &x->f;\n*p = 0;\n" ALL("&x->k")},
    {"a field of another record in each turn", "NU", PAIR,
     "struct q x[8];\nfor (int i = 1; i < size; i++) {\n"
     "MPI_Recv(x, 8, MPI_INT, ANY, 1, W, &s); x[i].f = 0; }\n" ALL("&x->f")},
    {"another element in each turn", "NU", "", EACH "t[0] = v; t[i] = 5; }\n" ALL("t")},
/* Two ways leave the same in a place only if neither stores to it, or both store one number. */
#define POST                                                                                       \
    "static int b[2];\nstatic MPI_Request r[2];\n"                                                 \
    "static void post(int i) { MPI_Irecv(b + i, 1, MPI_INT, 1, 5, W, r + i); }\n"
#define POSTED "MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n" ALL("b")
#define SWAPPED(a, b) "if (v == 1) { " a b " } else { " b a " }\n"
    {"two receives by one call, in the order that the message says", "NU", POST,
     RECV SWAPPED("post(0);", "post(1);") POSTED},
    {"a second receive by one call, where the message says", "NU", POST,
     "post(0); post(1);\n" RECV "if (v == 1) post(0); else post(1);\n" POSTED},
    {"two receives by one call", "S", POST, RECV "post(0); post(1);\n" POSTED},
#define START                                                                                      \
    "static int b[2];\nstatic MPI_Request r[2];\n"                                                 \
    "static void start(int i) { MPI_Start(&r[i]); MPI_Wait(&r[i], MPI_STATUS_IGNORE); }\n"
#define STARTS                                                                                     \
    "MPI_Recv_init(&b[0], 1, MPI_INT, 1, 5, W, &r[0]);\n"                                          \
    "MPI_Recv_init(&b[1], 1, MPI_INT, 1, 5, W, &r[1]);\n"
    {"two starts by one call, in the order that the message says", "NU", START,
     STARTS RECV SWAPPED("start(0);", "start(1);") ALL("b")},
    {"two starts by one call", "S", START, STARTS RECV "start(0); start(1);\n" ALL("b")},
#define SET "static int g;\nstatic void set(int x) { g = x; }\n"
    {"one of two numbers, by one assignment", "NU", SET,
     RECV "if (v == 1) set(size); else set(rank);\n" ALL("&g")},
    {"another number, by the same assignment", "NU", SET,
     "set(size);\n" RECV "if (v == 1) set(rank);\n" ALL("&g")},
    {"the last of two numbers, by one assignment", "NU", SET,
     EACH SWAPPED("set(size);", "set(rank);") "}\n" ALL("&g")},
    {"one of two numbers, and then a third", "S", SET,
     EACH "if (v == 1) set(size); else set(rank);\nset(3); }\n" ALL("&g")},
    {"one number on both ways", "S", SET, EACH "if (v == 1) set(3); else set(3); }\n" ALL("&g")},
    {"one of two numbers, in an element", "NU", "",
     EACH "if (v == 1) t[rank + 1] = size; else t[rank + 1] = rank; }\n" ALL("t")},
    {"one of two numbers, in one of two places", "NU", "",
     "int a = 0, *p = size > 5 ? &a : &n;\n" EACH
     "if (v == 1) *p = size; else *p = rank; }\n" ALL("&a")},
    {"one of two records", "NU", PAIR,
     "struct q x = {0}, y = {1, 2}, z = {3, 4};\n" EACH
     "if (v == 1) x = y; else x = z; }\n" ALL("&x.f")},
    {"a copy of one of two numbers", "NU", "",
     EACH "if (v == 1) memcpy(&n, &size, 4); else memcpy(&n, &rank, 4); }\n" ALL("&n")},
    {"the text of one of two numbers", "NU", "#include <stdio.h>\nstatic char b[64];\n",
     EACH "if (v == 1) sprintf(b, \"%d\", rank); else sprintf(b, \"%d\", size); }\n" ALL("b")},
    {"what is read into two places, in the order that the message says", "NU",
     "#include <stdio.h>\nstatic int b;\n",
     EACH SWAPPED("fread(&b, 4, 1, stdin);", "fread(&n, 4, 1, stdin);") "}\n" ALL("&n")},
#define IO "#include <stdio.h>\nstatic int b;\n"
    {"what is read once into two places, in the order that the message says", "NU", IO,
     RECV SWAPPED("fread(&b, 4, 1, stdin);", "fread(&n, 4, 1, stdin);") ALL("&n")},
    {"what is read where the message says", "NU", IO,
     RECV "if (v == 1) fread(&n, 4, 1, stdin);\n" ALL("&n")},
    {"what is read as text where the message says", "NU", IO,
     RECV "if (v == 1) scanf(\"%d\", &n);\n" ALL("&n")},
    {"what is read", "S", IO, RECV "fread(&n, 4, 1, stdin);\n" ALL("&n")},
    {"what is read elsewhere where the message says", "S", IO,
     RECV "if (v == 1) fread(&b, 4, 1, stdin);\n" ALL("&n")},
/* Answers of the library. */
#define BOTH "MPI_Comm c[2] = {W, MPI_COMM_SELF};\n"
#define ANSWER "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"
    {"the size of one of two communicators", "NU", "",
     RECV "if (v == 1) MPI_Comm_size(W, &n); else MPI_Comm_size(MPI_COMM_SELF, &n);\n" ALL("&n")},
    {"the size of a communicator where the message says", "NU", "",
     RECV "if (v == 1) MPI_Comm_size(W, &n);\n" ALL("&n")},
    {"an attribute of the library where the message says", "NU", "",
     "int f, *p = &n;\n" RECV "if (v == 1) MPI_Comm_get_attr(W, MPI_TAG_UB, &p, &f);\n" ALL("p")},
    {"the coordinates of the last one", "NU", "",
     "MPI_Comm c; int k = 0, at[1];\nMPI_Cart_create(W, 1, &size, &k, 0, &c);\n" EACH
     "MPI_Cart_coords(c, s.MPI_SOURCE, 1, at); }\n" ALL("at")},
    {"the number of the last one in another group", "NU", "",
     "MPI_Group g; int k;\nMPI_Comm_group(W, &g);\n" EACH
     "k = s.MPI_SOURCE; MPI_Group_translate_ranks(g, 1, &k, g, &n); }\n" ALL("&n")},
    {"the number of whom the message names in another group, for who asked", "C", "",
     "MPI_Group g;\nMPI_Comm_group(W, &g);\n" EACH
     "MPI_Group_translate_ranks(g, 1, &v, g, &n);\n" ANSWER},
    {"the size of a communicator", "S", "", EACH "MPI_Comm_size(W, &n); }\n" ALL("&n")},
    {"the size of a communicator, for who asked", "C", "", EACH "MPI_Comm_size(W, &n);\n" ANSWER},
    {"the size of another communicator in each turn, for who asked", "NU", "",
     BOTH EACH "MPI_Comm_size(c[i % 2], &n);\n" ANSWER},
    {"a sum over which the size is written", "S", "",
     EACH "n = v; }\nMPI_Comm_size(W, &n);\n" ALL("&n")},
/* Sums in places of which nobody knows which. */
#define HALF "int k = size / 2;\n"
    {"a sum in an element, begun anew where the message says", "NU", "",
     HALF EACH "t[k] += v; if (v == 1) t[k] = 0; }\n" ALL("t")},
    {"a sum in an element, begun anew by a copy", "NU", "",
     HALF EACH "t[k] += v; if (v == 1) memcpy(&t[k], &rank, sizeof rank); }\n" ALL("t")},
    {"a sum in an element, begun anew by a receive", "NU", "",
     HALF EACH "t[k] += v; if (v == 1) " NAMED("&t[k]", "1") "}\n" ALL("t")},
    {"a sum in an element, begun anew in each turn", "NU", "",
     HALF EACH "t[k] = 0; t[k] += v; }\n" ALL("t")},
    {"a sum in an element, begun anew in one turn", "NU", "",
     HALF EACH "t[k] += v; if (i == 3) t[k] = 0; }\n" ALL("t")},
    {"a sum, begun anew in one turn", "NU", "", EACH "n += v; if (i == 3) n = 0; }\n" ALL("&n")},
    {"a sum in an element that the turn says, begun anew", "NU", "",
     HALF EACH "t[k] += v; t[i] = 0; }\n" ALL("t")},
    {"a sum in an element that the message says, begun anew", "NU", "",
     EACH "t[v % 4] += 1; if (v == 1) t[v % 4] = 0; }\n" ALL("t")},
    {"a sum in one of two places, begun anew", "NU", "",
     "int a = 0, *p = size > 5 ? &a : &n;\n" EACH "*p += v; if (v == 1) *p = 0; }\n" ALL("&a")},
    {"a sum in an element, begun anew in each round", "S", "",
     HALF "for (int round = 0; round < 3; round++) { t[k] = 0;\n" EACH
          "t[k] += v; }\n" ALL("t") "MPI_Barrier(W); }"},
    {"a sum in one of two places", "S", "",
     "int a = 0, *p = size > 5 ? &a : &n;\n" EACH "*p += v; }\n" ALL("&a")},
    {"a sum in an element, and a number beside it", "S", "",
     "int u[8] = {0};\n" HALF EACH "t[k] += v; u[k] = 0; }\n" ALL("t")},
    {"the last one in an element, which is the first", "NU", "",
     HALF "t[0] = 0;\n" EACH "t[k] = v; }\n" ALL("&t[0]")},
/* Some elements of an array. */
#define EIGHT(what) "MPI_Bcast(" what ", 8, MPI_INT, 0, W);"
    {"the first elements are set", "NU", "",
     WHOLE("t") "for (int i = 0; i < 4; i++) t[i] = 0;\n" EIGHT("t")},
    {"the last elements are set", "NU", "",
     WHOLE("t") "for (int i = 4; i < 64; i++) t[i] = 0;\n" EIGHT("t")},
    {"each second element is set", "NU", "",
     WHOLE("t") "for (int i = 0; i < 64; i += 2) t[i] = 0;\n" EIGHT("t")},
    {"the first elements are set, by a counter", "NU", "",
     WHOLE("t") "int k = 0; while (k < 4) t[k++] = 0;\n" EIGHT("t")},
    {"all elements are set, by a counter", "S", "",
     WHOLE("t") "int k = 0; while (k < 64) t[k++] = 0;\n" EIGHT("t")},
    {"the first elements of each row are set", "NU", "",
     "int q[8][8];\n" WHOLE("q[0]") "for (int i = 0; i < 8; i++) for (int j = 0; j < 4; j++) "
                                    "q[i][j] = 0;\n" EIGHT("q")},
    {"the first elements are set in each turn", "NU", "",
     "int b[64];\nfor (int i = 1; i < size; i++) { MPI_Recv(b, 64, MPI_INT, ANY, 1, W, &s);\n"
     "for (int k = 0; k < 64; k++) t[k] = b[k];\nfor (int k = 0; k < 4; k++) t[k] = 0; }\n" EIGHT(
         "t")},
    {"all elements are set", "S", "",
     WHOLE("t") "for (int i = 0; i < 64; i++) t[i] = 0;\n" EIGHT("t")},
    {"all elements are set, the index is ahead", "S", "",
     WHOLE("t") "for (int i = 1; i <= 64; i++) t[i - 1] = 0;\n" EIGHT("t")},
    {"all elements are set, two in each turn", "S", "",
     WHOLE("t") "for (int i = 0; i < 64; i += 2) { t[i] = 0; t[i + 1] = 0; }\n" EIGHT("t")},
/* Blocks that a loop allocates. */
#define BLOCKS "int *p[4]; for (int k = 0; k < 4; k++) p[k] = calloc(4, sizeof(int));\n"
#define LIST                                                                                       \
    "struct l *head = 0; for (int k = 0; k < 4; k++) {\n"                                          \
    "struct l *l = calloc(1, sizeof *l); l->next = head; head = l; }\n"
#define LINK "struct l { struct l *next; int v; };\n"
    {"another block is set", "NU", "", BLOCKS EACH "*p[1] = v; }\n*p[2] = 0;\n" ALL("p[1]")},
    {"another block is filled", "NU", "",
     BLOCKS EACH "*p[1] = v; }\nfor (int k = 0; k < 4; k++) p[2][k] = 0;\n" ALL("p[1]")},
    {"a receive into another block", "NU", "",
     BLOCKS EACH "*p[1] = v; }\n" NAMED("p[2]", "4") ALL("p[1]")},
    {"the last block is set", "NU", "",
     "int *first = 0, *last = 0; for (int k = 0; k < 4; k++) {\n"
     "last = calloc(4, 4); if (!first) first = last; }\n" EACH
     "*first = v; }\n*last = 0;\n" ALL("first")},
    {"another block is set, by a helper", "NU", "static void clear(int *p) { *p = 0; }\n",
     BLOCKS EACH "*p[1] = v; }\nclear(p[2]);\n" ALL("p[1]")},
    {"the block of the turn before is set", "NU", "",
     "int *q = &n, *a = q;\nfor (int i = 1; i < size; i++) { int *p = calloc(4, 4);\n" RECV
     "*p = v; if (i == 1) a = p; *q = 0; q = p; }\n" ALL("a")},
    {"all blocks are set", "S", "",
     BLOCKS EACH "*p[1] = v; }\nfor (int k = 0; k < 4; k++) *p[k] = 0;\n" ALL("p[1]")},
    {"all links of a list are set", "SN", LINK,
     LIST EACH
     "head->v = v; }\nfor (struct l *l = head; l; l = l->next) l->v = 0;\n" ALL("&head->v")},
    {"the only block is set", "S", "",
     "int *p = calloc(4, sizeof *p);\n" EACH "*p = v; }\n*p = 0;\n" ALL("p")},
    {"the block of this turn is set", "S", "",
     "for (int i = 1; i < size; i++) { int *p = calloc(4, sizeof *p);\n" RECV
     "*p = v; *p = 0; MPI_Send(p, 1, MPI_INT, 1, 2, W); }"},
/* Effects of a loop into which nothing of the site goes. */
#define TWO "int a = 0, *p = &a; "
#define TWICE "for (int k = 0; k < 2; k++) "
    {"a pointer that a loop has moved before", "NU", "",
     TWO TWICE "p = &n;\n" EACH "*p = v; }\n" ALL("&n")},
    {"a pointer that a loop has moved before, maybe", "NU", "",
     TWO TWICE "if (k == 1) p = &n;\n" EACH "*p = v; }\n" ALL("&n")},
    {"a pointer that a loop has moved before, in two turns", "NU", "",
     TWO "int *q = &a; " TWICE "{ p = q; q = &n; }\n" EACH "*p = v; }\n" ALL("&n")},
    {"a pointer that a loop has moved behind", "NU", "",
     TWO "p = &n;\n" EACH "n = v; }\n" TWICE "p = &a;\n*p = 0;\n" ALL("&n")},
    {"a number that a loop has counted before", "NU", "",
     "int k = 0; for (int j = 0; j < 2; j++) k = j + 1;\n" EACH "t[k] = v; }\n" ALL("&t[2]")},
    {"another link of a list", "NU", LINK,
     LIST EACH "head->next->v = v; }\n" ALL("&head->next->v")},
    {"a pointer that a loop has moved, and another variable", "S", "",
     TWO TWICE "p = &size;\n" EACH "*p = v; }\n" ALL("&n")},
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
