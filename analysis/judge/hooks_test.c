/* The choice of the main loop, on text; each loop is named by the line it stands in: "3" is chosen,
 * "4?" may be chosen at the link, "5-" is only reported. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include <cmocka.h>

static const char head[] =
    "void other(void); static int x; "
    "static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); } "
    "static void send(void) { MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); } "
    "static void recv(void) { MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, "
    "MPI_STATUS_IGNORE); }\n";

struct hook_case {
    const char *text; /* of line 2 and on */
    const char *hooks;
};

static const struct hook_case whole[] = {
    {"int main(void) {\nfor (;;) {\nbarrier(); } }", "3"},
    {"int main(void) {\nfor (;;) {\n} }", ""},
    /* Through calls, and the outermost. */
    {"static void y(void) {\nwhile (1) barrier(); }\nint main(void) {\ndo { y(); }\n"
     "while (1); }",
     "5"},
    {"static void y(void) {\nwhile (1) barrier(); }\nint main(void) { y(); }", "3"},
    /* A whole exchange before a part. */
    {"int main(void) {\nfor (;;) send();\nfor (;;) { send(); recv(); }\nfor (;;) recv(); }",
     "3- 4 5-"},
    /* Loops over ranks come last, loops with work first, the later of equals. */
    {"int main(void) { int n, i; MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
     "for (i = 0; i < 5; i++) barrier();\nfor (i = 0; i < n; i++) barrier(); }",
     "3 4-"},
    {"int main(void) { int i = 0;\nfor (;;) { barrier(); for (;;) i++; }\nfor (;;) barrier(); }",
     "3 4-"},
    {"int main(void) {\nfor (;;) barrier();\nfor (;;) barrier(); }", "3- 4"},
    /* Before MPI_Init nothing counts. */
    {"int main(void) {\nfor (;;) barrier();\nMPI_Init(0, 0); }", ""},
    /* Master and worker. */
    {"int main(int c, char **v) { if (c)\nfor (;;) { recv(); send(); }\nelse\n"
     "for (;;) { send(); recv(); } }",
     "3 5"},
    {"int main(int c, char **v) { switch (c) { case 1:\nfor (;;) barrier(); break;\n"
     "default:\nfor (;;) barrier(); } }",
     "3 5"},
    /* A loop that a macro makes is not edited. */
    {"#define FOREVER for (;;) { barrier(); }\nint main(void) { FOREVER }", ""},
    {"#define FOREVER for (;;)\nint main(void) {\nFOREVER { barrier(); } }", "4"},
    {"int main(void) {\ndo { barrier(); } while (0); }", ""},
    /* Recursion ends; threads are left alone; pointers are followed. */
    {"void b(void); void a(void) { b(); } void b(void) {\nfor (;;) { a(); barrier(); } }\n"
     "int main(void) { a(); }",
     "3"},
    {"static void (*step)(void) = barrier;\nint main(void) {\nfor (;;) step(); }", "4"},
    /* By hand. */
    {"void ft_hook(void); int main(void) {\nfor (;;) { ft_hook(); barrier(); } }", ""},
};

static const struct hook_case partial[] = {
    /* An external function may communicate. */
    {"int main(void) {\nfor (;;) other(); }", "3"},
    {"int main(void) {\nfor (;;) other();\nMPI_Init(0, 0);\nfor (;;) other(); }", "5"},
    {"int main(void) {\nfor (;;) other();\nfor (;;) send();\nfor (;;) other(); }", "3? 4 5?"},
    {"int main(void) {\nfor (;;) { barrier(); }\nfor (;;) other(); }", "3 4?"},
    /* Without main: what may be the main loop. */
    {"void run(int n) { int i;\nfor (;;) { for (i = 0; i < n; i++) n--; barrier(); } }", "3?"},
    {"void run(void) {\nfor (;;) barrier(); }", ""},
    {"void run(void) {\nfor (;;) { other(); barrier(); } }", "3?"},
    {"void run(void) {\nfor (;;) { other(); other(); } }", "3?"},
    {"void run(void) {\nfor (;;) other(); }", "3?"},
    {"int one(int); void run(int *a) {\nfor (int i = 0; i < 9; i++) one(a[i]); }", ""},
    {"int one(int); void run(int *a) {\nfor (int i = 0; i < 9; i++) x += one(i); }", ""},
    {"void run(int n) { MPI_Request r; int f;\nfor (;;) { for (;;) n--; barrier(); "
     "MPI_Test(&r, &f, MPI_STATUS_IGNORE); } }",
     ""},
};

static char *describe(bool is_whole, const char *const *texts)
{
    struct an_program *program = snippets_join(is_whole, texts);
    struct an_judgement *judgement = an_judge(program);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const struct an_hook *hook;
    unsigned chosen = 0;
    LL_FOREACH (judgement->hooks, hook) {
        const char *mark = hook->chosen ? "" : hook->marked ? "?" : "-";
        fprintf(out, "%s%u%s", hook == judgement->hooks ? "" : " ", hook->loop->place.line, mark);
        assert_true(hook->marked || !hook->chosen);
        assert_non_null(hook->reason);
        assert_int_not_equal(hook->id, 0);
        chosen += hook->chosen;
    }
    fclose(out);
    assert_int_equal(chosen == 0, judgement->hook_reason != NULL);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
    return text;
}

static void check(const struct hook_case *c, bool is_whole)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n", head, c->text);
    char *found = describe(is_whole, (const char *const[]){text, NULL});
    if (strcmp(found, c->hooks) != 0)
        fail_msg("%s\nexpected \"%s\", found \"%s\"", c->text, c->hooks, found);
    free(found);
}

static void the_main_loop_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        check(&whole[i], true);
}

static void what_the_link_may_choose_is_marked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        check(&partial[i], false);
}

static void the_main_loop_may_stand_in_another_unit(void **state)
{
    (void)state;
    char *found = describe(
        true, (const char *const[]){"void run(void); int main(void) {\nfor (int i = 0; i < 3; i++) "
                                    "i++;\nrun(); }",
                                    "void step(void); void run(void) {\n\n\nfor (;;) step(); }",
                                    "void step(void) { MPI_Barrier(MPI_COMM_WORLD); }", NULL});
    assert_string_equal(found, "4");
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_main_loop_is_found),
        cmocka_unit_test(what_the_link_may_choose_is_marked),
        cmocka_unit_test(the_main_loop_may_stand_in_another_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
