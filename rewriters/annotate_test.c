/* Annotated texts: what is inserted where, and that the result still parses. Each case is a text
 * and what becomes of it; in both, P stands for the pattern's identity and S for a site's, and
 * comments of the insertions are left out. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"
#include "analysis/source/source.h"
#include "rewriters/annotate.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct text_case {
    const char *before, *after;
};

#define HEAD                                                                                       \
    "static int x, n; static MPI_Status s; static MPI_Request r; "                                 \
    "static int send(void) { return MPI_Send(&x, 1, MPI_INT, n, 1, MPI_COMM_WORLD); }\n"
#define ANY "MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s)"
#define FIRST "#include <ft.h>\nFT_DECLARE_PATTERN(P, P);\n" HEAD
#define BEGIN "FT_BEGIN_ITERATION(P, MPI_COMM_WORLD);"
#define END "FT_END_ITERATION(P);"

/* Comments that begin with "ftcc" go, and the blanks before them; numbers become letters. */
static char *without_numbers(const char *text)
{
    char *out = malloc(strlen(text) + 1), *to = out;
    while (*text) {
        if (strncmp(text, "/* ftcc", 7) == 0) {
            text = strstr(text, "*/") + 2;
            while (to > out && to[-1] == ' ')
                to--;
        } else if (strncmp(text, "ftcc_", 5) == 0) {
            text += 5 + strspn(text + 5, "0123456789abcdef");
            *to++ = 'P';
        } else if (strncmp(text, "0x", 2) == 0) {
            text += 2 + strspn(text + 2, "0123456789abcdef");
            bool site = to - out >= 8 && strncmp(to - 8, "FT_SITE(", 8) == 0;
            *to++ = site ? 'S' : 'P';
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return out;
}

static const char *const flags[] = {"-I" FT_MPI_FOLDER, "-I" FT_H_FOLDER, "-include", "mpi.h",
                                    NULL};

static char *annotate(const char *text)
{
    struct an_program *program = snippet_join(false, text);
    struct an_judgement *judgement = an_judge(program);
    struct an_unit *unit = an_program_unit(program, 0);
    struct rw_edits *edits = rw_annotate(judgement, unit, "a.c", text, strlen(text));
    struct rw_text edited = rw_edits_apply(edits, text, strlen(text), 0, strlen(text), NULL);
    struct an_unit *again = an_source_read("a.c", edited.text, edited.length, flags);
    if (again->problem)
        fail_msg("%s\n%s", again->problem, edited.text);
    an_unit_destroy(again);
    rw_edits_destroy(edits);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
    return edited.text;
}

static void lines_fit(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        bool inserted = strncmp(line + strspn(line, " "), "FT_", 3) == 0;
        if (inserted && strcspn(line, "\n") > 100)
            fail_msg("too long: %s", line);
        if (!line[strcspn(line, "\n")])
            break;
    }
}

static void check(const char *head, const char *first, const struct text_case *c)
{
    char before[8192], after[8192];
    snprintf(before, sizeof before, "%s%s", head, c->before);
    snprintf(after, sizeof after, "%s%s", first, c->after);
    char *edited = annotate(before), *plain = without_numbers(edited);
    lines_fit(edited);
    if (strcmp(plain, after) != 0)
        fail_msg("expected\n%s\nfound\n%s", after, plain);
    free(plain);
    free(edited);
}

static const struct text_case patterns[] = {
    /* A line of its own for each, and declarations stay first. */
    {"void f(void)\n{\n    int k = 2;\n    send();\n    k++;\n    " ANY ";\n}\n",
     "void f(void)\n{\n    int k = 2;\n    " BEGIN
     "\n    send();\n    k++;\n    FT_SITE(S);\n    " ANY ";\n    " END "\n}\n"},
    /* In one line with others. */
    {"void f(void) { x++; send(); " ANY "; x--; }\n",
     "void f(void) { " BEGIN " x++; send(); (FT_SITE(S), " ANY "); x--; " END " }\n"},
    /* Exits with and without braces; else-if; a value that does not communicate. */
    {"int f(int a)\n{\n    send();\n    if (a)\n        return 1;\n    else if (a > 2) {\n"
     "        return 2;\n    } else\n        x--;\n    " ANY ";\n    return a;\n}\n",
     "int f(int a)\n{\n    " BEGIN "\n    send();\n    if (a)\n        { " END " return 1; }\n"
     "    else if (a > 2) {\n        " END "\n        return 2;\n    } else\n        x--;\n"
     "    FT_SITE(S);\n    " ANY ";\n    " END "\n    return a;\n}\n"},
    /* Jumps of the loop around it. */
    {"void f(void)\n{\n    for (;;) {\n        MPI_Barrier(MPI_COMM_WORLD);\n        send();\n"
     "        if (x) break;\n        if (n)\n            continue;\n        " ANY ";\n    }\n}\n",
     "void f(void)\n{\n    for (;;) {\n        MPI_Barrier(MPI_COMM_WORLD);\n        " BEGIN "\n"
     "        send();\n        if (x) { " END " break; }\n        if (n)\n            { " END
     " continue; }\n        FT_SITE(S);\n        " ANY ";\n        " END "\n    }\n}\n"},
    /* goto out of it, and a label that it begins with. */
    {"void f(void)\n{\n    MPI_Barrier(MPI_COMM_WORLD);\nagain:\n    send();\n    if (x) goto "
     "out;\n"
     "    " ANY
     ";\n    if (n) goto again;\nout:\n    x = 0;\n    MPI_Barrier(MPI_COMM_WORLD);\n}\n",
     "void f(void)\n{\n    MPI_Barrier(MPI_COMM_WORLD);\n" BEGIN "\nagain:\n    send();\n"
     "    if (x) { " END " goto out; }\n    FT_SITE(S);\n    " ANY ";\n    if (n) goto again;\n" END
     "\nout:\n    x = 0;\n    MPI_Barrier(MPI_COMM_WORLD);\n}\n"},
    /* A section of a switch: behind its label. */
    {"void f(int a)\n{\n    MPI_Barrier(MPI_COMM_WORLD);\n    switch (a) {\n    case 1:\n"
     "        send();\n        " ANY ";\n        break;\n    default:\n        x = 1;\n    }\n}\n",
     "void f(int a)\n{\n    MPI_Barrier(MPI_COMM_WORLD);\n    switch (a) {\n    case 1:\n       "
     " " BEGIN "\n        send();\n        FT_SITE(S);\n        " ANY ";\n        " END
     "\n        break;\n"
     "    default:\n        x = 1;\n    }\n}\n"},
    /* A loop without braces, do-while, and a definition of the old style. */
    {"void f(a)\n    int a;\n{\n    send();\n    do\n        " ANY ";\n    while (a--);\n}\n",
     "void f(a)\n    int a;\n{\n    " BEGIN "\n    send();\n    do\n        (FT_SITE(S), " ANY
     ");\n    while (a--);\n    " END "\n}\n"},
    /* Lines that end in a carriage return, too. */
    {"void f(void)\r\n{\r\n    send();\r\n    " ANY ";\r\n}\r\n",
     "void f(void)\r\n{\r\n    " BEGIN "\n    send();\r\n    FT_SITE(S);\n    " ANY ";\r\n    " END
     "\n}\r\n"},
    /* The last statement has a comment behind it. */
    {"void f(void)\n{\n    send();\n    " ANY "; /* done */ // really\n}\n",
     "void f(void)\n{\n    " BEGIN "\n    send();\n    FT_SITE(S);\n    " ANY
     "; /* done */ // really\n    " END "\n}\n"},
};

#define PLAIN "#include <ft.h>\n" HEAD

static const struct text_case sites[] = {
    /* Conditions are marked each time; so are initialisers, operands and single statements. */
    {"void f(int a)\n{\n    int flag = 0;\n    while (MPI_Test(&r, &flag, &s) == 0 && !flag)\n"
     "        x++;\n}\n",
     "void f(int a)\n{\n    int flag = 0;\n    while ((FT_SITE(S), MPI_Test(&r, &flag, &s)) == 0 "
     "&& "
     "!flag)\n        x++;\n}\n"},
    {"void f(int a)\n{\n    int flag, code = MPI_Test(&r, &flag, &s);\n    code = MPI_Test(&r, "
     "&flag, "
     "&s);\n    (void)MPI_Test(&r, &flag, &s);\n    if (code)\n        MPI_Test(&r, &flag, "
     "&s);\n}\n",
     "void f(int a)\n{\n    int flag, code = (FT_SITE(S), MPI_Test(&r, &flag, &s));\n    "
     "FT_SITE(S);\n"
     "    code = MPI_Test(&r, &flag, &s);\n    FT_SITE(S);\n    (void)MPI_Test(&r, &flag, &s);\n"
     "    if (code)\n        (FT_SITE(S), MPI_Test(&r, &flag, &s));\n}\n"},
    {"int f(int a)\n{\n    int flag;\n    switch (a) {\n    case 1: MPI_Test(&r, &flag, &s); "
     "break;\n"
     "    }\nl:\n    MPI_Test(&r, &flag, &s);\n    return MPI_Test(&r, &flag, &s);\n}\n",
     "int f(int a)\n{\n    int flag;\n    switch (a) {\n    case 1: (FT_SITE(S), MPI_Test(&r, "
     "&flag, "
     "&s)); break;\n    }\nl:\n    (FT_SITE(S), MPI_Test(&r, &flag, &s));\n    return (FT_SITE(S), "
     "MPI_Test(&r, &flag, &s));\n}\n"},
    /* In front of the statement where a macro makes the call, or names its function. */
    {"#define RENAMED MPI_Test\nvoid f(int a)\n{\n    int flag, code;\n"
     "    code = RENAMED(&r, &flag, &s);\n    RENAMED(&r, &flag, &s);\n    if (code)\n"
     "        RENAMED(&r, &flag, &s);\n}\n",
     "#define RENAMED MPI_Test\nvoid f(int a)\n{\n    int flag, code;\n    FT_SITE(S);\n"
     "    code = RENAMED(&r, &flag, &s);\n    FT_SITE(S);\n    RENAMED(&r, &flag, &s);\n"
     "    if (code)\n        RENAMED(&r, &flag, &s);\n}\n"},
    {"#define TEST(f) MPI_Test(&r, &f, &s)\nvoid f(int a)\n{\n    int flag;\n    TEST(flag);\n}\n",
     "#define TEST(f) MPI_Test(&r, &f, &s)\nvoid f(int a)\n{\n    int flag;\n    FT_SITE(S);\n"
     "    TEST(flag);\n}\n"},
    {"#define TESTS(f) do { MPI_Test(&r, &f, &s); MPI_Test(&r, &f, &s); } while (0)\n"
     "void f(int a)\n{\n    int flag;\n    TESTS(flag);\n}\n",
     NULL},
    /* Nothing in macros, and nothing where an argument communicates. */
    {"#define TEST(f) MPI_Test(&r, &f, &s)\nvoid f(int a) { int flag; TEST(flag); }\n", NULL},
    {"int g(void);\nvoid f(int a) { int flag[2]; MPI_Test(&r, &flag[g()], &s); }\n", NULL},
};

static void patterns_are_put_around(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        check(HEAD, FIRST, &patterns[i]);
}

static void sites_are_marked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        if (sites[i].after)
            check(HEAD, PLAIN, &sites[i]);
        else
            check(HEAD, HEAD, &(struct text_case){sites[i].before, sites[i].before});
}

/* A word of the user in a name or reason must not end the comment. */
static void comments_stay_comments(void **state)
{
    (void)state;
    static const char text[] = HEAD "void f(void)\n{\n    int flag; /* ftcc: unknown: why *\\/ */\n"
                                    "    MPI_Test(&r, &flag, &s);\n}\n";
    free(annotate(text));
}

static void hooks_stand_at_the_top(void **state)
{
    (void)state;
    static const char before[] = "int main(void)\n{\n    MPI_Init(0, 0);\n    for (;;) {\n        "
                                 "MPI_Barrier(MPI_COMM_WORLD);\n"
                                 "    }\n}\n";
    char *edited = annotate(before), *plain = without_numbers(edited);
    assert_string_equal(plain, "#include <ft.h>\nint main(void)\n{\n    MPI_Init(0, 0);\n"
                               "    for (;;) {\n        ft_hook_at(P);\n"
                               "        MPI_Barrier(MPI_COMM_WORLD);\n    }\n}\n");
    free(plain);
    free(edited);
    edited = annotate("int main(void)\n{\n    MPI_Init(0, 0);\n    while (1)\n"
                      "        MPI_Barrier(MPI_COMM_WORLD);\n}\n");
    plain = without_numbers(edited);
    assert_non_null(strstr(plain, "        { ft_hook_at(P); MPI_Barrier(MPI_COMM_WORLD); }\n"));
    free(plain);
    free(edited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_put_around),
        cmocka_unit_test(sites_are_marked),
        cmocka_unit_test(comments_stay_comments),
        cmocka_unit_test(hooks_stand_at_the_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
