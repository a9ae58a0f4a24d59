-- carriers: ways from a store to a sink. Each makes a new v (an int) of the old one.
--
--     code     statements; $p makes names this program's own
--     header, support, other   types and prototypes; functions in one file, or in another one
--     effect   "same": where the lowest bit of v depended on the order, it still does;
--              "nothing": v is the same in each run, whatever it was
--     unseen   it leads through something that the analysis need not follow
return {
    {name = "struct", effect = "same", header = "struct $pbox {\nint before, value;\n};", code = [[
struct $pbox box = {1, v}, copy;
copy = box;
v = copy.value;]]},
    {name = "struct_result", effect = "same", header = "struct $pbox {\nint before, value;\n};\nstruct $pbox $pbox(int value);",
        support = "struct $pbox $pbox(int value)\n{\nstruct $pbox box = {1, value};\nreturn box;\n}", code = "v = $pbox(v).value;"},
    {name = "nested", effect = "same", header = "struct $pouter {\nint size;\nstruct {\nint value[4];\n} inner[2];\n};", code = [[
struct $pouter outer;
memset(&outer, 0, sizeof outer);
outer.inner[1].value[2] = v;
v = outer.inner[1].value[2];]]},
    {name = "array", effect = "same", code = "int cells[8] = {0};\ncells[5] = v;\nv = cells[5];"},
    {name = "array_variable", effect = "same", code = [[
int cells[8] = {0};
for (int x = 0; x < 8; x++)
    cells[x] = v + 2 * x;
v = cells[workers];]]},
    {name = "subscript", effect = "same", code = [[
int cells[2] = {6, 9};
v = cells[v & 1];]]},
    {name = "marked", effect = "same", code = [[
int cells[64] = {0};
cells[v & 63] = 1;
for (int x = 0; x < 64; x++)
    if (cells[x])
        v = x;]]},
    {name = "pointer", effect = "same", code = "int *place = &v, copy = *place;\nv = copy;"},
    {name = "void_pointer", effect = "same", code = "int copy = v;\nvoid *place = &copy;\nv = *(int *)place;"},
    {name = "pointer_chosen", effect = "same", code = "int one = 1, two = 2, *place = v & 1 ? &one : &two;\nv = *place;"},
    {name = "pointer_distance", effect = "same", code = "char bytes[64], *place = bytes + (v & 31);\nv = (int)(place - bytes);"},
    {name = "out_parameter", effect = "same", header = "void $pcopy(int from, int *to);",
        support = "void $pcopy(int from, int *to)\n{\n*to = from;\n}", code = "int copy = 0;\n$pcopy(v, &copy);\nv = copy;"},
    {name = "memcpy", effect = "same", code = "int copy;\nmemcpy(&copy, &v, sizeof copy);\nv = copy;"},
    {name = "bytes", effect = "same", code = [[
unsigned char bytes[sizeof v];
const unsigned char *place = (const unsigned char *)&v;
for (size_t x = 0; x < sizeof v; x++)
    bytes[x] = place[x];
memmove(&v, bytes, sizeof v);]]},
    {name = "union", effect = "same", code = "union {\nint whole;\nunsigned char bytes[sizeof(int)];\n} both;\nboth.whole = v;\nv = both.bytes[0];"},
    {name = "bits", effect = "same", code = "struct {\nunsigned low : 1, rest : 4;\n} bits = {(unsigned)v & 1, 0};\nv = bits.low;"},
    {name = "double", effect = "same", code = "double number = v;\nv = (int)number;"},
    {name = "global", effect = "same", header = "extern int $pglobal;", support = "int $pglobal;",
        code = "$pglobal = v;\nv = 0;\nv = $pglobal;"},
    {name = "setter", effect = "same", header = "void $pset(int value);\nint $pget(void);",
        support = "static int $pkept;\nvoid $pset(int value)\n{\n$pkept = value;\n}\nint $pget(void)\n{\nreturn $pkept;\n}",
        code = "$pset(v);\nv = $pget();"},
    {name = "static_local", effect = "same", header = "int $pexchange(int value);",
        support = "int $pexchange(int value)\n{\nstatic int kept;\nint old = kept;\nkept = value;\nreturn old;\n}",
        code = "$pexchange(v);\nv = $pexchange(0);"},
    {name = "heap", effect = "same", code = "int *block = malloc(sizeof *block);\n*block = v;\nv = *block;\nfree(block);"},
    {name = "grown", effect = "same", code = [[
int *block = malloc(sizeof *block);
block[0] = v;
block = realloc(block, 8 * sizeof *block);
v = block[0];
free(block);]]},
    {name = "list", effect = "same", header = "struct $plink {\nint value;\nstruct $plink *next;\n};", code = [[
struct $plink last = {v, NULL}, first = {0, &last};
v = first.next->value;]]},
    {name = "function", effect = "same", header = "int $psame(int value);",
        support = "int $psame(int value)\n{\nreturn value;\n}", code = "v = $psame(v);"},
    {name = "callback", effect = "same", header = "int $psame(int value);\nint $papply(int (*function)(int), int value);",
        support = "int $psame(int value)\n{\nreturn value + 2;\n}",
        other = "int $papply(int (*function)(int), int value)\n{\nreturn function(value);\n}", code = "v = $papply($psame, v);"},
    {name = "callback_context", effect = "same",
        header = "void $pkeep(void *context, int value);\nvoid $peach(void (*visit)(void *, int), void *context, int value);",
        support = "void $pkeep(void *context, int value)\n{\n*(int *)context = value;\n}",
        other = "void $peach(void (*visit)(void *, int), void *context, int value)\n{\nvisit(context, value);\n}",
        code = "int kept = 0;\n$peach($pkeep, &kept, v);\nv = kept;"},
    {name = "operations", effect = "same", header = "struct $poperations {\nint (*call)(int);\n};\nint $psame(int value);",
        support = "int $psame(int value)\n{\nreturn value;\n}",
        code = "struct $poperations operations = {$psame};\nv = operations.call(v);"},
    {name = "function_chosen", effect = "same", header = "int $podd(void);\nint $peven(void);",
        support = "int $podd(void)\n{\nreturn 5;\n}\nint $peven(void)\n{\nreturn 8;\n}",
        code = "int (*const functions[])(void) = {$peven, $podd};\nv = functions[v & 1]();"},
    {name = "variadic", effect = "same", header = "#include <stdarg.h>\nint $psecond(int count, ...);",
        support = "int $psecond(int count, ...)\n{\nva_list rest;\nva_start(rest, count);\nint value = va_arg(rest, int);\nvalue = va_arg(rest, int);\nva_end(rest);\nreturn value;\n}",
        code = "v = $psecond(2, 0, v);"},
    {name = "recursion", effect = "same", header = "int $pdepth(int value);",
        support = "int $pdepth(int value)\n{\nreturn value <= 0 ? 0 : 1 + $pdepth(value - 1);\n}", code = "v = $pdepth(v & 15);"},
    {name = "branch", effect = "same", code = "int odd = 0;\nif (v & 1)\n    odd = 1;\nv = odd;"},
    {name = "choose", effect = "same", code = "v = v & 1 ? 7 : 4;"},
    {name = "switch", effect = "same", code = [[
switch (v & 1) {
case 0:
    v = 2;
    break;
default:
    v = 3;
    break;
}]]},
    {name = "turns", effect = "same", code = "int turns = 0;\nwhile (turns < (v & 15))\n    turns++;\nv = turns;"},
    {name = "leaves", effect = "same", code = "int x;\nfor (x = 0; x < 16; x++)\n    if (x == (v & 15))\n        break;\nv = x;"},
    {name = "goto", effect = "same", code = "int odd = 1;\nif (v & 1)\n    goto $pend;\nodd = 0;\n$pend:\nv = odd;"},
    {name = "early_return", effect = "same", header = "int $podd(int value);",
        support = "int $podd(int value)\n{\nif (value & 1)\nreturn 1;\nreturn 0;\n}", code = "v = $podd(v);"},
    {name = "short_circuit", effect = "same", code = "int odd = 0;\nif ((v & 1) && ++odd)\n    odd += 2;\nv = odd;"},
    {name = "jump", effect = "same", header = "#include <setjmp.h>\nextern jmp_buf $pplace;", support = "jmp_buf $pplace;", code = [[
volatile int kept = v;
int again = setjmp($pplace);
if (again == 0)
    longjmp($pplace, (kept & 1) + 1);
v = again;]]},
    {name = "printed", effect = "same", code = 'char text[32];\nsnprintf(text, sizeof text, "%d", v);\nv = atoi(text);'},
    {name = "scanned", effect = "same", code = 'char text[32];\nsprintf(text, "v=%d", v);\nif (sscanf(text, "v=%d", &v) != 1)\n    v = 0;'},
    {name = "joined_text", effect = "same", code = [[
char text[64] = "1", word[32];
snprintf(word, sizeof word, "%d", v);
strcat(text, word);
v = (int)strtol(text, NULL, 10);]]},
    {name = "length_of_text", effect = "same", code = 'char text[32];\nsnprintf(text, sizeof text, "%*s", 1 + (v & 7), "");\nv = (int)strlen(text);'},
    {name = "compared_text", effect = "same", code = 'char text[32];\nsnprintf(text, sizeof text, "%d", v & 1);\nv = strcmp(text, "1") == 0;'},
    {name = "sorted", effect = "same", header = "int $pcompare(const void *a, const void *b);",
        support = "int $pcompare(const void *a, const void *b)\n{\nreturn *(const int *)a - *(const int *)b;\n}",
        code = "int cells[3] = {2000, v, 1000};\nqsort(cells, 3, sizeof *cells, $pcompare);\nv = cells[0];"},
    {name = "sorted_either_way", effect = "same", header = "extern int $pway;\nint $pcompare(const void *a, const void *b);",
        support = "int $pway;\nint $pcompare(const void *a, const void *b)\n{\nreturn $pway * (*(const int *)a - *(const int *)b);\n}",
        code = "int cells[2] = {1, 2};\n$pway = v & 1 ? 1 : -1;\nqsort(cells, 2, sizeof *cells, $pcompare);\nv = cells[0];"},
    {name = "found", effect = "same", header = "int $pcompare(const void *a, const void *b);",
        support = "int $pcompare(const void *a, const void *b)\n{\nreturn *(const int *)a - *(const int *)b;\n}",
        code = "int cells[] = {0, 1}, key = v & 1;\nconst int *place = bsearch(&key, cells, 2, sizeof *cells, $pcompare);\nv = (int)(place - cells);"},
    {name = "long_array", effect = "same", code = "char bytes[1 + (v & 7)];\nv = (int)sizeof bytes;"},
    {name = "errno", effect = "same", header = "#include <errno.h>", code = "errno = v;\nv = errno;"},
    {name = "atomic", effect = "same", header = "extern int $pshared;", support = "int $pshared;",
        code = "__atomic_store_n(&$pshared, v, __ATOMIC_SEQ_CST);\nv = __atomic_load_n(&$pshared, __ATOMIC_SEQ_CST);"},
    {name = "fetched", effect = "same", header = "extern int $pshared;", support = "int $pshared;",
        code = "$pshared = 0;\n__sync_fetch_and_add(&$pshared, v);\nv = $pshared;"},
    {name = "environment", effect = "same", code = 'char text[32];\nsnprintf(text, sizeof text, "%d", v);\nsetenv("SOUNDNESS", text, 1);\nv = atoi(getenv("SOUNDNESS"));'},
    {name = "file", effect = "same", code = [[
FILE *file = tmpfile();
if (!file)
    abort();
fprintf(file, "%d\n", v);
rewind(file);
if (fscanf(file, "%d", &v) != 1)
    abort();
fclose(file);]]},
    {name = "pipe", effect = "same", header = "#include <unistd.h>", code = [[
int ends[2];
if (pipe(ends) != 0 || write(ends[1], &v, sizeof v) != sizeof v || read(ends[0], &v, sizeof v) != sizeof v)
    abort();
close(ends[0]);
close(ends[1]);]]},
    {name = "thread", effect = "same", header = "#include <pthread.h>\nextern int $pshared;\nvoid *$prun(void *argument);",
        support = "int $pshared;\nvoid *$prun(void *argument)\n{\n*(int *)argument = $pshared;\nreturn NULL;\n}", code = [[
pthread_t thread;
int result = 0;
$pshared = v;
if (pthread_create(&thread, NULL, $prun, &result) != 0 || pthread_join(thread, NULL) != 0)
    abort();
v = result;]]},
    {name = "thread_result", effect = "same", header = "#include <pthread.h>\n#include <stdint.h>\nvoid *$prun(void *argument);",
        support = "void *$prun(void *argument)\n{\nreturn argument;\n}", code = [[
pthread_t thread;
void *result = NULL;
if (pthread_create(&thread, NULL, $prun, (void *)(intptr_t)v) != 0 || pthread_join(thread, &result) != 0)
    abort();
v = (int)(intptr_t)result;]]},
    {name = "signal", effect = "same", header = "#include <signal.h>\nextern volatile sig_atomic_t $pin, $pout;\nvoid $phandle(int number);",
        support = "volatile sig_atomic_t $pin, $pout;\nvoid $phandle(int number)\n{\n(void)number;\n$pout = $pin;\n}", code = [[
signal(SIGUSR2, $phandle);
$pin = v;
raise(SIGUSR2);
v = $pout;]]},
    {name = "assembler", effect = "same", code = '__asm__("" : "+r"(v));'},
    {name = "assembler_memory", effect = "same", code = 'int from = v, to = 0;\n__asm__("movl %1, %%eax\\n\\tmovl %%eax, %0" : "=m"(to) : "m"(from) : "eax");\nv = to;'},
    {name = "attribute", effect = "same", code = [[
int key, found;
void *value;
MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
MPI_Comm_set_attr(comm, key, &v);
MPI_Comm_get_attr(comm, key, &value, &found);
v = *(int *)value;
MPI_Comm_delete_attr(comm, key);
MPI_Comm_free_keyval(&key);]]},
    {name = "info", effect = "same", code = [[
MPI_Info info;
char text[32], back[32];
int found;
snprintf(text, sizeof text, "%d", v);
MPI_Info_create(&info);
MPI_Info_set(info, "v", text);
MPI_Info_get(info, "v", 31, back, &found);
MPI_Info_free(&info);
v = atoi(back);]]},
    {name = "packed", effect = "same", code = [[
char bytes[64];
int place = 0;
MPI_Pack(&v, 1, MPI_INT, bytes, 64, &place, comm);
place = 0;
MPI_Unpack(bytes, 64, &place, &v, 1, MPI_INT, comm);]]},
    {name = "reduced", effect = "same", code = "int two = 2;\nMPI_Reduce_local(&v, &two, 1, MPI_INT, MPI_SUM);\nv = two;"},
    {name = "type_size", effect = "same", code = "MPI_Datatype type;\nMPI_Type_contiguous(1 + (v & 7), MPI_CHAR, &type);\nMPI_Type_size(type, &v);\nMPI_Type_free(&type);"},
    -- State of the library and of the kernel.
    {name = "random_seed", effect = "same", code = "srand((unsigned)v & 1);\nint drawn = rand();\nsrand(0);\nv = drawn == rand() ? 0 : 1;"},
    {name = "split_text", effect = "same", code = 'char text[32];\nsnprintf(text, sizeof text, "0,%d", v);\nstrtok(text, ",");\nv = atoi(strtok(NULL, ","));'},
    {name = "file_place", effect = "same", code = [[
FILE *file = tmpfile();
if (!file || fseek(file, v & 15, SEEK_SET) != 0)
    abort();
v = (int)ftell(file);
fclose(file);]]},
    {name = "pushed_back", effect = "same", code = [[
FILE *file = tmpfile();
if (!file)
    abort();
ungetc('a' + (v & 15), file);
v = fgetc(file) - 'a';
fclose(file);]]},
    {name = "mask_of_files", effect = "same", header = "#include <sys/stat.h>", code = "mode_t old = umask((mode_t)v & 7);\nv = (int)umask(old);"},
    {name = "alarm", effect = "same", header = "#include <unistd.h>", code = "alarm(1000 + 10 * ((unsigned)v & 1));\nv = alarm(0) > 1005;"},
    {name = "semaphore", effect = "same", header = "#include <semaphore.h>", code = "sem_t semaphore;\nsem_init(&semaphore, 0, (unsigned)v & 15);\nsem_getvalue(&semaphore, &v);\nsem_destroy(&semaphore);"},
    {name = "thread_key", effect = "same", header = "#include <pthread.h>", code = "pthread_key_t key;\npthread_key_create(&key, NULL);\npthread_setspecific(key, &v);\nint copy = *(int *)pthread_getspecific(key);\nv = copy;\npthread_key_delete(key);"},
    {name = "table_of_library", effect = "same", header = "#include <search.h>", code = [[
char key[] = "v", *value = v & 1 ? "1" : "2";
ENTRY entry = {key, value}, *found;
hcreate(8);
hsearch(entry, ENTER);
entry.data = NULL;
found = hsearch(entry, FIND);
v = atoi(found->data);
hdestroy();]]},
    {name = "doubled_text", effect = "same", code = 'char text[32], *copy;\nsnprintf(text, sizeof text, "%d", v);\ncopy = strdup(text);\nv = atoi(copy);\nfree(copy);'},
    {name = "memset", effect = "same", code = "unsigned char bytes[8];\nmemset(bytes, v, sizeof bytes);\nv = bytes[3];"},
    {name = "rounding", effect = "same", header = "#include <fenv.h>", code = "int before = fegetround();\nfesetround(v & 1 ? FE_UPWARD : FE_DOWNWARD);\nv = fegetround() == FE_UPWARD;\nfesetround(before);"},
    -- The language.
    {name = "thread_local", effect = "same", header = "extern __thread int $plocal;", support = "__thread int $plocal;", code = "$plocal = v;\nv = 0;\nv = $plocal;"},
    {name = "atomic_type", effect = "same", header = "#include <stdatomic.h>\nextern atomic_int $pshared;", support = "atomic_int $pshared;", code = "atomic_store(&$pshared, v);\nv = atomic_load(&$pshared);"},
    {name = "computed_goto", effect = "same", code = "void *const places[] = {&&$peven, &&$podd};\ngoto *places[v & 1];\n$podd:\nv = 1;\ngoto $pend;\n$peven:\nv = 0;\n$pend:;"},
    {name = "fall_through", effect = "same", code = "int turns = 0;\nswitch (v & 3) {\ncase 3:\n    turns++; /* fall through */\ncase 2:\n    turns++; /* fall through */\ncase 1:\n    turns++;\n}\nv = turns;"},
    {name = "statement_expression", effect = "same", code = "v = ({\n    int inner = v;\n    inner + 2;\n});"},
    {name = "comma", effect = "same", code = "int other;\nv = (other = v, other);"},
    {name = "container_of", effect = "same", header = "#include <stddef.h>\nstruct $pbox {\nint value;\nint link;\n};", code = "struct $pbox box = {v, 0};\nint *link = &box.link;\nstruct $pbox *around = (struct $pbox *)(void *)((char *)link - offsetof(struct $pbox, link));\nv = around->value;"},
    {name = "pointer_as_number", effect = "same", header = "#include <stdint.h>", code = "int copy = v;\nuintptr_t number = (uintptr_t)&copy;\nv = *(int *)number;"},
    {name = "pointer_copied", effect = "same", code = "int copy = v, *place = &copy, *other;\nmemcpy(&other, &place, sizeof other);\nv = *other;"},
    {name = "pointer_to_pointer", effect = "same", code = "int copy = 0, *place = &copy, **way = &place;\n**way = v;\nv = copy;"},
    {name = "walked_pointer", effect = "same", code = "int cells[4] = {0}, *place = cells;\n*place++ = 1;\n*place++ = v;\nv = place[-1];"},
    {name = "wide", effect = "same", header = "#include <stdint.h>", code = "uint64_t word = (uint64_t)(unsigned)v << 32 | 5;\nv = (int)(word >> 32);"},
    {name = "flexible", effect = "same", header = "struct $pblock {\nint length;\nint values[];\n};", code = "struct $pblock *block = malloc(sizeof *block + 4 * sizeof(int));\nblock->values[2] = v;\nv = block->values[2];\nfree(block);"},
    {name = "overflow", effect = "same", code = "int sum;\nif (__builtin_add_overflow(v, 2, &sum))\n    sum = 0;\nv = sum;"},
    {name = "generic_function", effect = "same", header = "int $psame(int value);\ntypedef void (*$pany)(void);", support = "int $psame(int value)\n{\nreturn value;\n}", code = "$pany any = ($pany)$psame;\nv = ((int (*)(int))any)(v);"},
    {name = "cleanup", effect = "same", header = "extern int $pglobal;\nvoid $pkeep(int *value);", support = "int $pglobal;\nvoid $pkeep(int *value)\n{\n$pglobal = *value;\n}", code = "{\n    __attribute__((cleanup($pkeep))) int kept = v;\n    (void)kept;\n}\nv = $pglobal;"},
    {name = "static_result", effect = "same", header = "int *$pplace(void);", support = "int *$pplace(void)\n{\nstatic int place;\nreturn &place;\n}", code = "*$pplace() = v;\nv = *$pplace();"},
    {name = "loop_of_goto", effect = "same", code = "int left = v & 15, turns = 0;\nagain_$p:\nif (left-- > 0) {\n    turns++;\n    goto again_$p;\n}\nv = turns;"},
    {name = "visited", effect = "same", header = "#include <search.h>\nextern int $pfound;\nint $pcompare(const void *a, const void *b);\nvoid $pvisit(const void *node, VISIT when, int depth);", support = "int $pfound;\nint $pcompare(const void *a, const void *b)\n{\nreturn *(const int *)a - *(const int *)b;\n}\nvoid $pvisit(const void *node, VISIT when, int depth)\n{\n(void)depth;\nif (when == leaf)\n$pfound = **(const int *const *)node;\n}", code = "void *root = NULL;\nint copy = v;\ntsearch(&copy, &root, $pcompare);\ntwalk(root, $pvisit);\ntdelete(&copy, &root, $pcompare);\nv = $pfound;"},
    {name = "overwritten", effect = "nothing", code = "v = workers;"},
    {name = "cut_off", effect = "nothing", code = "v = v < -1000;"},
    {name = "other_cell", effect = "nothing", code = "int cells[2] = {0, 0};\ncells[0] = v;\nv = cells[1];"},
    {name = "other_field", effect = "nothing", code = "struct {\nint one, two;\n} pair = {0, 6};\npair.one = v;\nv = pair.two;"},
}
