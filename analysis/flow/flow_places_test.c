/* What a store leaves of what was there: nothing where one place is meant, all where it may be
 * another. */
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
