/* The command line as a value. */
#include "ftcc/options.h"
#include "ftcc/response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct {
    const char *words[10];
    enum cc_step step;
    unsigned sources, inputs;
    const char *output;
} cases[] = {
    {{"a.c"}, CC_LINK, 1, 1, NULL},
    {{"-c", "a.c", "-o", "b.o"}, CC_OBJECT, 1, 1, "b.o"},
    {{"-c", "a.c", "-ob.o"}, CC_OBJECT, 1, 1, "b.o"},
    {{"-S", "-c", "a.c"}, CC_ASSEMBLE, 1, 1, NULL},
    {{"-M", "-c", "a.c"}, CC_PREPROCESS, 1, 1, NULL},
    {{"a.o", "b.c", "-lm", "-l", "x"}, CC_LINK, 1, 4, NULL},
    {{"-x", "c", "a", "-", "-x", "none", "b", "c.c"}, CC_LINK, 2, 4, NULL},
    {{"-xc++", "a.c", "-xnone"}, CC_LINK, 0, 1, NULL},
    {{"-I", "a.c", "-MF", "b.c", "-include", "c.c", "d.c"}, CC_LINK, 1, 1, NULL},
    {{"--version"}, CC_LINK, 0, 0, NULL},
    {{"-compile_info"}, CC_OBJECT, 0, 0, NULL},
    {{"-link-info"}, CC_LINK, 0, 0, NULL},
    {{"-link_info"}, CC_LINK, 0, 0, NULL},
    {{"-link", "-l", "-link-info"}, CC_LINK, 0, 2, NULL},
    {{"--compile", "a.c", "--output=b.o", "--language=c", "b"}, CC_OBJECT, 2, 2, "b.o"},
    {{"--preprocess", "a.c", "--output", "b.c"}, CC_PREPROCESS, 1, 1, "b.c"},
    {{"--define-macro", "--compile", "--include=c.c", "a.c"}, CC_LINK, 1, 1, NULL},
};

static void words_are_classified(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *arguments[12] = {"ftcc"};
        int count = 1;
        while (count < 11 && cases[i].words[count - 1]) {
            arguments[count] = cases[i].words[count - 1];
            count++;
        }
        struct cc_options options;
        cc_options_parse(count, arguments, &options);
        assert_int_equal(options.step, cases[i].step);
        assert_int_equal(options.sources, cases[i].sources);
        assert_int_equal(options.inputs, cases[i].inputs);
        if (cases[i].output)
            assert_string_equal(options.output, cases[i].output);
        else
            assert_null(options.output);
        assert_int_equal(options.ask_mpicc || options.tell, cases[i].inputs == 0);
        cc_options_release(&options);
    }
}

static void the_name_tells_the_driver(void **state)
{
    static const struct {
        const char *name;
        enum cc_driver driver;
        unsigned sources; /* of a.c, a.cc and a.f90 */
    } names[] = {{"ftcc", CC_MPICC_DRIVER, 2},       {"/usr/bin/ftcxx", CC_MPICXX_DRIVER, 2},
                 {"ftc++", CC_MPICXX_DRIVER, 2},     {"b/ftfort", CC_MPIFORT_DRIVER, 2},
                 {"ftf90", CC_MPIFORT_DRIVER, 2},    {"ftf77", CC_MPIFORT_DRIVER, 2},
                 {"ftcxx/other", CC_MPICC_DRIVER, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const arguments[] = {names[i].name, "a.c", "a.cc", "a.f90"};
        struct cc_options options;
        cc_options_parse(4, arguments, &options);
        assert_int_equal(options.driver, names[i].driver);
        assert_int_equal(options.sources, names[i].sources);
        assert_true(options.compiles);
        cc_options_release(&options);
    }
}

static void unknown_own_options_are_errors(void **state)
{
    (void)state;
    const char *arguments[] = {"ftcc", "--ft-nothing", "a.c"};
    struct cc_options options;
    cc_options_parse(3, arguments, &options);
    assert_non_null(options.wrong);
    assert_non_null(strstr(options.wrong, "--ft-nothing"));
    cc_options_release(&options);
}

static void reports_are_known_by_their_endings(void **state)
{
    (void)state;
    const char *arguments[] = {"ftcc",       "--ft-report=r.txt",   "--ft-report=a.b/r.json",
                               "a.c",        "--ft-report=r.sarif", "--ft-report=r.html",
                               "--ft-report"};
    static const char *const wrong[] = {"r", "r.htm", "r.txt/x", ".json.", "r.JSON"};
    struct cc_options options;
    cc_options_parse(7, arguments, &options);
    assert_null(options.wrong);
    assert_true(options.report);
    assert_int_equal(utarray_len(&options.reports), 4);
    assert_string_equal(*(char **)utarray_back(&options.reports), "r.html");
    cc_options_release(&options);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char word[64];
        snprintf(word, sizeof word, "--ft-report=%s", wrong[i]);
        cc_options_parse(2, (const char *[]){"ftcc", word}, &options);
        assert_non_null(options.wrong);
        cc_options_release(&options);
    }
}

static void what_was_verified_needs_a_report(void **state)
{
    static const struct {
        const char *words[4];
        bool wrong;
    } verified[] = {
        {{"--ft-verified=v.json", "a.c"}, true},
        {{"--ft-verified=v.json", "--ft-report", "a.c"}, false},
        {{"--ft-verified=v.json", "--ft-report=r.txt", "a.c"}, false},
        {{"--ft-verified=v.json", "--ft-analyze", "a.c"}, false},
        {{"--ft-analyze", "--ft-diff", "a.c", "--ft-verified=v.json"}, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof verified / sizeof *verified; i++) {
        const char *arguments[6] = {"ftcc"};
        int count = 1;
        for (; count <= 4 && verified[i].words[count - 1]; count++)
            arguments[count] = verified[i].words[count - 1];
        struct cc_options options;
        cc_options_parse(count, arguments, &options);
        assert_int_equal(options.wrong != NULL, verified[i].wrong);
        cc_options_release(&options);
    }
}

static const struct {
    const char *words[6];
    bool inspects;
} inspections[] = {
    {{"--ft-report", "app"}, true},
    {{"app", "--ft-report=r.html", "--ft-strict"}, true},
    {{"--ft-report=r.json", "x.o"}, true},
    {{"--ft-judge", "app"}, true},
    {{"--ft-judge", "app.c"}, false},
    {{"--ft-report", "app.c"}, false},
    {{"--ft-report", "app.i"}, false},
    {{"--ft-report", "x.o", "-o", "app"}, false},
    {{"--ft-report", "x.o", "y.o"}, false},
    {{"--ft-report", "-lx"}, false},
    {{"--ft-report", "-"}, false},
    {{"--ft-report"}, false},
    {{"app"}, false},
};

static void one_file_that_is_no_source_is_reported_about(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof inspections / sizeof *inspections; i++) {
        const char *arguments[8] = {"ftcc"};
        int count = 1;
        for (; inspections[i].words[count - 1]; count++)
            arguments[count] = inspections[i].words[count - 1];
        struct cc_options options;
        cc_options_parse(count, arguments, &options);
        assert_int_equal(options.inspect, inspections[i].inspects);
        cc_options_release(&options);
    }
}

static void a_database_is_one_only_in_an_analysis(void **state)
{
    (void)state;
    struct cc_options options;
    cc_options_parse(4, (const char *[]){"ftcc", "-p", "build", "--ft-analyze"}, &options);
    assert_true(options.analyze);
    assert_string_equal(options.database, "build");
    assert_int_equal(options.inputs, 0);
    cc_options_release(&options);
    cc_options_parse(3, (const char *[]){"ftcc", "-p", "a.c"}, &options);
    assert_null(options.database);
    assert_int_equal(options.sources, 1);
    cc_options_release(&options);
}

static void response_files_are_read_as_gcc_does(void **state)
{
    (void)state;
    char path[] = "/tmp/response-XXXXXX", argument[64];
    static const char text[] = "-c  'a b.c'\n\"c\\\"d\" e\\ f ''g";
    static const char *const expected[] = {"-c", "a b.c", "c\"d", "e f", "g"};
    int file = mkstemp(path);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    snprintf(argument, sizeof argument, "@%s", path);
    UT_array words;
    utarray_init(&words, &ut_str_icd);
    cc_response_expand(argument, &words);
    unlink(path);
    cc_response_expand(argument, &words);
    assert_int_equal(utarray_len(&words), 6);
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(*(char **)utarray_eltptr(&words, i), expected[i]);
    assert_string_equal(*(char **)utarray_eltptr(&words, 5), argument);
    utarray_done(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_classified),
        cmocka_unit_test(the_name_tells_the_driver),
        cmocka_unit_test(unknown_own_options_are_errors),
        cmocka_unit_test(reports_are_known_by_their_endings),
        cmocka_unit_test(what_was_verified_needs_a_report),
        cmocka_unit_test(one_file_that_is_no_source_is_reported_about),
        cmocka_unit_test(a_database_is_one_only_in_an_analysis),
        cmocka_unit_test(response_files_are_read_as_gcc_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
