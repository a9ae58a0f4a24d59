/* The proofs that keep the rounds of a pattern apart, and the finding `capture` where there is
 * none. */
#include "analysis/region/region_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
static const struct region_case separations[] = {
    /* Another function's tags are variables that only ever have other numbers; one is the same. */
    {"static void other(void) { int tag, k = 7; tag = k; SEND(0, tag, MPI_COMM_WORLD); tag = k; "
     "SEND(1, tag, MPI_COMM_WORLD); }\n" START " other();\n" ROUND("1", W) "\n" END,
     "main 4-4 MPI_COMM_WORLD trusted once"},
    {"static void other(int n) { int tag = 6; if (n) tag = 7; SEND(0, tag + 1, MPI_COMM_WORLD); "
     "}\n" START " other(argc);\n" ROUND("1", W) "\n" END,
     "main 4-4 MPI_COMM_WORLD trusted once"},
    {"static void other(int n) { int tag = 6; if (n) tag = 0; SEND(0, tag + 1, MPI_COMM_WORLD); "
     "}\n" START " other(argc);\n" ROUND("1", W) "\n" END,
     "main 4-4 MPI_COMM_WORLD not: the send at a.c:1 is outside of the region and may match, too"},
    {"static void other(int n) { int tag = 6; if (n) tag++; SEND(0, tag, MPI_COMM_WORLD); }\n" START
     " other(argc);\n" ROUND("1", W) "\n" END,
     "main 4-4 MPI_COMM_WORLD not: the send at a.c:1 is outside of the region and may match, too"},
    /* A tag of its own in each round, which begins with another number on each rank. */
    {START " int t = 0;\nfor (int k = 0; k < 9; k++) {\n" ROUND("t", W) "\nt++; }\n" END,
     "main 4-4 MPI_COMM_WORLD trusted tag"},
    {START " int t = rank;\nfor (int k = 0; k < 9; k++) {\n" ROUND("t", W) "\nt++; }\n" END,
     "main 4-4 MPI_COMM_WORLD not: the tag of a round, made at a.c:5, may be another one on each "
     "rank"},
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
    /* The counter of the rounds begins anew, goes back, or is changed elsewhere. */
    {START " for (int o = 0; o < 9; o++) for (int t = 0; t < 2; t++) {\n" ROUND("t", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START
     " for (int o = 0; o < 9; o++) { int tag = 0; for (int t = 0; t < 2; t++) { tag++;\n" ROUND(
         "tag", W) " } }\n" END,
     "main 3-3 MPI_COMM_WORLD not: the tag of a round may come again: its counter begins anew "
     "at "
     "a.c:2"},
    {START " for (int o = 0; o < 9; o++) { MPI_Barrier(MPI_COMM_WORLD);\n"
           "for (int t = 0; t < 2; t++) {\n" ROUND("t", W) " } }\n" END,
     "main 4-4 MPI_COMM_WORLD trusted tag"},
    {START " int tag = 9; for (int t = 0; t < 9; t++) { if (t % 2) tag++; else tag--;\n" ROUND(
         "tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {"static void back(int *p) { *p = 0; } " START
     " int tag = 0; for (int t = 0; t < 9; t++) { tag++; back(&tag);\n" ROUND("tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    /* Tags that are too narrow to count, or that do not count at all. */
    {START
     " unsigned char tag = 0; for (int t = 0; t < 999; t++) { tag++;\n" ROUND("tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " for (int t = 0; t < 999; t++) {\n" ROUND("(unsigned char)t", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " unsigned short tag = 0; for (int t = 0; t < 999; t++) { tag += 32768;\n" ROUND(
         "tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + t * 0", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + (t & 1)", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + t % size", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " for (int t = 0; t < 9; t++) {\n" ROUND("1 + t / 4", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"static void f(int tag) { " ROUND("tag", W) " }\n" START
                                                 " for (int t = 0; t < 9; t++)\nf(t & 1); " END,
     "f 2-2 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"static void f(int tag) { " ROUND("tag", W) " }\n" START
                                                 " for (int t = 0; t < 9; t++)\nf(t / 4); " END,
     "f 2-2 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {START " int tag = 0; for (int t = 0; t < 9; t++) { tag += size;\n" ROUND("tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {START " int tag = 1; for (int t = 0; t < 9; t++) { tag *= size;\n" ROUND("tag", W) " }\n" END,
     "main 3-3 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    /* A tag that a function begins anew which sends nothing. */
    {"static int tag; static void again(void) { tag = 0; }\n" START
     " for (int t = 0; t < 9; t++) { tag++; again();\n" ROUND("tag", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {"static int tag; static void deep(void) { tag = 0; } static void again(void) { deep(); "
     "}\n" START
     " for (int t = 0; t < 9; t++) { tag++; if (t % 2) again();\n" ROUND("tag", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD not: on some way nothing separates two rounds"},
    {"static int tag, other; static void again(void) { other = 0; }\n" START
     " for (int t = 0; t < 9; t++) { tag++; again();\n" ROUND("tag", W) " }\n" END,
     "main 4-4 MPI_COMM_WORLD trusted tag"},
    /* The one rank that receives answers all others, or another rank does. */
    {START " for (int t = 0; t < 9; t++) {\nif (rank == 0) { for (int i = 1; i < size; i++) "
           "RECV(1, MPI_COMM_WORLD); } else SEND(0, 1, MPI_COMM_WORLD);\n"
           "MPI_Bcast(table, 1, MPI_INT, 0, MPI_COMM_WORLD); }\n" END,
     "main 3-3 MPI_COMM_WORLD trusted termination"},
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
    /* Not where it is completed in the next round only, or is that of a part. */
    {"static MPI_Request r = MPI_REQUEST_NULL; static void f(int tag) {\n" ROUND(
         "tag", W) " MPI_Ibarrier(MPI_COMM_WORLD, &r);\n"
                   "RECV(tag, MPI_COMM_WORLD); SEND(0, tag, MPI_COMM_WORLD); }\n" START
                   " for (int t = 0; t < 9; t++) { MPI_Wait(&r, &s); f(1);\n"
                   "MPI_Wait(&r, &s); f(2); } " END,
     "f 3-4 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
    {"static void f(int tag) {\n" ROUND(
         "tag", W) " MPI_Request r; MPI_Ibarrier(MPI_COMM_SELF, &r);\n"
                   "RECV(tag, MPI_COMM_WORLD); SEND(0, tag, MPI_COMM_WORLD); "
                   "MPI_Wait(&r, &s); }\n" START
                   " for (int t = 0; t < 9; t++) { f(1);\nf(2); } " END,
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

/* Collectives on other communicators: what their ranks are is known from how they were made. */
#define SPLIT(colour)                                                                              \
    START "MPI_Comm part; MPI_Comm_split(MPI_COMM_WORLD, " colour ", rank, &part); "
#define ROUNDS(between) "for (int t = 0; t < 9; t++) {\n" ROUND("1", W) "\n" between " }\n" END
#define CAPTURED "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"
#define DOUBTED                                                                                    \
    "main 3-3 MPI_COMM_WORLD not: the collective at a.c:4 may be on another communicator, and "    \
    "nothing else separates two rounds"
#define SEPARATED "main 3-3 MPI_COMM_WORLD trusted collective"

static const struct region_case groups[] = {
    {SPLIT("rank % 2") ROUNDS("MPI_Barrier(part);"), CAPTURED},
    {SPLIT("rank % 2") ROUNDS("do MPI_Barrier(part); while (size--);"), CAPTURED},
    {SPLIT("rank % 2") ROUNDS("if (t) MPI_Barrier(part); else MPI_Barrier(MPI_COMM_WORLD);"),
     CAPTURED},
    {SPLIT("table[0]") ROUNDS("MPI_Barrier(part);"), DOUBTED},
    {SPLIT("0") ROUNDS("MPI_Barrier(part);"), SEPARATED},
    {SPLIT("0") ROUNDS("MPI_Comm other; MPI_Comm_dup(part, &other); MPI_Comm_free(&other);"),
     SEPARATED},
    {SPLIT("rank") ROUNDS("MPI_Comm_dup(part, &part);"), CAPTURED},
    {START "MPI_Comm part; MPI_Cart_create(MPI_COMM_WORLD, 1, &size, table, 0, &part); " ROUNDS(
         "MPI_Barrier(part);"),
     DOUBTED},
    {START "MPI_Comm copy; MPI_Comm_dup(MPI_COMM_WORLD, &copy); " ROUNDS("MPI_Barrier(copy);"),
     SEPARATED},
    {START "MPI_Comm copy; if (rank) MPI_Comm_dup(MPI_COMM_WORLD, &copy); else "
           "MPI_Comm_dup(MPI_COMM_SELF, &copy); " ROUNDS("MPI_Barrier(copy);"),
     CAPTURED},
    /* With nothing to give, nobody waits; nor where each has its own part to wait for. */
    {START ROUNDS("MPI_Allreduce(0, 0, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);"), CAPTURED},
    {START "int none = 0; " ROUNDS("MPI_Allreduce(0, 0, none, MPI_INT, MPI_SUM, MPI_COMM_WORLD);"),
     CAPTURED},
    {START ROUNDS("MPI_Allreduce(MPI_IN_PLACE, table, argc - 1, MPI_INT, MPI_SUM, "
                  "MPI_COMM_WORLD);"),
     "main 3-3 MPI_COMM_WORLD not: the collective at a.c:4 may have a count of 0, and nothing else "
     "separates two rounds"},
    {START "int some = 3; " ROUNDS("MPI_Allreduce(MPI_IN_PLACE, table, some, MPI_INT, MPI_SUM, "
                                   "MPI_COMM_WORLD);"),
     SEPARATED},
    {START ROUNDS("MPI_Allreduce(MPI_IN_PLACE, table, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);"),
     SEPARATED},
    {START ROUNDS("MPI_Alltoallv(0, table, table, MPI_INT, 0, table, table, MPI_INT, "
                  "MPI_COMM_WORLD);"),
     CAPTURED},
    {START ROUNDS("MPI_Gather(&x, 1, MPI_INT, table, 1, MPI_INT, 0, MPI_COMM_WORLD);"), CAPTURED},
    {START ROUNDS("MPI_Reduce(&x, table, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);"), CAPTURED},
    {START ROUNDS("MPI_Scatter(table, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);"), CAPTURED},
    /* An exchange of a part, and a collective of all that the part was made of. */
    {"static MPI_Comm all, part; static void make(MPI_Comm from) { MPI_Comm_dup(from, &all); "
     "MPI_Comm_split(all, rank, 0, &part); }\n" START "make(MPI_COMM_WORLD); "
     "for (int t = 0; t < 9; t++) {\n" ROUND("1", "part") "\nMPI_Barrier(all); }\n" END,
     "main 4-4 part trusted collective"},
    {"static MPI_Comm all, part; static void make(MPI_Comm from) { MPI_Comm_split(from, rank, 0, "
     "&all); MPI_Comm_split(all, rank, 0, &part); }\n" START "make(MPI_COMM_WORLD); "
     "for (int t = 0; t < 9; t++) {\n" ROUND("1", "all") "\nMPI_Barrier(part); }\n" END,
     "main 4-4 all not: the collective at a.c:5 may be on another communicator, and nothing else "
     "separates two rounds"},
    /* The variable names another communicator by then. */
    {START "MPI_Comm c = MPI_COMM_WORLD, next; for (int t = 0; t < 9; t++) {\n" ROUND(
         "1", "c") "\nMPI_Comm_split(c, rank, 0, &next); c = next;\nMPI_Barrier(c); }\n" END,
     "main 3-3 c not: the collective at a.c:5 may be on another communicator, and nothing else "
     "separates two rounds"},
};

static void a_part_of_the_ranks_separates_nothing(void **state)
{
    (void)state;
    region_check_all(groups, COUNT(groups));
}

/* One rank receives, and lets the others go on. TAKE, TELL, GIVE and HEAR are what the two do. */
#define TAKE "for (int i = 1; i < size; i++) { RECV(1, MPI_COMM_WORLD); table[s.MPI_SOURCE] = x; } "
#define TELL "for (int i = 1; i < size; i++) SEND(i, 2, MPI_COMM_WORLD); "
#define GIVE "SEND(0, 1, MPI_COMM_WORLD); "
#define HEAR "MPI_Recv(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &s); "
#define TURNS(turn) START " for (int t = 0; t < 9; t++) {\n" turn "\n}" END
#define ROLES(one, others) "if (rank == 0) { " one "} else { " others "}"
#define TOLD "main 3-3 MPI_COMM_WORLD trusted termination"

static const struct region_case words[] = {
    {TURNS(ROLES(TAKE TELL, GIVE HEAR)), TOLD},
    {TURNS(ROLES(TELL TAKE, HEAR GIVE)), TOLD},
    {TURNS(ROLES(TAKE, GIVE) "\n" ROLES(TELL, HEAR)), TOLD},
    {TURNS("if (rank) { " GIVE HEAR "} else { " TAKE TELL "}"), TOLD},
    {TURNS("if (size == 1) use(1); else " ROLES(TAKE TELL, GIVE HEAR)), TOLD},
    {TURNS("if (rank == 0) { " TAKE TELL "} else if (rank % 2) { " GIVE HEAR
           "} else { " GIVE GIVE HEAR "}"),
     TOLD},
    {TURNS(ROLES(TAKE "for (int i = 0; i <= size - 1; i++) { if (i == rank) continue; SEND(i, 2, "
                      "MPI_COMM_WORLD); } ",
                 GIVE HEAR)),
     TOLD},
    {TURNS(ROLES(TAKE TELL, "MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &x, 1, MPI_INT, 0, 2, "
                            "MPI_COMM_WORLD, &s); ")),
     TOLD},
    /* In functions, and in the caller of the one that exchanges. */
    {"static void tell(int ranks) { for (int i = 1; i < ranks; i++) SEND(i, 2, MPI_COMM_WORLD); } "
     "static void hear(void) { " HEAR "}\n" TURNS(ROLES(TAKE "tell(size);", GIVE "hear();")),
     "main 4-4 MPI_COMM_WORLD trusted termination"},
    {"static void f(void) { " ROLES(TAKE, GIVE) " }\n" TURNS("f(); " ROLES(TELL, HEAR)),
     "f 2-2 MPI_COMM_WORLD trusted termination"},
    /* Told too early, heard too late, or not on all paths. */
    {TURNS(ROLES(TELL TAKE, GIVE HEAR)), CAPTURED},
    {TURNS(ROLES(TAKE TELL, GIVE HEAR GIVE)), CAPTURED},
    {TURNS(ROLES(TAKE TELL, GIVE "if (t % 2) " HEAR)), CAPTURED},
    {TURNS(ROLES(TAKE "if (t % 2) " TELL, GIVE HEAR)), CAPTURED},
    {TURNS(ROLES(TAKE TELL, GIVE "if (x) continue; " HEAR)),
     "main 3-3 MPI_COMM_WORLD exits: 3 not: a message of the next round can be taken; capture"},
    {TURNS("if (rank == 0) { " TAKE TELL "} else if (rank == 1) { " GIVE "} else { " GIVE HEAR "}"),
     CAPTURED},
    /* Told twice, or not to all, or also by another send. */
    {TURNS(ROLES(TAKE TELL TELL, GIVE HEAR)), CAPTURED},
    {TURNS(ROLES(TAKE "for (int k = 0; k < 2; k++) " TELL, GIVE HEAR)), CAPTURED},
    {TURNS(ROLES(TAKE "for (int i = 2; i < size; i++) SEND(i, 2, MPI_COMM_WORLD); ", GIVE HEAR)),
     CAPTURED},
    {TURNS(
         ROLES(TAKE "for (int i = 1; i < size - 1; i++) SEND(i, 2, MPI_COMM_WORLD); ", GIVE HEAR)),
     CAPTURED},
    {TURNS(ROLES(TAKE "for (int i = 1; i < size; i++) if (table[i]) SEND(i, 2, MPI_COMM_WORLD); ",
                 GIVE HEAR)),
     CAPTURED},
    {START ROLES("SEND(1, 2, MPI_COMM_WORLD); ", ) " for (int t = 0; t < 9; t++) {\n" ROLES(
         TAKE TELL, GIVE HEAR) "\n}" END,
     CAPTURED},
    /* Each tells each, and the word is taken of any. */
    {TURNS("if (rank == 0) { " TAKE "} else " GIVE "for (int i = 0; i < size; i++) SEND(i, 2, "
           "MPI_COMM_WORLD); if (rank) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 2, "
           "MPI_COMM_WORLD, &s);"),
     "main 3-3 MPI_COMM_WORLD not: a message of the next round can be taken | main 3-3 "
     "MPI_COMM_WORLD not: a message of the next round can be taken; capture; capture"},
    /* Not waited for, or with another tag; or more than one rank receives. */
    {TURNS(ROLES(TAKE TELL, GIVE "MPI_Request r; MPI_Irecv(&x, 1, MPI_INT, 0, 2, "
                                 "MPI_COMM_WORLD, &r); MPI_Request_free(&r); ")),
     CAPTURED},
    {TURNS(ROLES(TAKE TELL, GIVE "MPI_Recv(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &s); ")),
     CAPTURED},
    {TURNS("if (rank / 2 == 0) { " TAKE TELL "} else { " GIVE HEAR "}"), CAPTURED},
    /* The rounds of an inner loop have no word between them. */
    {START " for (int t = 0; t < 9; t++) { for (int k = 0; k < 9; k++) {\n" ROLES(
         TAKE, GIVE) "\n}" ROLES(TELL, HEAR) " }" END,
     CAPTURED},
    {"static void f(void) { for (int k = 0; k < 9; k++) {\n" ROLES(TAKE, GIVE) " } }\n" TURNS(
         "f(); " ROLES(TELL, HEAR)),
     "f 3-3 MPI_COMM_WORLD not: a message of the next round can be taken; capture"},
};

static void one_rank_lets_the_others_go_on(void **state)
{
    (void)state;
    region_check_all(words, COUNT(words));
}

static void rounds_are_separated(void **state)
{
    (void)state;
    region_check_all(separations, COUNT(separations));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_separated),
        cmocka_unit_test(one_rank_lets_the_others_go_on),
        cmocka_unit_test(a_part_of_the_ranks_separates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
