/* Which files of a link line are the user's. */
#include "ftcc/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const made[] = {"libboth.so", "libboth.a", "libonly.a", "exact.a"};

/* `%` stands for the folder with the files above. */
static const struct {
    const char *line, *expected;
} cases[] = {
    {"a.o b.c %/exact.a -o x.o", "a.o %/exact.a "},
    {"-L% -lboth -lm", "%/libboth.so "},
    {"-L % -l only", "%/libonly.a "},
    {"-lboth -L/no/such -L%", "%/libboth.so "},
    {"-L% -l:exact.a -l:none.a", "%/exact.a "},
    {"-l both", ""},
    {"-I a.o -x c text -x none - c.o", "c.o "},
};

static void fill(char *text, size_t size, const char *pattern, const char *folder)
{
    size_t length = 0;
    for (; *pattern; pattern++)
        length +=
            (size_t)(*pattern == '%' ? snprintf(text + length, size - length, "%s", folder)
                                     : snprintf(text + length, size - length, "%c", *pattern));
    text[length] = '\0';
}

static void check(const char *folder, const char *pattern, const char *expected)
{
    char line[512], wanted[512], found[512] = "";
    const char *arguments[16] = {"ftcc"};
    int count = 1;
    fill(line, sizeof line, pattern, folder);
    fill(wanted, sizeof wanted, expected, folder);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        arguments[count++] = word;
    struct cc_options options;
    UT_array paths;
    cc_options_parse(count, arguments, &options);
    cc_inputs_find(&options, &paths);
    for (char **path = NULL; (path = utarray_next(&paths, path));)
        strcat(strcat(found, *path), " ");
    assert_string_equal(found, wanted);
    utarray_done(&paths);
    cc_options_release(&options);
}

static void libraries_are_found_as_the_linker_does(void **state)
{
    (void)state;
    char folder[] = "/tmp/inputs-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        fclose(fopen(path, "w"));
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(folder, cases[i].line, cases[i].expected);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_found_as_the_linker_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
