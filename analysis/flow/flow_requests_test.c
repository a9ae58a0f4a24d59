/* Requests that end together or move, and what comes back by other ways than a receive's buffer. */
#include "analysis/flow/flow_case.h"

static const struct flow_case cases[] = {
/* Several at once: how many is up to time. */
#define SOME(turn)                                                                                 \
    "MPI_Request r[8]; int k, left, at[8];\n"                                                      \
    "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"                  \
    "for (left = 8; left > 0; left -= k) { MPI_Waitsome(8, r, &k, at, "                            \
    "MPI_STATUSES_IGNORE);\n" turn " }\n"
    {"how many batches there were", "NU", "", SOME("n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many the last batch had", "NU", "", SOME("") "MPI_Bcast(&k, 1, MPI_INT, 0, W);"},
    {"how many the last batch had, in another variable", "NU", "",
     SOME("n = 2 * k;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a send for each batch", "NU", "", SOME("MPI_Send(&size, 1, MPI_INT, 1, 9, W);")},
    {"a send when a batch is the fifth", "NU", "",
     SOME("if (left == 3) MPI_Send(&size, 1, MPI_INT, 1, 9, W);")},
    {"how many batches were not empty", "NU", "",
     SOME("if (k > 0) n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether a batch was large", "NU", "",
     SOME("if (k > 3) n = 1;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"three batches", "NU", "",
     "MPI_Request r[8]; int k, at[8];\n"
     "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"
     "for (int b = 0; b < 3; b++) { MPI_Waitsome(8, r, &k, at, MPI_STATUSES_IGNORE); n += k; }\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many were complete, in all", "S", "", SOME("n += k;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many were complete, one by one", "S", "",
     SOME("for (int j = 0; j < k; j++) n++;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a sum, batch by batch", "SN", "",
     SOME("for (int j = 0; j < k; j++) n += t[at[j]];") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"whether there was a batch", "S", "",
     SOME("if (k > 0) n = 1;") "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the answer of the last poll", "NU", "",
     "int f; for (int k = 0; k < 1000; k++) MPI_Iprobe(ANY, 1, W, &f, &s);\n"
     "MPI_Bcast(&f, 1, MPI_INT, 0, W);"},
/* Requests that are moved while their data stay, or are given up. */
#define ANY_OF(turn)                                                                               \
    "MPI_Request r[8]; int k, out[8] = {0};\n"                                                     \
    "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &r[i]);\n"                  \
    "for (int left = 8; left > 0; left--) { MPI_Waitany(8, r, &k, MPI_STATUS_IGNORE);\n" turn      \
    " }\nMPI_Bcast(out, 8, MPI_INT, 0, W);"
    {"requests that stay", "S", "", ANY_OF("out[k] = 2 * t[k];")},
    {"requests that are given up", "S", "", ANY_OF("out[k] = 2 * t[k]; r[k] = MPI_REQUEST_NULL;")},
    {"requests that are posted again", "SN", "",
     ANY_OF("out[k] = 2 * t[k]; if (left > 8) MPI_Irecv(&t[k], 1, MPI_INT, 1, k, W, &r[k]);")},
    {"the last request moves into the hole", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; r[k] = r[left - 1];")},
    {"the last request moves into the hole, by a helper", "NU",
     "static void move(MPI_Request *to, const MPI_Request *from) { *to = *from; }\n",
     ANY_OF("out[k] = 2 * t[k]; move(&r[k], &r[left - 1]);")},
    {"the last request moves into the hole, by memcpy", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; memcpy(&r[k], &r[left - 1], sizeof *r);")},
    {"the requests behind the hole move up", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; for (int j = k; j < left - 1; j++) r[j] = r[j + 1];")},
    {"the requests behind the hole move up, by memmove", "NU", "",
     ANY_OF("out[k] = 2 * t[k]; memmove(r + k, r + k + 1, (left - 1 - k) * sizeof *r);")},
    {"requests that come from another array before", "S", "",
     "MPI_Request q[8];\nfor (int round = 0; round < 3; round++) {\n"
     "MPI_Request r[8]; int k, out[8] = {0};\n"
     "for (int i = 0; i < 8; i++) MPI_Irecv(&t[i], 1, MPI_INT, 1, i, W, &q[i]);\n"
     "for (int i = 0; i < 8; i++) r[i] = q[i];\n"
     "for (int left = 8; left > 0; left--) { MPI_Waitany(8, r, &k, MPI_STATUS_IGNORE);\n"
     "out[k] = 2 * t[k]; }\nMPI_Bcast(out, 8, MPI_INT, 0, W); }"},
/* A value that one function stores and another one fetches. */
#define KEPT "#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>\nstatic char c[64];\n"
    {"the last one, in an attribute", "NU", "",
     "int k, f, *p; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &k, "
     "0);\n" EACH "MPI_Comm_set_attr(W, k, &n); n = v; } MPI_Comm_get_attr(W, k, &p, &f);\n"
     "MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"the last one, an attribute by itself", "NU", "#include <stdint.h>\n",
     "int k, f; void *p; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, "
     "&k, 0);\n" EACH "MPI_Comm_set_attr(W, k, (void *)(intptr_t)v); }\n"
     "MPI_Comm_get_attr(W, k, &p, &f); n = (int)(intptr_t)p; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"an attribute, and nothing of it sent", "S", "#include <stdint.h>\n",
     "int k; MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &k, 0);\n" EACH
     "MPI_Comm_set_attr(W, k, (void *)(intptr_t)v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"an attribute of the library", "S", "",
     "int f, *p;\n" EACH "n += v; } MPI_Comm_get_attr(W, MPI_TAG_UB, &p, &f);\n"
     "MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"the last one, in the environment", "NU", KEPT,
     EACH "sprintf(c, \"%d\", v); setenv(\"LAST\", c, 1); } n = atoi(getenv(\"LAST\"));\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in the environment, by putenv", "NU", KEPT,
     EACH "sprintf(c, \"LAST=%d\", v); putenv(c); } n = atoi(getenv(\"LAST\"));\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the environment", "S", "",
     EACH "n += v; } n += atoi(getenv(\"LAST\")); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH "fwrite(&v, sizeof v, 1, f); } rewind(f);\n"
     "fread(&n, sizeof n, 1, f); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file, as text", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH "fprintf(f, \"%d\\n\", v); } rewind(f);\n"
     "fscanf(f, \"%d\", &n); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file that is opened twice", "NU", KEPT,
     "FILE *f = fopen(\"a\", \"w\");\n" EACH "fputc(v, f); } fclose(f); f = fopen(\"a\", \"r\");\n"
     "n = fgetc(f); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a file that is opened twice, in lines", "NU", KEPT,
     "FILE *f = fopen(\"a\", \"w\");\n" EACH
     "sprintf(c, \"%d\\n\", v); fputs(c, f); } fclose(f); f = fopen(\"a\", \"r\");\n"
     "fgets(c, 64, f); MPI_Bcast(c, 64, MPI_CHAR, 0, W);"},
    {"the last one, in a pipe", "NU", KEPT,
     "int p[2]; pipe(p);\n" EACH "write(p[1], &v, sizeof v); } read(p[0], &n, sizeof n);\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"how many bytes have been written", "NU", KEPT,
     "FILE *f = tmpfile();\n" EACH
     "fprintf(f, \"%d\\n\", v); if (ftell(f) > 9) n = 1; else n = 0;\n"
     "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a file that is read, and a stream that is written", "SU", KEPT,
     "FILE *f = fopen(\"a\", \"r\");\n" EACH "n += v; printf(\"%d\\n\", v); } n += fgetc(f);\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a file that is read before", "S", KEPT,
     "FILE *f = fopen(\"a\", \"r\"); fscanf(f, \"%d\", &n); fclose(f);\n" EACH
     "printf(\"%d\\n\", v); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in memory that a stream writes", "NU", KEPT,
     "FILE *f = fmemopen(c, 64, \"w\");\n" EACH "fprintf(f, \"%d\\n\", v); fflush(f); }\n"
     "n = atoi(c); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in memory that a stream allocates", "NU", KEPT,
     "char *p; size_t z; FILE *f = open_memstream(&p, &z);\n" EACH
     "rewind(f); fprintf(f, \"%d\\n\", v); fflush(f); }\n"
     "n = atoi(p); MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, where a file goes on", "NU", KEPT,
     "int f = open(\"a\", O_RDWR);\n" EACH "lseek(f, v, SEEK_SET); } n = lseek(f, 0, SEEK_CUR);\n"
     "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by a list of arguments", "NU",
     KEPT "#include <stdarg.h>\nstatic void put(const char *f, ...) { va_list l; va_start(l, f);\n"
          "    vsnprintf(c, 64, f, l); va_end(l); }\n",
     EACH "put(\"%d\", v); } MPI_Bcast(c, 64, MPI_CHAR, 0, W);"},
    {"the last one, as the handler of a signal", "NU",
     "#include <signal.h>\nstatic void a(int k) { (void)k; }\nstatic void b(int k) { (void)k; }\n",
     EACH "signal(SIGUSR1, v ? a : b); } n = signal(SIGUSR1, a) == a;\n"
          "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, when the program is over", "NU",
     "static int last;\nstatic void bye(void) { MPI_Bcast(&last, 1, MPI_INT, 0, W); }\n",
     "atexit(bye);\n" EACH "last = v; }"},
    {"what is sorted by the last one", "NU",
     "static int pivot, a[4] = {3, 1, 2, 0};\nstatic int cmp(const void *l, const void *r)\n"
     "{ return (*(const int *)l ^ pivot) - (*(const int *)r ^ pivot); }\n",
     EACH "pivot = v; } qsort(a, 4, sizeof *a, cmp); MPI_Bcast(a, 4, MPI_INT, 0, W);"},
    {"the last one, behind a pointer into an array", "NU", "static int a[8];\n",
     "int *q = a + 2;\n" EACH "q[1] = v; } MPI_Bcast(&a[3], 1, MPI_INT, 0, W);"},
    {"the last one, in front of a pointer into an array", "NU", "static int a[8];\n",
     "int *q = &a[5];\n" EACH "q[-2] = v; } MPI_Bcast(&a[3], 1, MPI_INT, 0, W);"},
    {"the last one, in a matrix that is read as a row", "NU", "static int m[4][4];\n",
     EACH "m[1][2] = v; } n = (&m[0][0])[6]; MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, in a record that is written as another one", "NU",
     "struct a { int a, b; };\nstruct b { int c, d; };\nstatic struct a q;\n",
     EACH "((struct b *)&q)->d = v; } MPI_Bcast(&q.b, 1, MPI_INT, 0, W);"},
    {"a sum in a record that is used as its first member", "SN",
     "struct a { int a, b; };\nstruct b { struct a a; int d; };\nstatic struct b q;\n",
     EACH "((struct a *)&q)->b += v; } MPI_Bcast(&q.a.b, 1, MPI_INT, 0, W);"},
    {"another element than the last one", "S", "static int a[8], b[8];\n",
     EACH "a[1] = v; n += v; } MPI_Bcast(&a[3], 1, MPI_INT, 0, W);"},
/* Buffers by absolute addresses. */
#define BOTTOM(what)                                                                               \
    "MPI_Aint a; MPI_Datatype d; int one = 1; MPI_Get_address(" what ", &a);\n"                    \
    "MPI_Type_create_hindexed(1, &one, &a, MPI_INT, &d); MPI_Type_commit(&d);\n"
    {"the last one, by its address", "NU", "",
     BOTTOM("&n") EACH "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"the last one, by its address in a structure", "NU", "struct q { int k, n; };\n",
     "struct q q = {0};\n" BOTTOM("&q.n") EACH "q.n = v; } MPI_Send(MPI_BOTTOM, 1, d, 1, 2, W);"},
    {"the last one comes in by its address", "NU", "",
     BOTTOM("&n") "for (int i = 1; i < size; i++) MPI_Recv(MPI_BOTTOM, 1, d, ANY, 1, W, &s);\n"
                  "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one comes in by its address, later", "NU", "",
     BOTTOM("&n") "for (int i = 1; i < size; i++) { MPI_Request r;\n"
                  "MPI_Irecv(MPI_BOTTOM, 1, d, ANY, 1, W, &r); MPI_Wait(&r, &s); }\n"
                  "MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"the last one, by a null pointer and its address", "NU", "",
     BOTTOM("&n") EACH "n = v; } MPI_Bcast(NULL, 1, d, 0, W);"},
    {"the sum, by its address", "S", "",
     BOTTOM("&n") EACH "n += v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"something else, by its address", "S", "",
     BOTTOM("&size") EACH "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"the last one, by its address, persistently", "NU", "",
     BOTTOM("&n") "MPI_Request r; MPI_Send_init(MPI_BOTTOM, 1, d, 1, 2, W, &r);\n" EACH
                  "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"the last one, by one of two addresses", "NU", "",
     "MPI_Aint a[2]; MPI_Datatype d, e[2] = {MPI_INT, MPI_INT}; int one[2] = {1, 1};\n"
     "MPI_Get_address(&size, &a[0]); MPI_Get_address(&n, &a[1]);\n"
     "MPI_Type_create_struct(2, one, a, e, &d); MPI_Type_commit(&d);\n" EACH
     "n = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"by addresses that are not here", "NU", "MPI_Datatype make(void);\nstatic int last;\n",
     "MPI_Datatype d = make();\n" EACH "last = v; } MPI_Bcast(MPI_BOTTOM, 1, d, 0, W);"},
    {"comes in by addresses that are not here", "NU",
     "MPI_Datatype make(void);\nstatic int last;\n",
     "MPI_Datatype d = make();\n"
     "for (int i = 1; i < size; i++) MPI_Recv(MPI_BOTTOM, 1, d, ANY, 1, W, &s);\n"
     "MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a function that sounds like sorting", "NU",
     "static void sort_out(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n",
     EACH "t[n++] = v; } sort_out(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that orders two only", "NU",
     "static void sort_two(int *a, int n)\n"
     "{ if (n > 1 && a[0] > a[1]) { int x = a[0]; a[0] = a[1]; a[1] = x; } }\n",
     EACH "t[n++] = v; } sort_two(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that sorts", "S",
     "static void sort(int *a, int n) { for (int i = 1; i < n; i++)\n"
     "    for (int k = i; k > 0 && a[k - 1] > a[k]; k--) {\n"
     "        int x = a[k]; a[k] = a[k - 1]; a[k - 1] = x; } }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that sorts by itself", "S",
     "static void swap(int *a, int i, int k) { int x = a[i]; a[i] = a[k]; a[k] = x; }\n"
     "static void sort_part(int *a, int left, int right) { int i, last = left;\n"
     "    if (left >= right) return; swap(a, left, (left + right) / 2);\n"
     "    for (i = left + 1; i <= right; i++) if (a[i] < a[left]) swap(a, ++last, i);\n"
     "    swap(a, left, last); sort_part(a, left, last - 1); sort_part(a, last + 1, right); }\n"
     "static void sort(int *a, int n) { sort_part(a, 0, n - 1); }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a function that has somebody sort", "S",
     "static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
     "static void sort(int *a, int n) { qsort(a, n, sizeof *a, cmp); }\n",
     EACH "t[n++] = v; } sort(t, n); MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a copy the other way round", "NU",
     "static void my_memcpy(const void *from, void *to, int n) { memcpy(to, from, n); }\n",
     EACH "my_memcpy(&v, &n, sizeof n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a copy the other way round, byte by byte", "NU",
     "static void my_memcpy(const char *from, char *to, int n)\n"
     "{ for (int i = 0; i < n; i++) to[i] = from[i]; }\n",
     EACH "my_memcpy((char *)&v, (char *)&n, sizeof n); } MPI_Bcast(&n, 1, MPI_INT, 0, W);"},
    {"a copy that also keeps the last one", "NU",
     "static int last;\nstatic void my_memcpy(int *to, const int *from, int n)\n"
     "{ last = *from; memcpy(to, from, n); }\n",
     EACH "my_memcpy(&t[s.MPI_SOURCE], &v, sizeof v); } MPI_Bcast(&last, 1, MPI_INT, 0, W);"},
    {"a copy", "S",
     "static void my_memcpy(void *to, const void *from, int n) { memcpy(to, from, n); }\n",
     EACH "my_memcpy(&t[s.MPI_SOURCE], &v, sizeof v); } MPI_Bcast(t, 64, MPI_INT, 0, W);"},
    {"a place in a pool, filled", "NU",
     "static int pool[64], at;\nstatic int *pool_alloc(int v) { pool[at] = v; return &pool[at++]; "
     "}\n",
     "int *p = t;\n" EACH "p = pool_alloc(v); } MPI_Bcast(p, 1, MPI_INT, 0, W);"},
    {"a place in a pool that is filled later", "NU",
     "static int pool[64], at;\nstatic int *pool_alloc(void) { return &pool[at++]; }\n",
     EACH "*pool_alloc() = v; } MPI_Bcast(pool, 64, MPI_INT, 0, W);"},
    /* Messages that others send in each turn differ from one another. */
    {"a named receive in each turn, for who asked", "NU", "",
     EACH "MPI_Recv(&n, 1, MPI_INT, 1, 5, W, MPI_STATUS_IGNORE);\n"
          "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"an exchange in each turn, for who asked", "NU", "",
     EACH "MPI_Sendrecv(&rank, 1, MPI_INT, 1, 5, &n, 1, MPI_INT, 2, 5, W, MPI_STATUS_IGNORE);\n"
          "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a receive from who asked, in each turn", "CS", "",
     EACH "MPI_Recv(&n, 1, MPI_INT, s.MPI_SOURCE, 5, W, MPI_STATUS_IGNORE);\n"
          "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    {"a named receive before, for who asked", "CS", "",
     "MPI_Recv(&n, 1, MPI_INT, 1, 5, W, MPI_STATUS_IGNORE);\n" EACH
     "MPI_Send(&n, 1, MPI_INT, s.MPI_SOURCE, 2, W); }"},
    /* Persistent sends. */
    {"the last one, by a persistent send", "NU", "",
     "MPI_Request r; MPI_Send_init(&n, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"the last one, by one of two persistent sends", "NU", "",
     "MPI_Request r[2]; MPI_Send_init(&size, 1, MPI_INT, 1, 2, W, &r[0]);\n"
     "MPI_Send_init(&n, 1, MPI_INT, 1, 3, W, &r[1]);\n" EACH
     "n = v; } MPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);"},
    {"the sum, by a persistent send", "S", "",
     "MPI_Request r; MPI_Send_init(&n, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n += v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
    {"something else, by a persistent send", "S", "",
     "MPI_Request r; MPI_Send_init(&size, 1, MPI_INT, 1, 2, W, &r);\n" EACH
     "n = v; } MPI_Start(&r); MPI_Wait(&r, &s);"},
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
