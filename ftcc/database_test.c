/* compile_commands.json, and the lines in it. */
#include "ftcc/database.h"
#include "ftcc/response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Writes `text` as a database in a folder of its own and reads it by the folder's name. */
static bool database_of(const char *text, UT_array *entries)
{
    char folder[] = "/tmp/database-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/compile_commands.json", folder);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    bool good = cc_database_read(folder, entries);
    unlink(path);
    rmdir(folder);
    return good;
}

static const char *word_of(const struct cc_entry *entry, unsigned number)
{
    return *(char **)utarray_eltptr(&entry->words, number);
}

static void both_kinds_of_commands_are_read(void **state)
{
    (void)state;
    UT_array entries;
    assert_true(database_of(
        "[{\"directory\": \"/a\", \"file\": \"x.c\", \"command\": \"cc -DA='\\\"b c\\\"' x.c\"},"
        " {\"directory\": \"/b\", \"file\": \"/y.c\", \"arguments\": [\"cc\", \"-I a\", \"y.c\"]}]",
        &entries));
    assert_int_equal(utarray_len(&entries), 2);
    const struct cc_entry *first = (struct cc_entry *)utarray_eltptr(&entries, 0);
    const struct cc_entry *second = (struct cc_entry *)utarray_eltptr(&entries, 1);
    assert_string_equal(first->folder, "/a");
    assert_string_equal(first->file, "x.c");
    assert_int_equal(utarray_len(&first->words), 3);
    assert_string_equal(word_of(first, 1), "-DA=\"b c\"");
    assert_string_equal(word_of(second, 1), "-I a");
    utarray_done(&entries);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "{}",
        "[1]",
        "[{}]",
        "[{\"directory\": \"/a\", \"file\": \"x.c\"}]",
        "[{\"directory\": \"/a\", \"file\": 1, \"command\": \"cc x.c\"}]",
        "[{\"directory\": \"/a\", \"file\": \"x.c\", \"arguments\": [\"cc\", 2]}]",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        UT_array entries;
        assert_false(database_of(wrong[i], &entries));
        utarray_done(&entries);
    }
}

static void lines_are_split_as_the_shell_does(void **state)
{
    (void)state;
    static const char line[] = " a 'b c'\"d\\\"e\\f\" g\\ h '' 'i\\j' \\\\";
    static const char *const expected[] = {"a", "b cd\"e\\f", "g h", "", "i\\j", "\\"};
    UT_array words;
    utarray_init(&words, &ut_str_icd);
    cc_response_split(line, &words);
    assert_int_equal(utarray_len(&words), sizeof expected / sizeof *expected);
    for (unsigned i = 0; i < utarray_len(&words); i++)
        assert_string_equal(*(char **)utarray_eltptr(&words, i), expected[i]);
    utarray_done(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_kinds_of_commands_are_read),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(lines_are_split_as_the_shell_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
