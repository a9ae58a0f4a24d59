/* The choice of the main loop, on text; each loop is named by the line it stands in. */
#include "analysis/loops.h"
#include "analysis/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char head[] =
    "int MPI_Init(int *, char ***); int MPI_Comm_size(int, int *); int MPI_Barrier(int); "
    "int MPI_Send(int); int MPI_Recv(int); int MPI_Test(int); void other(void);\n";

static const struct {
    const char *text; /* of line 2 and on */
    int lines[3];     /* of the chosen loops; 0 ends */
} cases[] = {
    {"int main(void) {\nfor (;;) {\nMPI_Barrier(0); } }", {3}},
    {"int main(void) {\nfor (;;) {\n} }", {0}},
    /* Through calls, and the outermost. */
    {"static void x(void) {\nwhile (1) MPI_Barrier(0); }\nint main(void) {\ndo { x(); }\n"
     "while (1); }",
     {5}},
    {"static void x(void) {\nwhile (1) MPI_Barrier(0); }\nint main(void) { x(); }", {3}},
    /* A whole exchange before a part, before the unknown. */
    {"int main(void) {\nfor (;;) MPI_Send(0);\nfor (;;) { MPI_Send(0); MPI_Recv(0); }\n"
     "for (;;) MPI_Recv(0); }",
     {4}},
    {"int main(void) {\nfor (;;) other();\nfor (;;) MPI_Send(0);\nfor (;;) other(); }", {4}},
    {"int main(void) {\nfor (;;) other(); }", {3}},
    /* Loops over ranks come last, loops with work first, the later of equals. */
    {"int main(void) { int n, i; MPI_Comm_size(0, &n);\nfor (i = 0; i < 5; i++) MPI_Barrier(0);\n"
     "for (i = 0; i < n; i++) MPI_Barrier(0); }",
     {3}},
    {"int main(void) { int i = 0;\nfor (;;) { MPI_Barrier(0); for (;;) i++; }\n"
     "for (;;) MPI_Barrier(0); }",
     {3}},
    {"int main(void) {\nfor (;;) MPI_Barrier(0);\nfor (;;) MPI_Barrier(0); }", {4}},
    /* Before MPI_Init nothing counts. */
    {"int main(void) {\nfor (;;) other();\nMPI_Init(0, 0); }", {0}},
    /* Master and worker. */
    {"int main(int c, char **v) { if (c)\nfor (;;) { MPI_Recv(0); MPI_Send(0); }\nelse\n"
     "for (;;) { MPI_Send(0); MPI_Recv(0); } }",
     {3, 5}},
    {"int main(int c, char **v) { switch (c) { case 1:\nfor (;;) MPI_Barrier(0); break;\n"
     "default:\nfor (;;) MPI_Barrier(0); } }",
     {3, 5}},
    /* What a macro makes is not edited. */
    {"#define FOREVER for (;;) { MPI_Barrier(0); }\nint main(void) { FOREVER }", {0}},
    {"#define FOREVER for (;;)\nint main(void) {\nFOREVER { MPI_Barrier(0); } }", {4}},
    {"#define TWICE(x) for (;;) { x; }\nint main(void) {\nTWICE(for (;;) MPI_Barrier(0)) }", {0}},
    {"int main(void) {\ndo { MPI_Barrier(0); } while (0); }", {0}},
    /* Recursion ends. */
    {"void b(void); void a(void) { b(); } void b(void) {\nfor (;;) { a(); MPI_Barrier(0); } }\n"
     "int main(void) { a(); }",
     {3}},
    /* Without main: one clear loop, or none. */
    {"void run(int n) { int i;\nfor (;;) { for (i = 0; i < n; i++) n--; MPI_Barrier(0); } }", {3}},
    {"void run(void) {\nfor (;;) MPI_Barrier(0); }", {0}},
    {"void a(void) { for (;;) { for (;;) ; MPI_Barrier(0); } }\n"
     "void b(void) { for (;;) { for (;;) ; MPI_Barrier(0); } }",
     {0}},
    {"void run(int n) {\nfor (;;) { for (;;) n--; MPI_Barrier(0); MPI_Test(0); } }", {0}},
    /* By hand. */
    {"void ft_hook(void); int main(void) {\nfor (;;) { ft_hook(); MPI_Barrier(0); } }", {0}},
};

static void the_main_loop_is_found(void **state)
{
    (void)state;
    static const char *const flags[] = {NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s\n", head, cases[i].text);
        struct an_facts *facts = an_unit_read("test.c", text, strlen(text), flags);
        if (facts->problem)
            fail_msg("%s: %s", facts->problem, cases[i].text);
        struct an_choice choice = an_loops_choose(facts);
        for (unsigned k = 0; k < 3 && (k < choice.count || cases[i].lines[k]); k++)
            if (k >= choice.count || (int)choice.loops[k]->place.line != cases[i].lines[k])
                fail_msg("case %zu: line %d, expected %d: %s", i,
                         k < choice.count ? (int)choice.loops[k]->place.line : 0, cases[i].lines[k],
                         cases[i].text);
        assert_int_equal(choice.count == 0, choice.reason != NULL);
        an_facts_destroy(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_main_loop_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
