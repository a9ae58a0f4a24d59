/* flow_case: what is judged how. A program in which a value takes some way from a receive to a send
 * is harmless or not. A harmless one may be judged worse than it is only where the table says so; a
 * harmful one never better. */
#ifndef AN_FLOW_CASE_H
#define AN_FLOW_CASE_H

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

static inline bool judge_case(const struct flow_case *c)
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

/* How many are judged otherwise than they may be. */
static inline unsigned flow_cases_judge(const struct flow_case *cases, size_t count)
{
    unsigned failed = 0;

    for (size_t i = 0; i < count; i++)
        failed += !judge_case(&cases[i]);
    return failed;
}

#endif
