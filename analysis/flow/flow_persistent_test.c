/* Persistent requests: what is started when, and which one it is, may say who came first. */
#include "analysis/flow/flow_case.h"

static const struct flow_case cases[] = {
#define LASTS(to, tag, request) "MPI_Recv_init(" to ", 1, MPI_INT, 1, " tag ", W, " request ");\n"
#define TWO                                                                                        \
    "int a = 0, b = 0; MPI_Request ra, rb;\n" LASTS("&a", "5", "&ra") LASTS("&b", "5", "&rb")
#define RUN(request) "MPI_Start(" request "); MPI_Wait(" request ", MPI_STATUS_IGNORE);\n"
#define SEND(what) "MPI_Send(&" what ", 1, MPI_INT, 1, 9, W);\n"
    /* Receives that are started in an order, or not at all. */
    {"a receive that is started if the message says so", "NU", "",
     TWO RECV "if (v == 1) {" RUN("&ra") "} " SEND("a")},
    {"another receive that is", "S", "", TWO RECV "if (v == 1) {" RUN("&rb") "} " SEND("a")},
    {"two receives in the order that the message says", "NU", "",
     TWO RECV "if (v == 1) { MPI_Start(&ra); MPI_Start(&rb); }\n"
              "else { MPI_Start(&rb); MPI_Start(&ra); }\n"
              "MPI_Wait(&ra, &s); MPI_Wait(&rb, &s);\n" SEND("a")},
    {"two receives in one order", "S", "",
     TWO RECV "MPI_Start(&ra); MPI_Start(&rb);\n"
              "MPI_Wait(&ra, &s); MPI_Wait(&rb, &s);\n" SEND("a")},
    {"two receives in the order of an array", "NU", "",
     TWO RECV "MPI_Request r[2];\nif (v == 1) { r[0] = ra; r[1] = rb; }\n"
              "else { r[0] = rb; r[1] = ra; }\n"
              "MPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n" SEND("a")},
    {"receives that are all started if the message says so", "NU", "",
     "MPI_Request r[2];\n" LASTS("&t[0]", "5", "&r[0]") LASTS("&t[1]", "6", "&r[1]") RECV
     "if (v == 1) { MPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE); }\n" SEND("t[1]")},
    {"the receive that the message names", "NU", "",
     "MPI_Request r[8];\nfor (int i = 0; i < 8; i++)" LASTS("&t[i]", "i", "&r[i]")
         RECV RUN("&r[v & 7]") "MPI_Bcast(t, 8, MPI_INT, 0, W);"},
    /* Requests that are copied, or kept somewhere. */
    {"a copy of one of two receives", "NU", "",
     TWO RECV "MPI_Request r = v == 1 ? ra : rb;\n" RUN("&r") SEND("a")},
    {"a copy of a receive", "NU", "",
     TWO "MPI_Request r = ra;\n" RECV "if (v == 1) {" RUN("&r") "} " SEND("a")},
    {"a copy of another receive", "S", "",
     TWO "MPI_Request r = rb;\n" RECV "if (v == 1) {" RUN("&r") "} " SEND("a")},
    {"a receive in a record", "NU", "struct box { int n; MPI_Request r; };\n",
     "struct box x, y; x.n = 0;\n" LASTS("&x.n", "5", "&x.r") "y = x;\n" RECV "if (v == 1) {" RUN(
         "&y.r") "} " SEND("x.n")},
    {"a receive that a function makes", "NU",
     "static MPI_Request make(int *n)\n"
     "{ MPI_Request r; MPI_Recv_init(n, 1, MPI_INT, 1, 5, W, &r); return r; }\n",
     "MPI_Request r = make(&n);\n" RECV "if (v == 1) {" RUN("&r") "} " SEND("n")},
    {"a receive that is started by a function", "NU",
     "static void start(MPI_Request r) { MPI_Start(&r); MPI_Wait(&r, MPI_STATUS_IGNORE); }\n",
     TWO RECV "if (v == 1) start(ra);\n" SEND("a")},
    {"a receive in an array of another function", "NU",
     "static MPI_Request r[4];\nstatic int to[4];\n"
     "static void start(int i) { MPI_Start(r + i); }\n"
     "static void end(void) { MPI_Waitall(4, r, MPI_STATUSES_IGNORE); }\n",
     "for (int i = 0; i < 4; i++)" LASTS("&to[i]", "5", "&r[i]") RECV
     "if (v == 1) start(1); else start(2);\nend(); MPI_Bcast(to, 4, MPI_INT, 0, W);"},
    {"a receive in a list", "NU", "struct item { struct item *next; int n; MPI_Request r; };\n",
     "struct item *first = 0;\nfor (int i = 0; i < 4; i++) {\n"
     "struct item *x = malloc(sizeof *x); x->next = first; first = x;\n" LASTS(
         "&x->n", "5", "&x->r") "}\n" RECV
                                "if (v == 1) {" RUN("&first->next->r") "} " SEND("first->next->n")},
    {"a receive that is copied by its bytes", "NU", "",
     "MPI_Request r, q;\n" LASTS("&n", "5", "&r") "memcpy(&q, &r, sizeof q);\n" RECV
                                                  "if (v == 1) {" RUN("&q") "} " SEND("n")},
    {"a receive that was a number", "NU", "",
     "MPI_Request r, q;\n" LASTS("&n", "5", "&r") "MPI_Fint f = MPI_Request_c2f(r);\n"
                                                  "q = MPI_Request_f2c(f);\n" RECV
                                                  "if (v == 1) {" RUN("&q") "} " SEND("n")},
    {"a receive that is made where nobody looks", "NU",
     "static MPI_Request r;\nstatic int to;\n"
     "static void one(void) {" LASTS("&to", "5",
                                     "&r") "}\n"
                                           "static void two(void) { if (to == 0) one(); }\n"
                                           "static void three(void) { if (to == 0) two(); }\n"
                                           "static void four(void) { if (to == 0) three(); }\n",
     "four();\n" RECV "if (v == 1) {" RUN("&r") "} " SEND("to")},
    /* Requests that are made again. */
    {"a receive that is made again", "NU", "",
     "int a = 0; MPI_Request r;\n" LASTS("&a", "5", "&r") RUN("&r") "MPI_Request_free(&r);\n" LASTS(
         "&n", "6", "&r") RECV "if (v == 1) {" RUN("&r") "} " SEND("n")},
    {"what a receive had before it was made again", "S", "",
     "int a = 0; MPI_Request r;\n" LASTS("&a", "5", "&r") RUN("&r") "MPI_Request_free(&r);\n" LASTS(
         "&n", "6", "&r") RECV "if (v == 1) {" RUN("&r") "} " SEND("a")},
    {"the last one, where a receive once went", "NU", "",
     "int a = 0; MPI_Request r;\n" LASTS("&n", "5", "&r") "MPI_Request_free(&r);\n" LASTS(
         "&a", "6", "&r") EACH "n = v; }" RUN("&r") SEND("n")},
    {"a receive that is one of two, by the message", "NU", "",
     "int a = 0; MPI_Request r;\n" RECV "if (v == 1) " LASTS("&a", "5", "&r") "else " LASTS(
         "&n", "5", "&r") "a = n = 0;\n" RUN("&r") SEND("a")},
    {"a receive from who the message names", "NU", "",
     "MPI_Request r;\n" RECV "MPI_Recv_init(&n, 1, MPI_INT, s.MPI_SOURCE, 5, W, &r);\n"
     "n = 0;\n" RUN("&r") SEND("n")},
    {"an empty receive", "S", "",
     TWO "MPI_Request r; MPI_Recv_init(NULL, 0, MPI_INT, 1, 7, W, &r);\n" RECV
         "if (v == 1) {" RUN("&r") "} " SEND("a")},
    {"what was there before", "NU", "",
     TWO RECV "a = v;\n"
              "if (size > 9) {" RUN("&ra") "} " SEND("a")},
    {"a sum that a receive replaces, if the message says so", "NU", "",
     "MPI_Request r;\n" LASTS("&n", "5", "&r") "n = 0;\n" EACH
                                               "n += v; if (v == 1) {" RUN("&r") "} } " SEND("n")},
    {"a sum that one of two receives replaces, if the message says so", "NU", "",
     "MPI_Request r[2];\n" LASTS("&n", "5", "&r[0]")
         LASTS("&t[0]", "6", "&r[1]") "n = 0;\n" EACH
                                      "n += v;\nif (v == 1) { MPI_Startall(2, r); MPI_Waitall(2, "
                                      "r, MPI_STATUSES_IGNORE); } }\n" SEND("n")},
    {"a sum that one of two receives replaces", "SN", "",
     "MPI_Request r[2];\n" LASTS("&n", "5", "&r[0]") LASTS(
         "&t[0]", "6",
         "&r[1]") "n = 0;\n" EACH
                  "n += v; }\nMPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n" SEND(
                      "n")},
#define ALL(r) "MPI_Startall(4, " r "); MPI_Waitall(4, " r ", MPI_STATUSES_IGNORE);\n"
    {"a largest number, beside other receives", "SN", "",
     "MPI_Request r[4], q;\nfor (int i = 0; i < 4; i++)" LASTS(
         "t + 8 + i", "i + 5",
         "r + i") "MPI_Recv_init(t, 1, MPI_INT, ANY, 1, W, &q);\n"
                  "for (int i = 1; i < size; i++) {" RUN("&q") "n = n > t[0] ? n : t[0];\n" ALL(
                      "r") "}\n" SEND("n")},
    {"a sum, and other receives into one array", "S", "",
     "MPI_Request r[4];\nfor (int i = 0; i < 4; i++)" LASTS("t + 8 + i", "i + 5", "r + i") EACH
     "n += v;\n" ALL("r") "}\nfor (int i = 8; i < 12; i++) n += t[i];\n" SEND("n")},
    {"a table by source, and other receives into another", "S", "",
     "MPI_Request r[4]; int to[64] = {0};\nfor (int i = 0; i < 4; i++)" LASTS("to + i", "i + 5",
                                                                              "r + i") EACH
     "t[s.MPI_SOURCE] = v; }\n" ALL(
         "r") "for (int i = 0; i < 4; i++) t[i] += to[i];\nMPI_Bcast(t, 64, MPI_INT, 0, W);"},
    /* In loops. */
    {"a receive in each turn", "S", "", TWO EACH "n += v;\n" RUN("&ra") "} n += a;\n" SEND("n")},
    {"a receive in each turn, for who asked", "NU", "",
     TWO EACH RUN("&ra") "MPI_Send(&a, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a receive in each turn, for who has come", "NU", "",
     TWO "MPI_Request r; int f, done = 0; MPI_Irecv(&v, 1, MPI_INT, 1, 1, W, &r);\n"
         "while (!done) { MPI_Test(&r, &f, &s);\n" RUN("&ra") "if (f) {" SEND("a") "done = 1; } }"},
    {"a receive for what has come", "C", "",
     TWO "int f, done = 0;\n"
         "while (!done) { MPI_Iprobe(1, 5, W, &f, &s);\n"
         "if (f) {" RUN("&ra") SEND("a") "done = 1; } }"},
    {"a receive before, for who asked", "CS", "",
     TWO RUN("&ra") EACH "MPI_Send(&a, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a receive behind", "S", "", TWO EACH "n += v; }" RUN("&ra") "n += a;\n" SEND("n")},
#define CHOOSE(turn)                                                                               \
    "MPI_Request r[8]; int k, out[8] = {0};\nfor (int i = 0; i < 8; i++)" LASTS(                   \
        "&t[i]", "i", "&r[i]") "MPI_Startall(8, r);\nfor (int left = size; left > 0; left--) { "   \
                               "MPI_Waitany(8, r, &k, "                                            \
                               "MPI_STATUS_IGNORE);\n" turn " }\n"
    {"one of several", "S", "", CHOOSE("out[k] = 2 * t[k];") "MPI_Bcast(out, 8, MPI_INT, 0, W);"},
    {"one of several that is started again", "S", "",
     CHOOSE("n += t[k]; MPI_Start(&r[k]);") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"one of several that is started again, the last", "N", "",
     CHOOSE("n = t[k]; MPI_Start(&r[k]);") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"one of several that is started again, in its place", "SN", "",
     CHOOSE("out[k] += t[k]; MPI_Start(&r[k]);") "MPI_Bcast(out, 8, MPI_INT, 0, W);"},
/* The site's own. */
#define OWN "MPI_Request r, q; MPI_Recv_init(&v, 1, MPI_INT, ANY, 1, W, &r); q = r;\n"
    {"the last one, by a copy of the site's request", "NU", "",
     OWN "for (int i = 1; i < size; i++) {" RUN("&q") "n = v; }\n" SEND("n")},
    {"all, by a copy of the site's request", "NU", "",
     OWN
     "for (int i = 1; i < size; i++) {" RUN("&q") "t[i] = v; } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
/* Sends. */
#define OUT(from, request) "MPI_Send_init(" from ", 1, MPI_INT, 1, 2, W, " request ");\n"
    {"a copy of one of two sends", "NU", "",
     "MPI_Request r, q;\n" OUT("&size", "&r") OUT("&rank", "&q") RECV
     "if (v == 1) r = q;\n" RUN("&r")},
    {"a send that is one of two, by the message", "NU", "",
     "MPI_Request r;\n" RECV "if (v == 1) " OUT("&size", "&r") "else " OUT("&rank", "&r")
         RUN("&r")},
    {"the last one, by a copy of a send", "NU", "",
     "MPI_Request r, q;\n" OUT("&n", "&r") "q = r;\n" EACH "n = v; }" RUN("&q")},
    {"something else, by a copy of a send", "S", "",
     "MPI_Request r, q;\n" OUT("&n", "&r") OUT("&size", "&q") "r = q;\n" EACH "n = v; }" RUN("&r")},
    {"the last one, by a send that is made where nobody looks", "NU",
     "static MPI_Request r;\nstatic int from;\n"
     "static void one(void) {" OUT("&from",
                                   "&r") "}\n"
                                         "static void two(void) { if (from == 0) one(); }\n"
                                         "static void three(void) { if (from == 0) two(); }\n"
                                         "static void four(void) { if (from == 0) three(); }\n",
     "four();\n" EACH "from = v; }" RUN("&r")},
    {"the last one, by parts", "NU", "",
     "MPI_Request r; MPI_Psend_init(&n, 1, 1, MPI_INT, 1, 2, W, MPI_INFO_NULL, &r); "
     "MPI_Start(&r);\n" EACH "n = v; } MPI_Pready(0, r); MPI_Wait(&r, &s);"},
    {"parts of something else", "S", "",
     "MPI_Request r; MPI_Psend_init(&size, 1, 1, MPI_INT, 1, 2, W, MPI_INFO_NULL, &r);\n"
     "MPI_Start(&r);\n" EACH "n = v; } MPI_Pready(0, r); MPI_Wait(&r, &s);"},
/* Two that polls let go, each once: on one channel, or each on its own. */
#define POLL(tag, done, turn)                                                                      \
    "if (!" done ") { MPI_Iprobe(1, " tag ", W, &f, &s);\n"                                        \
    "if (f) { MPI_Recv(&v, 1, MPI_INT, 1, " tag ", W, &s);\n" turn done " = 1; } }\n"
#define POLLS(one, two)                                                                            \
    "MPI_Request r, q; int f, d = 0, e = 0;\n" OUT(                                                \
        "&size", "&r") "MPI_Send_init(&rank, 1, MPI_INT, 1, 4, W, &q);\n"                          \
                       "while (!d || !e) {\n" POLL("5", "d", one) POLL("6", "e", two) "}\n"
#define TAGGED(to, tag) "MPI_Send(&size, 1, MPI_INT, " to ", " tag ", W);\n"
    {"a start, and a send on its channel", "NU", "", POLLS(RUN("&r"), TAGGED("1", "2"))},
    {"a send, and a start on its channel", "NU", "", POLLS(TAGGED("1", "2"), RUN("&r"))},
    {"a start, and a send with another tag", "C", "", POLLS(RUN("&r"), TAGGED("1", "3"))},
    {"a start, and a send to another rank", "C", "", POLLS(RUN("&r"), TAGGED("3", "2"))},
    {"a start, and another with another tag", "C", "", POLLS(RUN("&r"), RUN("&q"))},
    {"a start, and the same again", "NU", "", POLLS(RUN("&r"), RUN("&r"))},
    {"a receive that is started, and two sends", "C", "",
     "MPI_Request o;\n" LASTS("&n", "7", "&o") POLLS(RUN("&o") TAGGED("1", "2"), RUN("&q"))},
    {"the site's own receive is started again, and a send answers", "CS", "",
     "MPI_Request o, r; int f, done = 0;\n" OUT("&size", "&r")
         RUN("&r") "MPI_Recv_init(&v, 1, MPI_INT, ANY, 1, W, &o); MPI_Start(&o);\n"
                   "while (!done) { MPI_Test(&o, &f, &s);\n"
                   "if (f) { MPI_Send(&v, 1, MPI_INT, s.MPI_SOURCE, 2, W); MPI_Start(&o); } }\n"},
    {"a start of one of two, and a send on the channel of one", "NU", "",
     POLLS("MPI_Request o = size > 5 ? r : q;\n" RUN("&o"), TAGGED("1", "2"))},
    {"a start with a tag that has changed since, and a send", "NU", "",
     "MPI_Request r; int f, d = 0, e = 0, tag = 2;\n"
     "MPI_Send_init(&size, 1, MPI_INT, 1, tag, W, &r);\ntag--;\n"
     "while (!d || !e) {\n" POLL("5", "d", RUN("&r")) POLL("6", "e", TAGGED("1", "tag + 1")) "}\n"},
/* Requests that come from what is not here. */
#define TYPE                                                                                       \
    "typedef int make(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);\n"
#define MADE(by) "MPI_Request r; " by "(&size, 1, MPI_INT, 1, 2, W, &r);\n"
#define LAST EACH "n = v; } if (n == 1) {" RUN("&r") "}"
    {"a request that a function makes", "NU", "void make(MPI_Request *r);\n",
     "MPI_Request r; make(&r);\n" LAST},
    {"a request that a function returns", "NU", "MPI_Request make(void);\n",
     "MPI_Request r = make();\n" LAST},
    {"a request that one of two functions of MPI makes", "NU", TYPE,
     "make *init = size > 5 ? MPI_Send_init : MPI_Ssend_init;\n" MADE("init") LAST},
    {"a request that a function of MPI in a record makes", "NU",
     TYPE "struct { make *init; } ops = {MPI_Send_init};\n", MADE("ops.init") LAST},
    {"a request that a function of MPI makes, whose pointer is cast", "NU", TYPE,
     "void *init = size > 5 ? (void *)MPI_Send_init : (void *)MPI_Ssend_init;\n" MADE(
         "((make *)init)") LAST},
    {"a receive, beside a function that is here", "S", "static void make(int *n) { *n = 1; }\n",
     TWO "make(&n);\n" EACH "n += v;\nif (v == 1) {" RUN("&ra") "} } " SEND("n")},
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
