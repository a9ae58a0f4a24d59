/* Pattern regions: their bounds, exits, communicator and separation, and the finding `capture`.
 * Each case is described like this, one pattern after the other, then the findings:
 *
 *     FUNCTION LINE-LINE COMM [exits: LINE...] trusted collective | FUNCTION ... not: REASON;
 * capture
 */
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

/* One line, so that the lines of a case count from 2. */
static const char head[] =
    "static int x, rank, size, table[64]; static MPI_Status s; void use(int); "
    "static int SEND(int to, int tag, MPI_Comm c) { return MPI_Send(&x, 1, MPI_INT, to, tag, c); } "
    "static void RECV(int tag, MPI_Comm c) { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, tag, c, &s); "
    "}\n";
#define W "MPI_COMM_WORLD"
#define ROUND(tag, comm)                                                                           \
    "for (int i = 0; i < size; i++) SEND(i, " tag ", " comm "); "                                  \
    "for (int i = 0; i < size; i++) { RECV(" tag ", " comm "); table[s.MPI_SOURCE] = x; }"
#define START                                                                                      \
    "int main(int argc, char **argv) { MPI_Init(&argc, &argv); "                                   \
    "MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); "
#define SWEEP(tag)                                                                                 \
    "for (int i = 0; i < 2; i++) MPI_Recv(0, 0, MPI_INT, child[i], " tag ", MPI_COMM_WORLD, &s); " \
    "MPI_Send(0, 0, MPI_INT, parent, " tag ", MPI_COMM_WORLD); "                                   \
    "MPI_Recv(0, 0, MPI_INT, parent, " tag ", MPI_COMM_WORLD, &s); "                               \
    "for (int i = 0; i < 2; i++) MPI_Send(0, 0, MPI_INT, child[i], " tag ", MPI_COMM_WORLD); "
#define TREE "static int parent, child[2]; static void sweep(int tag) { " SWEEP("tag") "} "
/* A round that polls in a function of its own; the loop that polls is in lines 4 and 5. */
#define FIELD                                                                                      \
    "static long rounds; struct exchange { int tag, left; }; static void look(struct exchange "    \
    "*e) "                                                                                         \
    "{ int found; MPI_Iprobe(MPI_ANY_SOURCE, e->tag + 1, MPI_COMM_WORLD, &found, &s); "            \
    "if (!found) return; MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, e->tag + 1, "                    \
    "MPI_COMM_WORLD, &s); e->left--; } "                                                           \
    "static void advance(struct exchange *e) { look(e); if (e->left == 1) SEND(0, e->tag + 1, "    \
    "MPI_COMM_WORLD); } static void get(void) {\nstruct exchange exchange = {.left = size}; "
#define FIELD_END                                                                                  \
    "while (exchange.left)\nadvance(&exchange);\n}\n" START                                        \
    "for (int t = 0; t < 9; t++) get(); " END
#define FIELD_LINES "get 4-5 MPI_COMM_WORLD "
#define FIELD_CAPTURED                                                                             \
    "get 3-5 MPI_COMM_WORLD not: a message of the next round can be taken; capture; capture"
#define END "MPI_Finalize(); return 0; }"

static const char *separation_name(const struct an_pattern *pattern)
{
    static const char *const names[] = {"once", "collective", "termination", "tag"};
    return names[pattern->separation];
}

static void describe_pattern(FILE *out, const struct an_pattern *pattern)
{
    fprintf(out, "%s %u-%u %s", pattern->function->name, pattern->first->place.line,
            pattern->last->end.line, pattern->comm ? pattern->comm : "?");
    const struct an_exit *exit;
    LL_FOREACH (pattern->exits, exit)
        fprintf(out, "%s%u", exit == pattern->exits ? " exits: " : " ", exit->node->place.line);
    if (pattern->trusted)
        fprintf(out, " trusted %s", separation_name(pattern));
    else
        fprintf(out, " %s: %s", pattern->annotated ? "not" : "bare", pattern->reason);
}

static char *describe(bool whole, const char *const *texts)
{
    struct an_program *program = snippets_join(whole, texts);
    struct an_judgement *judgement = an_judge(program);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const struct an_pattern *pattern;
    LL_FOREACH (judgement->patterns, pattern) {
        fputs(pattern == judgement->patterns ? "" : " | ", out);
        describe_pattern(out, pattern);
    }
    const struct an_finding *finding;
    LL_FOREACH (judgement->findings, finding)
        if (strcmp(finding->rule, "capture") == 0)
            fputs("; capture", out);
    fclose(out);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
    return text;
}

struct region_case {
    const char *text, *expected;
};

static void check(const struct region_case *c, bool whole)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s", head, c->text);
    char *found = describe(whole, (const char *const[]){text, NULL});
    if (strcmp(found, c->expected) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", c->text, c->expected, found);
    free(found);
}

static void check_all(const struct region_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&cases[i], true);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

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

static const struct region_case separations[] = {
    /* Nothing in between. */
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"static void f(void) { " ROUND("1", W) " }\n" START " f();\nf(); " END,
     "f 2-2 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"static void f(void) { " ROUND("1", W) " }\n" START
                                            " f();\nMPI_Barrier(MPI_COMM_WORLD); f(); " END,
     "f 2-2 MPI_COMM_WORLD trusted collective"},
    /* A collective on one branch, in a loop that may not run, on a part of the ranks. */
    {START " for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", W) "\nif (t % 2) MPI_Barrier(MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", W) "\n"
                 "for (int k = 0; k < size; k++) MPI_Barrier(MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1", W) "\nMPI_Barrier(MPI_COMM_SELF); }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"void f(MPI_Comm comm, MPI_Comm part) { for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", "comm") "\n"
                      "MPI_Barrier(part); } }\n" START " " END,
     "f 3-3 comm not: the collective at a.c:4 may be on another communicator, and nothing else "
     "separates two rounds"},
    /* A collective of all ranks separates each communicator. */
    {"void f(MPI_Comm comm) { for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", "comm") "\n"
                      "MPI_Barrier(MPI_COMM_WORLD); } }\n" START " f(MPI_COMM_WORLD); " END,
     "f 3-3 comm trusted collective"},
    /* In a called function, whose parameter is the communicator. */
    {"static void g(MPI_Comm c) { MPI_Barrier(c); }\nvoid f(MPI_Comm comm) {\n"
     "for (int t = 0; t < 9; t++) {\n" ROUND("1", "comm") "\ng(comm); } }\n" START
                                                          " f(MPI_COMM_WORLD); " END,
     "f 5-5 comm trusted collective"},
    /* A tag for each round. */
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("100 + t", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD trusted tag"},
    {"static void f(int tag) { " ROUND("tag", W) " }\n" START
                                                 " for (int t = 0; t < 9; t++)\nf(t); " END,
     "f 2-2 MPI_COMM_WORLD trusted tag"},
    {"static void f(void) { static int round; int tag = round++; " ROUND(
         "tag", W) " }\n" START " for (int t = 0; t < 9; t++)\nf(); " END,
     "f 2-2 MPI_COMM_WORLD trusted tag"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + t % 2", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    /* The one rank that receives answers all others, or another rank does. */
    {START " for (int t = 0; t < 9; t++) {\nif (rank == 0) { for (int i = 1; i < size; i++) "
           "RECV(1, MPI_COMM_WORLD); } else SEND(0, 1, MPI_COMM_WORLD);\n"
           "MPI_Bcast(table, 1, MPI_INT, 0, MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " for (int t = 0; t < 9; t++) {\nif (rank == 0) { for (int i = 1; i < size; i++) "
           "RECV(1, MPI_COMM_WORLD); } else SEND(0, 1, MPI_COMM_WORLD);\n"
           "MPI_Bcast(table, 1, MPI_INT, 1, MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    /* A remainder is a fresh tag when it comes again late enough, also in a field. */
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + t % 64", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " for (int t = 0; t < 4096; t += 1024) {\n" ROUND("1 + t % 4096", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " for (int t = 0; t < 4096; t += 2048) {\n" ROUND("1 + t % 4096", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {FIELD "exchange.tag = (int)(rounds++ % 4096) * 4;\n" FIELD_END, FIELD_LINES "trusted tag"},
    {FIELD "exchange.tag = 4;\n" FIELD_END, FIELD_CAPTURED},
    {FIELD "if (rank) exchange.tag = (int)(rounds++ % 4096) * 4;\n" FIELD_END,
     "get 3-5 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {FIELD "exchange.tag = (int)(rounds++ % 4096) * 4;\n" FIELD_END
           " static void again(struct exchange *e) { e->tag = 4; }",
     "get 3-5 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    /* Two tags in turn do where the exchange itself ends on all ranks together. */
    {"static void f(int tag) {\n" ROUND(
         "tag", W) " MPI_Request r; MPI_Ibarrier(MPI_COMM_WORLD, &r);\n"
                   "RECV(tag, MPI_COMM_WORLD); SEND(0, tag, MPI_COMM_WORLD); "
                   "MPI_Wait(&r, &s); }\n" START
                   " for (int t = 0; t < 9; t++) { f(1);\nf(2); } " END,
     "f 3-4 MPI_COMM_WORLD trusted termination"},
    {"static void f(int tag) {\n" ROUND(
         "tag", W) " MPI_Request r; MPI_Ibarrier(MPI_COMM_WORLD, &r);\n"
                   "RECV(tag, MPI_COMM_WORLD); SEND(0, tag, MPI_COMM_WORLD); "
                   "MPI_Wait(&r, &s); }\n" START " for (int t = 0; t < 9; t++) { f(1); } " END,
     "f 3-4 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    /* A sweep up and down a tree ends an exchange on all ranks together, and separates another. */
    {TREE "static void f(void) { " ROUND(
         "1", W) " }\n" START "for (int t = 0; t < 9; t++) {\nf(); sweep(8); }\n" END,
     "f 2-2 MPI_COMM_WORLD trusted termination"},
    {TREE "static void f(int tag) {\n"
          "SEND(0, tag, MPI_COMM_WORLD); " SWEEP(
              "8") "RECV(tag, MPI_COMM_WORLD); }\n" START
                   "for (int t = 0; t < 9; t++) {\nf(1); f(2); }\n" END,
     "f 3-3 MPI_COMM_WORLD trusted termination"},
    {TREE
     "static void f(int tag) {\n"
     "SEND(0, tag, MPI_COMM_WORLD); " SWEEP("8") "RECV(tag, MPI_COMM_WORLD); }\n" START
                                                 "for (int t = 0; t < 9; t++) {\nf(1); }\n" END,
     "f 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    /* A receive that is posted before the barrier and complete behind it. */
    {START " MPI_Request r; for (int t = 0; t < 9; t++) {\nSEND(0, 1, MPI_COMM_WORLD);\n"
           "MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, "
           "&r);\nMPI_Barrier(MPI_COMM_WORLD);\nMPI_Wait(&r, &s);\n"
           "table[s.MPI_SOURCE] = x; }\n" END,
     "main 3-6 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    /* Another communicator. */
    {"static void f(MPI_Comm comm) { " ROUND(
         "1", "comm") " }\n" START " MPI_Comm other; MPI_Comm_dup(MPI_COMM_WORLD, &other); "
                      "f(MPI_COMM_WORLD);\nf(other); " END,
     "f 2-2 comm trusted once"},
};

/* Persistent receives, described in one function, started and completed in another. */
#define DESCRIBE(tag)                                                                              \
    "static MPI_Request in[8], out[8]; static int left[8]; static void describe(void) { "          \
    "for (int i = 0; i < 8; i++) { MPI_Recv_init(&table[i], 1, MPI_INT, MPI_ANY_SOURCE, " tag ", " \
    "MPI_COMM_WORLD, &in[i]); MPI_Send_init(&left[i], 1, MPI_INT, i, 5, MPI_COMM_WORLD, "          \
    "&out[i]); "                                                                                   \
    "} }\n"
#define RUN                                                                                        \
    "static void apply(void) {\nMPI_Startall(8, in);\nMPI_Startall(8, out);\n"                     \
    "MPI_Waitall(8, in, MPI_STATUSES_IGNORE);\nMPI_Waitall(8, out, MPI_STATUSES_IGNORE); }\n"

static const struct region_case started[] = {
    {DESCRIBE("i ^ 1") RUN START "describe(); for (int t = 0; t < 9; t++) { apply();\n"
                                 "MPI_Barrier(MPI_COMM_WORLD); } " END,
     "apply 4-7 MPI_COMM_WORLD not: its request is described outside of the region"},
    {DESCRIBE("5") RUN START "describe(); for (int t = 0; t < 9; t++) apply(); " END,
     "apply 4-7 MPI_COMM_WORLD not: its request is described outside of the region; capture"},
    /* Where it is started, or completed, is not known. */
    {DESCRIBE("i ^ 1") START "describe(); " END, ""},
    {DESCRIBE("i ^ 1") START "describe(); MPI_Startall(8, in); MPI_Startall(8, out); " END, ""},
};

static const struct region_case exits[] = {
    {"static int f(int n) {\n" ROUND(
         "1", W) "\nfor (int i = 0; i < n; i++) { RECV(1, MPI_COMM_WORLD);\n"
                 "if (x) return 1;\nif (x > 7) return SEND(0, 1, MPI_COMM_WORLD); "
                 "}\nreturn 0; }\n" START " f(size); " END,
     "f 3-6 MPI_COMM_WORLD exits: 5 bare: line 6: what is returned still communicates"},
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
    /* What a collective gives is the same; and a collective beside it counts with it. */
    {START " int n; MPI_Allreduce(&rank, &n, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);\n"
           "for (int t = 0; t < n; t++) {\n" ROUND("t", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD trusted tag"},
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
    check_all(bounds, COUNT(bounds));
}

static void rounds_are_separated(void **state)
{
    (void)state;
    check_all(separations, COUNT(separations));
}

static void persistent_receives_belong_where_they_run(void **state)
{
    (void)state;
    check_all(started, COUNT(started));
}

static void exits_are_found(void **state)
{
    (void)state;
    check_all(exits, COUNT(exits));
}

static void all_ranks_run_it_equally_often(void **state)
{
    (void)state;
    check_all(counts, COUNT(counts));
}

static void callers_that_are_not_seen_decide(void **state)
{
    (void)state;
    check(&(struct region_case){"void f(void) { " ROUND("1", W) " }\n",
                                "f 2-2 MPI_COMM_WORLD not: what runs between two rounds is decided "
                                "by callers of f that are not visible"},
          false);
    check(
        &(struct region_case){"void f(void) { " ROUND("1", W) "\nMPI_Barrier(MPI_COMM_WORLD); }\n",
                              "f 2-2 MPI_COMM_WORLD trusted collective"},
        false);
    check(
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
    snprintf(one, sizeof one, "%s%s", head, first);
    snprintf(two, sizeof two, "%s%s", head, second);
    return describe(true, (const char *const[]){one, two, NULL});
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

/* What is inserted when a file is compiled must be found again at the link. */
static void a_file_alone_gives_the_same_identity(void **state)
{
    (void)state;
    static const char mine[] = "int MPI_Recv_all(MPI_Comm);\nvoid f(MPI_Comm c, int n) {\n"
                               "use(n);\n" ROUND("1", "c") "\nuse(n + 1); }\n";
    static const char other[] =
        START " f(MPI_COMM_WORLD, 1);\nMPI_Barrier(MPI_COMM_WORLD); f(MPI_COMM_WORLD, 2); " END;
    char one[8192], two[8192];
    uint32_t ids[2];
    snprintf(one, sizeof one, "%s%s", head, mine);
    snprintf(two, sizeof two, "%svoid f(MPI_Comm, int); void use(int n) { x = n; }\n%s", head,
             other);
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
    check(&(struct region_case){START " for (int t = 0; t < table[0]; t++)\n"
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
             head);
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
        cmocka_unit_test(rounds_are_separated),
        cmocka_unit_test(persistent_receives_belong_where_they_run),
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
