/* Pattern regions: their bounds, exits and communicator, and how often ranks run them. */
#include "analysis/judge/judge.h"
#include "analysis/program/snippets.h"
#include "analysis/region/region_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <cmocka.h>

/* Lines of a case: 2 is the first. */
static const struct region_case bounds[] = {
    /* The send loop and the receive loop. */
    {"static int f(int n) {\nfor (int i = 0; i < n; i++)\nSEND(i, 1, MPI_COMM_WORLD);\n"
     "for (int i = 0; i < n; i++) {\nRECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x; "
     "}\nMPI_Barrier(MPI_COMM_WORLD);\n"
     "return table[0]; }\n" START " for (int t = 0; t < 9; t++) f(size); " END,
     "f 3-6 MPI_COMM_WORLD trusted collective"},
    /* The function, where it does nothing else. */
    {"static int f(int n) {\nint k = n;\nk++;\nfor (int i = 0; i < n; i++) SEND(i, 1, "
     "MPI_COMM_WORLD);\n"
     "for (int i = 0; i < n; i++) {\nRECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x; }\nk--;\n"
     "return k; }\n" START " f(size); " END,
     "f 4-8 MPI_COMM_WORLD trusted once"},
    /* Other tags are no part of it; what receives the same tag by name is. */
    {START "\nSEND(0, 7, MPI_COMM_WORLD);\nSEND(0, 1, MPI_COMM_WORLD);\nif (rank == 0) for (int i "
           "= 0; i < size; i++) {\n"
           "RECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x; }\nSEND(rank, 1, MPI_COMM_WORLD);\n"
           "MPI_Recv(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &s);\nMPI_Recv(&x, 1, MPI_INT, rank, "
           "7, MPI_COMM_WORLD, &s);\n" END,
     "main 4-8 MPI_COMM_WORLD trusted once"},
    /* One rank receives, in a function; the others send in another. */
    {"static void master(int n) {\nwhile (n-- > 0) {\nRECV(MPI_ANY_TAG, MPI_COMM_WORLD); "
     "table[s.MPI_SOURCE] = x; SEND(1, 9, MPI_COMM_WORLD); } }\nstatic void worker(void) "
     "{\nSEND(0, 1, MPI_COMM_WORLD);\n"
     "}\n" START "\nif (rank == 0)\nmaster(size - 1);\nelse\nworker();\n" END,
     "main 9-12 MPI_COMM_WORLD trusted once"},
    /* A loop of questions belongs to the region, and so does what drains. */
    {START " int done = 0, flag;\nfor (int i = 0; i < size; i++)\nSEND(i, 1, MPI_COMM_WORLD);\n"
           "while (done < size) {\nMPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, "
           "&s);\nwhile (flag) {\n"
           "MPI_Recv(&x, 1, MPI_INT, s.MPI_SOURCE, 1, MPI_COMM_WORLD, &s); table[s.MPI_SOURCE] = "
           "x; done++;\n"
           "MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &s); }\n}\n" END,
     "main 3-10 MPI_COMM_WORLD trusted once"},
    /* A loop made of goto. */
    {START " int n = size;\nSEND(0, 1, MPI_COMM_WORLD);\nif (rank) goto out;\nagain:\nRECV(1, "
           "MPI_COMM_WORLD); "
           "table[s.MPI_SOURCE] = x;\nif (--n) goto again;\nout:\n" END,
     "main 3-7 MPI_COMM_WORLD exits: 4 trusted once"},
    /* The sections of a switch are alternatives. */
    {"static void f(int job, int n) {\nswitch (job) {\ncase 1:\nSEND(n, 1, "
     "MPI_COMM_WORLD);\nRECV(1, MPI_COMM_WORLD); "
     "table[s.MPI_SOURCE] = x;\nbreak;\ncase 2:\nSEND(n, 1, MPI_COMM_WORLD);\nbreak;\n}\n}\n" START
     " f(argc, rank); " END,
     "f 3-11 MPI_COMM_WORLD trusted once"},
};

/* Persistent receives, described in one function, started and completed in another. */
#define DESCRIBE(tag)                                                                              \
    "static MPI_Request in[8], out[8]; static int left[8]; static void region_describe(void) { "   \
    "for (int i = 0; i < 8; i++) { MPI_Recv_init(&table[i], 1, MPI_INT, MPI_ANY_SOURCE, " tag ", " \
    "MPI_COMM_WORLD, &in[i]); MPI_Send_init(&left[i], 1, MPI_INT, i, 5, MPI_COMM_WORLD, "          \
    "&out[i]); "                                                                                   \
    "} }\n"
#define RUN                                                                                        \
    "static void apply(void) {\nMPI_Startall(8, in);\nMPI_Startall(8, out);\n"                     \
    "MPI_Waitall(8, in, MPI_STATUSES_IGNORE);\nMPI_Waitall(8, out, MPI_STATUSES_IGNORE); }\n"

static const struct region_case started[] = {
    {DESCRIBE("i ^ 1") RUN START "region_describe(); for (int t = 0; t < 9; t++) { apply();\n"
                                 "MPI_Barrier(MPI_COMM_WORLD); } " END,
     "apply 4-7 MPI_COMM_WORLD not: its request is described outside of the region"},
    {DESCRIBE("5") RUN START "region_describe(); for (int t = 0; t < 9; t++) apply(); " END,
     "apply 4-7 MPI_COMM_WORLD not: its request is described outside of the region; capture"},
    /* Where it is started, or completed, is not known. */
    {DESCRIBE("i ^ 1") START "region_describe(); " END, ""},
    {DESCRIBE("i ^ 1") START "region_describe(); MPI_Startall(8, in); MPI_Startall(8, out); " END,
     ""},
};

/* One function looks, another takes. */
#define LOOK(result)                                                                               \
    "static int look(void) { int found; MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, "    \
    "&s); return " result "; } static void take(void) { RECV(1, MPI_COMM_WORLD); "                 \
    "table[s.MPI_SOURCE] = x; }\n"
#define ASKED(statement)                                                                           \
    START " for (int t = 0; t < 9; t++) { int n = size;\nwhile (n) {\nSEND(n, 1, "                 \
          "MPI_COMM_WORLD); " statement "\n}\nMPI_Barrier(MPI_COMM_WORLD); }\n" END
#define ONE_ROUND "main 4-6 MPI_COMM_WORLD trusted collective"

static const struct region_case helpers[] = {
    {LOOK("found") ASKED("if (look()) { take(); n--; }"), ONE_ROUND},
    {LOOK("found") ASKED("int f = look(); if (f) { take(); n--; }"), ONE_ROUND},
    {LOOK("found != 0") ASKED("while (look()) { take(); n--; }"), ONE_ROUND},
    {LOOK("!found") ASKED("if (!look()) { take(); n--; }"), ONE_ROUND},
    /* A loop that waits for a message does not drain: each of its messages is a round. */
    {LOOK("!found") ASKED("while (look()) use(1); take(); n--;"),
     "main 5-5 MPI_COMM_WORLD not: a message of the next round can be taken; capture; capture"},
};

/* A poll that nothing follows from is not repeated by the loop of the rounds. */
#define PEEK(use)                                                                                  \
    START " int f, seen = 0; for (int t = 0; t < 9; t++) {\n" ROUND(                               \
        "1", W) "\nMPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &f, &s); " use " }\n" END
#define PEEKED                                                                                     \
    "main 3-4 MPI_COMM_WORLD not: the loop that asks again is in another file, or there is none; " \
    "capture"

static const struct region_case peeks[] = {
    {PEEK("seen += f; table[0] = seen;"), PEEKED},
    {PEEK("if (f) seen++; table[0] = seen;"), PEEKED},
};

static const struct region_case exits[] = {
    {"static int f(int n) {\n" ROUND(
         "1", W) "\nfor (int i = 0; i < n; i++) { RECV(1, MPI_COMM_WORLD);\n"
                 "if (x) return 1;\nif (x > 7) return SEND(0, 1, MPI_COMM_WORLD); "
                 "}\nreturn 0; }\n" START " f(size); " END,
     "f 3-6 MPI_COMM_WORLD exits: 5 bare: line 6: the returned expression still communicates"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", W) "\nfor (int i = 0; i < t; i++) {\n"
                 "RECV(1, MPI_COMM_WORLD); if (x) break;\nif (x > 1) continue;\nif (x "
                 "> 2) goto out; }\n"
                 "MPI_Barrier(MPI_COMM_WORLD); }\nout:\n" END,
     "main 3-7 MPI_COMM_WORLD exits: 7 not: a.c:7: it cannot be shown that this condition is the "
     "same on all ranks, so they may run the region a different number of times"},
    {"#include <setjmp.h>\njmp_buf out; static void far(void) { longjmp(out, 1); }\n" START
     " " ROUND("1", W) "\nRECV(1, MPI_COMM_WORLD); if (x) far(); SEND(0, 1, "
                       "MPI_COMM_WORLD);\n" END,
     "main 4-5 MPI_COMM_WORLD bare: line 5: setjmp or longjmp leaves the region unseen"},
    {START " if (argc > 1) goto in;\nSEND(0, 1, MPI_COMM_WORLD);\nin:\nRECV(1, MPI_COMM_WORLD); "
           "table[s.MPI_SOURCE] = x;\n" END,
     "main 3-5 MPI_COMM_WORLD bare: line 2: a goto leads into the region"},
    {"#define ALL SEND(0, 1, MPI_COMM_WORLD); RECV(1, MPI_COMM_WORLD); if (x) return 1\n" START
     " ALL; RECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x;\n" END,
     "main 3-3 MPI_COMM_WORLD bare: line 3: a macro leaves the region"},
    {"static void f(int n) { if (n) { SEND(0, 1, MPI_COMM_WORLD);\nf(n - 1);\nRECV(1, "
     "MPI_COMM_WORLD); } }\n" START " f(size); " END,
     "f 2-4 MPI_COMM_WORLD bare: the region may call its own function again"},
    /* A communicator that is not yet known where the region begins. */
    {"MPI_Comm given(void);\n" START " MPI_Comm c = MPI_COMM_WORLD;\nSEND(0, 1, c); c = "
     "given();\nRECV(1, c);\n" END,
     "main 4-5 ? bare: line 4: its communicator is not known where the region begins"},
    {"struct world { MPI_Comm comm; };\nstatic void f(struct world *w) {\nMPI_Comm c = "
     "w->comm;\n" ROUND("1", "c") " }\n" START " struct world w = {MPI_COMM_WORLD}; f(&w); " END,
     "f 5-5 c trusted once"},
    {"static void receive(MPI_Comm c) { RECV(1, c); table[s.MPI_SOURCE] = x; }\n"
     "struct world { MPI_Comm comm; };\nstatic void f(struct world *w) {\nSEND(0, 1, w->comm);\n"
     "receive(w->comm); }\n" START " struct world w = {MPI_COMM_WORLD}; f(&w); " END,
     "f 5-6 w->comm trusted once"},
};

static const struct region_case counts[] = {
    {START " if (rank % 2) {\n" ROUND("1", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a.c:2: the condition depends on the rank, so ranks may run the "
     "region a different number of times"},
    {START " for (int t = 0; t < rank; t++) {\n" ROUND("t", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a.c:2: the condition depends on the rank, so ranks may run the "
     "region a different number of times"},
    {START " for (int t = 0; t < table[0]; t++) {\n" ROUND("t", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a.c:2: it cannot be shown that this condition is the same on "
     "all ranks, so they may run the region a different number of times"},
    /* The result of a collective is the same on all ranks; and a collective beside it counts
     * with it. */
    {START " int n; MPI_Allreduce(&rank, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);\n"
           "for (int t = 0; t < n; t++) {\n" ROUND("t", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD trusted tag"},
    /* Not what a collective gives to a part of the ranks, or to each rank another. */
    {START " int n; MPI_Allreduce(&rank, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_SELF);\n"
           "for (int t = 0; t < n; t++) {\n" ROUND("t", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD not: a.c:3: it cannot be shown that this condition is the same on "
     "all ranks, so they may run the region a different number of times"},
    {START " int n; MPI_Reduce_scatter_block(table, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);\n"
           "for (int t = 0; t < n; t++) {\n" ROUND("t", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD not: a.c:3: it cannot be shown that this condition is the same on "
     "all ranks, so they may run the region a different number of times"},
    {START " while (table[1]) {\n" ROUND("1", W) " MPI_Barrier(MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD trusted collective"},
    {START " while (table[1]) {\nMPI_Barrier(MPI_COMM_WORLD); if (rank) break;\n" ROUND(
         "1", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD not: a.c:3: the condition depends on the rank, so ranks may run the "
     "region a different number of times"},
    {"static void f(void) { " ROUND("1", W) " }\n" START " if (rank) f(); " END,
     "f 2-2 MPI_COMM_WORLD not: a.c:3: the condition depends on the rank, so ranks may run the "
     "region a different number of times"},
};

static void bounds_are_the_smallest(void **state)
{
    (void)state;
    region_check_all(bounds, COUNT(bounds));
}

static void persistent_receives_belong_where_they_run(void **state)
{
    (void)state;
    region_check_all(started, COUNT(started));
}

static void one_function_looks_and_another_takes(void **state)
{
    (void)state;
    region_check_all(helpers, COUNT(helpers));
}

static void a_poll_that_only_looks_makes_no_region(void **state)
{
    (void)state;
    region_check_all(peeks, COUNT(peeks));
}

static void exits_are_found(void **state)
{
    (void)state;
    region_check_all(exits, COUNT(exits));
}

static void all_ranks_run_it_equally_often(void **state)
{
    (void)state;
    region_check_all(counts, COUNT(counts));
}

static void callers_that_are_not_seen_decide(void **state)
{
    (void)state;
    region_check(
        &(struct region_case){"void f(void) { " ROUND("1", W) " }\n",
                              "f 2-2 MPI_COMM_WORLD not: what runs between two rounds is decided "
                              "by callers of f that are not visible"},
        false);
    region_check(
        &(struct region_case){"void f(void) { " ROUND("1", W) "\nMPI_Barrier(MPI_COMM_WORLD); }\n",
                              "f 2-2 MPI_COMM_WORLD trusted collective"},
        false);
    region_check(
        &(struct region_case){
            "static void f(int n) { if (n) return; " ROUND("1", W) " }\n"
                                                                   "void g(int n) { f(n); }\n",
            "f 2-2 MPI_COMM_WORLD exits: 2 not: what runs between two rounds is decided "
            "by callers of g that are not visible"},
        false);
}

static char *joined(const char *first, const char *second)
{
    char one[8192], two[8192];
    snprintf(one, sizeof one, "%s%s", region_head, first);
    snprintf(two, sizeof two, "%s%s", region_head, second);
    return region_describe(true, (const char *const[]){one, two, NULL});
}

static void ways_lead_through_units(void **state)
{
    (void)state;
    char *found = joined("void f(void) { " ROUND("1", W) " }\n",
                         "void f(void); " START " for (int t = 0; t < 9; t++) f(); " END);
    assert_string_equal(found, "f 2-2 MPI_COMM_WORLD not: a message of the next round can be taken"
                               "; capture");
    free(found);
    found = joined("void f(void) { " ROUND("1", W) " }\n",
                   "void f(void); " START
                   " for (int t = 0; t < 9; t++) { f(); MPI_Barrier(MPI_COMM_WORLD); } " END);
    assert_string_equal(found, "f 2-2 MPI_COMM_WORLD trusted collective");
    free(found);
}

/* The link finds the identities that were inserted when a file was compiled. */
static void a_file_alone_gives_the_same_identity(void **state)
{
    (void)state;
    static const char mine[] = "int MPI_Recv_all(MPI_Comm);\nvoid f(MPI_Comm c, int n) {\n"
                               "use(n);\n" ROUND("1", "c") "\nuse(n + 1); }\n";
    static const char other[] =
        START " f(MPI_COMM_WORLD, 1);\nMPI_Barrier(MPI_COMM_WORLD); f(MPI_COMM_WORLD, 2); " END;
    char one[8192], two[8192];
    uint32_t ids[2];
    snprintf(one, sizeof one, "%s%s", region_head, mine);
    snprintf(two, sizeof two, "%svoid f(MPI_Comm, int); void use(int n) { x = n; }\n%s",
             region_head, other);
    for (unsigned whole = 0; whole < 2; whole++) {
        struct an_program *program =
            snippets_join(whole, (const char *const[]){one, whole ? two : NULL, NULL});
        struct an_judgement *judgement = an_judge(program);
        assert_non_null(judgement->patterns);
        assert_int_equal(judgement->patterns->trusted, whole);
        ids[whole] = judgement->patterns->id;
        an_judgement_destroy(judgement);
        an_program_destroy(program);
    }
    assert_int_equal(ids[0], ids[1]);
    assert_int_not_equal(ids[0], 0);
}

static void the_user_names_a_pattern(void **state)
{
    (void)state;
    region_check(&(struct region_case){START " for (int t = 0; t < table[0]; t++)\n"
                                             "/* ftcc: pattern mine */\n{\nuse(1); " ROUND(
                                                 "1", W) "\n"
                                                         "MPI_Barrier(MPI_COMM_WORLD); }\n" END,
                                       "main 5-6 MPI_COMM_WORLD trusted collective"},
                 true);
}

static void sites_without_a_pattern_are_logged(void **state)
{
    (void)state;
    char text[8192];
    snprintf(text, sizeof text, "%s" START "RECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x; " END,
             region_head);
    struct an_program *program = snippet_join(true, text);
    struct an_judgement *judgement = an_judge(program);
    assert_non_null(judgement->sites);
    assert_null(judgement->patterns);
    assert_true(judgement->sites->logged);
    assert_non_null(judgement->sites->logged_reason);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_the_smallest),
        cmocka_unit_test(persistent_receives_belong_where_they_run),
        cmocka_unit_test(one_function_looks_and_another_takes),
        cmocka_unit_test(a_poll_that_only_looks_makes_no_region),
        cmocka_unit_test(exits_are_found),
        cmocka_unit_test(all_ranks_run_it_equally_often),
        cmocka_unit_test(callers_that_are_not_seen_decide),
        cmocka_unit_test(ways_lead_through_units),
        cmocka_unit_test(a_file_alone_gives_the_same_identity),
        cmocka_unit_test(the_user_names_a_pattern),
        cmocka_unit_test(sites_without_a_pattern_are_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
