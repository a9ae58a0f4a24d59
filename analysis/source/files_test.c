/* Whole files: headers beside and elsewhere, what is left out, words, gaps, what clang rejects. */
#include "analysis/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static char folder[] = "/tmp/files_test_XXXXXX";
static char path[256], include_flag[256], system_folder[256];

static void file_write(const char *name, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", folder, name);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int folder_make(void **state)
{
    (void)state;
    char sub[256];
    if (!mkdtemp(folder))
        return -1;
    static const char *const names[] = {"src", "src/below", "other", "system"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(sub, sizeof sub, "%s/%s", folder, names[i]);
        mkdir(sub, 0700);
    }
    snprintf(path, sizeof path, "%s/src/a.c", folder);
    snprintf(include_flag, sizeof include_flag, "-I%s/other", folder);
    snprintf(system_folder, sizeof system_folder, "%s/system", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct an_unit *unit_read(const char *text)
{
    const char *const flags[] = {"-c",          "-g", include_flag, "-isystem",
                                 system_folder, "-o", "x.o",        NULL};
    file_write("src/a.c", text);
    return an_source_read(path, NULL, 0, flags);
}

static void names_join(const struct an_node *list, char *out)
{
    *out = '\0';
    for (; list; list = list->next) {
        strcat(out, list->name);
        strcat(out, list->next ? " " : "");
    }
}

static void functions_of_headers_are_there_when_reached(void **state)
{
    (void)state;
    file_write("src/below/own.h", "static inline int own(int i) { return i; }\n"
                                  "static int inner(int i) { return own(i); }\n"
                                  "static int unused(int i) { return i; }\n"
                                  "inline int loose(int i) { return i; }\n");
    file_write("other/far.h", "static int far(int i) { return i; }\nint whole(void) { return 1; }\n"
                              "static int table(int i) { return i; }\n");
    file_write("system/sys.h", "static inline int sys(int i) { return i; }\n");
    struct an_unit *unit =
        unit_read("#include \"below/own.h\"\n#include <far.h>\n#include <sys.h>\n"
                  "static int later(int i);\n"
                  "int (*pointer)(int) = table;\nstatic int alone;\n"
                  "int main(void) { return later(sys(2)) + inner(3); }\n"
                  "static int never(int i) { return i; }\n"
                  "static int later(int i) { return i; }\n");
    assert_null(unit->problem);
    char names[256];
    names_join(unit->functions, names);
    assert_string_equal(names, "own inner whole table main never later");
    names_join(unit->variables, names);
    assert_string_equal(names, "pointer alone");
    assert_true(an_body(unit->functions)->editable);
    assert_false(an_body(unit->functions->next->next)->editable);
    assert_non_null(strstr(unit->functions->place.file, "below/own.h"));
    an_unit_destroy(unit);
}

static void mpi_is_a_system_header(void **state)
{
    (void)state;
    file_write("other/mpi.h", "int MPI_Send(int); static inline int helper(void) { return 1; }\n");
    struct an_unit *unit =
        unit_read("#include <mpi.h>\nint main(void) { return MPI_Send(helper()); }\n");
    assert_null(unit->problem);
    assert_string_equal(unit->functions->name, "main");
    assert_null(unit->functions->next);
    assert_true(an_body(unit->functions)->child->child->system);
    an_unit_destroy(unit);
}

static void gaps_name_the_calls_in_them(void **state)
{
    (void)state;
    struct an_unit *unit =
        unit_read("#if 0\nint f(void);\n#endif\n#ifdef NEVER\n  MPI_Send(1); /* MPI_Bcast(2) */\n"
                  "  PMPI_Recv (3); MPI_Send(4); x = \"MPI_Scan(1)\"; don't MPI_COMM_WORLD;\n"
                  "  int MPI_SUM(1), my_MPI_Barrier(2); MPI_Comm c;\n#else\nint x;\n#endif\n");
    const struct an_gap *gap = unit->gaps;
    assert_int_equal(gap->first, 1);
    assert_int_equal(gap->last, 3);
    assert_string_equal(gap->calls, "");
    assert_ptr_equal(gap->file, unit->path);
    gap = gap->next;
    assert_int_equal(gap->first, 4);
    assert_int_equal(gap->last, 8);
    assert_string_equal(gap->calls, "MPI_Send PMPI_Recv");
    assert_null(gap->next);
    an_unit_destroy(unit);
}

static void words_are_comments(void **state)
{
    (void)state;
    file_write("src/below/word.h", "int y; // ftcc:deterministic\n");
    file_write("other/far.h", "int z; // ftcc: of no user's file\n");
    struct an_unit *unit =
        unit_read("#include \"below/word.h\"\n#include <far.h>\n/* ftcc: pattern a */ int x;\n"
                  "  /* ftcc:\n  unknown   */\nint g; // ftcc: send-deterministic\n"
                  "/* see ftcc: not one */ const char *s = \"/* ftcc: nor this */\";\n");
    static const struct {
        unsigned line;
        bool alone;
        const char *text;
    } expected[] = {{3, true, "pattern a"},
                    {5, true, "unknown"},
                    {6, false, "send-deterministic"},
                    {1, false, "deterministic"}};
    const struct an_word *word = unit->words;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, word = word->next) {
        assert_non_null(word);
        assert_int_equal(word->line, expected[i].line);
        assert_int_equal(word->alone, expected[i].alone);
        assert_string_equal(word->text, expected[i].text);
    }
    assert_null(word);
    an_unit_destroy(unit);
}

static void the_unit_knows_its_file(void **state)
{
    (void)state;
    static const char text[] = "/* \n */\n#include <stddef.h>\n\nint x;\nvoid ft_hook(void);\n"
                               "int main(void) { ft_hook(); return x; }\n";
    struct an_unit *unit = unit_read(text);
    assert_null(unit->problem);
    assert_string_equal(unit->path, path);
    char *here = getcwd(NULL, 0);
    assert_string_equal(unit->folder, here);
    free(here);
    assert_int_equal(unit->first_declaration, strstr(text, "int x") - text);
    assert_true(unit->hooked_by_hand);
    assert_true(unit->digest == XXH64(text, strlen(text), 0));
    an_unit_destroy(unit);
    unit = unit_read("/* nothing */\n");
    assert_null(unit->problem);
    assert_int_equal(unit->first_declaration, 14);
    assert_false(unit->hooked_by_hand);
    an_unit_destroy(unit);
}

static void text_stands_in_for_the_file(void **state)
{
    (void)state;
    static const char *const flags[] = {NULL};
    file_write("src/a.c", "int on_disk(void) { return 1; }\n");
    struct an_unit *unit = an_source_read(path, "int given(void) { return 1; } no", 29, flags);
    assert_null(unit->problem);
    assert_string_equal(unit->functions->name, "given");
    assert_true(unit->digest == XXH64("int given(void) { return 1; }", 29, 0));
    an_unit_destroy(unit);
}

static void what_clang_rejects_is_a_problem(void **state)
{
    (void)state;
    struct an_unit *unit = unit_read("int main(void)\n{\n  int f(void) { return 0; }\n}\n");
    assert_non_null(strstr(unit->problem, "src/a.c:3:"));
    assert_null(unit->functions);
    an_unit_destroy(unit);
    unit = unit_read("#include \"nowhere.h\"\nint x;\n");
    assert_non_null(strstr(unit->problem, "a.c:1:10: 'nowhere.h' file not found"));
    an_unit_destroy(unit);
    static const char *const flags[] = {NULL};
    unit = an_source_read("/nonexistent/a.c", NULL, 0, flags);
    assert_non_null(unit->problem);
    an_unit_destroy(unit);
}

static void what_gcc_takes_is_no_problem(void **state)
{
    (void)state;
    struct an_unit *unit =
        unit_read("f(a) int *a; { return g(a); } int *h(void) { return 1; }\n"
                  "void k(void) { return 3; } int (*p)(char *) = f; x;\n"
                  "int m(void) { return; } char *s = 3; int vla(int n) "
                  "{ struct { int a[2]; } __attribute__((unknown)) l; return l.a[n]; }\n");
    if (unit->problem)
        fail_msg("%s", unit->problem);
    assert_string_equal(unit->functions->name, "f");
    assert_int_equal(an_children(unit->functions), 2);
    an_unit_destroy(unit);
}

static void flags_that_clang_refuses_do_no_harm(void **state)
{
    (void)state;
    static const char *const flags[] = {"-mno-such-thing", "-fno-such", "-march=pdp11", "-O2",
                                        "-std=gnu99",      "-DX=3",     "-U",           "Y",
                                        "-Wl,-z,now",      NULL};
    static const char text[] = "#ifdef Y\n#error Y\n#endif\nint x = X;\n";
    struct an_unit *unit = an_source_read("t.c", text, strlen(text), flags);
    assert_null(unit->problem);
    assert_int_equal(unit->variables->child->value, 3);
    an_unit_destroy(unit);
}

static void openmp_has_its_header(void **state)
{
    (void)state;
    static const char *const flags[] = {"-fopenmp", NULL};
    static const char text[] = "#include <omp.h>\nint f(void) { return omp_get_num_threads(); }\n";
    struct an_unit *unit = an_source_read("t.c", text, strlen(text), flags);
    if (unit->problem)
        fail_msg("%s", unit->problem);
    assert_true(an_body(unit->functions)->child->child->system);
    an_unit_destroy(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_headers_are_there_when_reached),
        cmocka_unit_test(mpi_is_a_system_header),
        cmocka_unit_test(gaps_name_the_calls_in_them),
        cmocka_unit_test(words_are_comments),
        cmocka_unit_test(the_unit_knows_its_file),
        cmocka_unit_test(text_stands_in_for_the_file),
        cmocka_unit_test(what_clang_rejects_is_a_problem),
        cmocka_unit_test(what_gcc_takes_is_no_problem),
        cmocka_unit_test(flags_that_clang_refuses_do_no_harm),
        cmocka_unit_test(openmp_has_its_header),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
