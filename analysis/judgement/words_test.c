/* Comments that overrule, and the list of what could not be seen. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define RECV "MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);"

static struct an_judgement *judge(const char *text, bool whole)
{
    char all[4096];

    snprintf(all, sizeof all, "static int x; static MPI_Status s;\n%s", text);
    return an_judge(snippet_join(whole, all));
}

static void forget(struct an_judgement *judgement)
{
    struct an_program *program = judgement->program;

    an_judgement_destroy(judgement);
    an_program_destroy(program);
}

struct word_case {
    const char *text;
    enum an_verdict verdict; /* of the first site, when it is overruled */
    bool override;
};

static void comments_overrule(void **state)
{
    static const struct word_case cases[] = {
        {"void f(void) { " RECV " }", AN_UNKNOWN, false},
        {"void f(void) { " RECV " /* ftcc: send-deterministic */ }", AN_SEND_DETERMINISTIC, true},
        {"void f(void) {\n" RECV " // ftcc: deterministic\n}", AN_DETERMINISTIC, true},
        {"void f(void) {\n/* ftcc: channel-deterministic: the sender is named */\n" RECV "\n}",
         AN_CHANNEL_DETERMINISTIC, true},
        {"void f(void) {\n// ftcc: non-deterministic\nx =\n" RECV "\n}", AN_NON_DETERMINISTIC,
         true},
        {"void f(void) {\n/* ftcc: unknown */\n" RECV "\n}", AN_UNKNOWN, true},
        {"void f(void) {\n/* ftcc: deterministic */\n\n" RECV "\n}", AN_UNKNOWN, false},
        {"void f(void) {\n/* ftcc: deterministically */\n" RECV "\n}", AN_UNKNOWN, false},
        {"void f(void) {\nx = 1; /* ftcc: deterministic */\n" RECV "\n}", AN_UNKNOWN, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_judgement *judgement = judge(cases[i].text, true);
        const struct an_site *site = judgement->sites;
        assert_non_null(site);
        if (site->override != cases[i].override ||
            (site->override && site->verdict != cases[i].verdict))
            fail_msg("%s\n  %s, %s", cases[i].text, an_verdict_name(site->verdict),
                     site->override ? "overruled" : "judged");
        forget(judgement);
    }
}

static void the_judgement_stays_beside_the_word(void **state)
{
    struct an_judgement *plain = judge("void f(void) { " RECV " }", true);
    struct an_judgement *word = judge("void f(void) { " RECV " /* ftcc: unknown */ }", true);

    (void)state;
    assert_int_equal(word->sites->judged, plain->sites->judged);
    assert_string_equal(word->sites->reason, "the comment in line 2 says so");
    assert_true(word->sites->logged);
    forget(plain);
    forget(word);
}

struct hole_case {
    const char *text;
    bool whole;
    const char *holes; /* "kind line name", ... */
};

static void describe(const struct an_judgement *judgement, char *text, size_t size)
{
    static const char *const kinds[] = {"file",     "function", "lines", "callee",
                                        "unjudged", "carried",  "facts"};
    size_t used = 0;

    text[0] = '\0';
    for (const struct an_hole *hole = judgement->holes; hole; hole = hole->next)
        used += (size_t)snprintf(text + used, size - used, "%s%s %u %s", used ? ", " : "",
                                 kinds[hole->kind], hole->line, hole->name ? hole->name : "-");
}

static void what_cannot_be_seen_is_listed(void **state)
{
    static const struct hole_case cases[] = {
        {"void f(void) { " RECV " }", true, ""},
        {"#include <stdlib.h>\nvoid f(void) { exit(abs(3)); }", true, ""},
        {"void ext(void); void f(void) { ext(); ext(); }", true, "callee 2 ext"},
        {"void ext(void); static void g(void) { ext(); } void f(void) { g(); }", false,
         "callee 2 ext"},
        {"extern void (*p)(void); void f(void) { p(); }", true, "callee 2 p"},
        {"static void (*p)(void); void f(void) { p(); }", true, ""},
        {"#ifdef NOT\nvoid g(void) { MPI_Send(); }\n#endif\nvoid f(void) { }", true,
         "lines 2 MPI_Send"},
        {"#ifdef NOT\nvoid g(void) { }\n#endif\nvoid f(void) { }", true, ""},
        {"#include <setjmp.h>\nstatic jmp_buf j; void f(void) { if (!setjmp(j)) " RECV " }", true,
         "function 3 f"},
        {"#include <setjmp.h>\nstatic jmp_buf j; void f(void) { setjmp(j); }", true, ""},
        {"void f(void) {\n/* ftcc: wonderful */\n" RECV " }", true, "function 3 -"},
        {"void f(void) {\n/* ftcc: deterministic */\nx = 1; }", true, "function 3 -"},
        {"void f(void) {\n/* ftcc: pattern exchange */\n{ " RECV " } }", true, ""},
        {"void f(void) {\n/* ftcc: pattern */\n{ " RECV " } }", true, "function 3 -"},
        {"void my_MPI_Barrier(MPI_Comm c); void f(void) { my_MPI_Barrier(3); }", false,
         "callee 2 my_MPI_Barrier"},
    };
    char found[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct an_judgement *judgement = judge(cases[i].text, cases[i].whole);
        describe(judgement, found, sizeof found);
        if (strcmp(found, cases[i].holes) != 0)
            fail_msg("%s\n  \"%s\" instead of \"%s\"", cases[i].text, found, cases[i].holes);
        forget(judgement);
    }
}

static void files_are_listed(void **state)
{
    struct an_program *program = an_program_create();
    struct an_unit *unit = an_unit_create("bad.c");
    char found[256];

    (void)state;
    unit->problem = "bad.c:7:2: nothing that clang knows";
    an_program_add(program, unit);
    an_program_join(program, true);
    struct an_judgement *judgement = an_judge(program);
    describe(judgement, found, sizeof found);
    assert_string_equal(found, "file 7 -");
    forget(judgement);
}

/* Two units of one name: their sites have one identity, and the runtime could not tell them apart.
 */
static void one_identity_means_one_class(void **state)
{
    static const char one[] = "static int x; static MPI_Status s;\n"
                              "static void f(void) { " RECV " /* ftcc: deterministic */ }\n"
                              "void g(void) { f(); }";
    static const char other[] = "static int x; static MPI_Status s;\n"
                                "static void f(void) { " RECV " /* ftcc: non-deterministic */ }\n"
                                "void h(void) { f(); }";
    struct an_program *program = snippets_join_as(true, (const char *const[]){one, other, NULL},
                                                  (const char *const[]){"a.c", "a.c"});
    struct an_judgement *judgement = an_judge(program);

    (void)state;
    assert_int_equal(judgement->sites->id, judgement->sites->next->id);
    assert_int_equal(judgement->sites->verdict, AN_NON_DETERMINISTIC);
    assert_int_equal(judgement->sites->next->verdict, AN_NON_DETERMINISTIC);
    forget(judgement);
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(an_verdict_name(AN_DETERMINISTIC), "deterministic");
    assert_string_equal(an_verdict_name(AN_SEND_DETERMINISTIC), "send-deterministic");
    assert_string_equal(an_verdict_name(AN_CHANNEL_DETERMINISTIC), "channel-deterministic");
    assert_string_equal(an_verdict_name(AN_NON_DETERMINISTIC), "non-deterministic");
    assert_string_equal(an_verdict_name(AN_UNKNOWN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_overrule),
        cmocka_unit_test(the_judgement_stays_beside_the_word),
        cmocka_unit_test(what_cannot_be_seen_is_listed),
        cmocka_unit_test(files_are_listed),
        cmocka_unit_test(one_identity_means_one_class),
        cmocka_unit_test(verdicts_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
