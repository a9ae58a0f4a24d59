/* Which files are parsed at all. */
#include "ftcc/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct rw_text text_of(const char *text)
{
    return (struct rw_text){(char *)text, strlen(text)};
}

static void words_are_whole(void **state)
{
    (void)state;
    struct rw_text with = text_of("x=1;for(;;)"), without = text_of("int format, for_it, xfor;");
    assert_true(cc_scan_has_word(&with, "for"));
    assert_false(cc_scan_has_word(&without, "for"));
}

static bool reaches(const char *text, const char *option)
{
    const char *arguments[] = {"ftcc", "-c", option, "a.c"};
    struct cc_options options;
    cc_options_parse(4, arguments, &options);
    struct rw_text source = text_of(text);
    bool answer = cc_scan_includes_mpi("a.c", &source, &options);
    cc_options_release(&options);
    return answer;
}

static void mpi_is_found_through_headers(void **state)
{
    (void)state;
    char folder[] = "/tmp/scan-XXXXXX", path[64], option[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.h", folder);
    snprintf(option, sizeof option, "-I%s", folder);
    FILE *header = fopen(path, "w");
    fputs("#include \"x.h\"\n#include <mpi.h>\n", header);
    fclose(header);
    assert_true(reaches("#include <mpi.h>\n", "-O"));
    assert_true(reaches("# include \"x.h\" /* */\n", option));
    assert_true(reaches("#include HEADER\n", "-O"));
    assert_false(reaches("#include \"x.h\"\n", "-O"));
    assert_false(reaches("/*\n#include <mpi.h>\n*/\n#include <stdio.h>\n", option));
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_whole),
        cmocka_unit_test(mpi_is_found_through_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
