/* environment_test: the environment of a store comes back as it was, or with what was wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "host/program.h"

static char *const sample[] = {(char *)(uintptr_t) "A=1", (char *)(uintptr_t) "",
                               (char *)(uintptr_t) "LINES=a\nb", NULL};

static void comes_back(void **state)
{
    struct ft_program program = {0};
    char path[] = "/tmp/environment_test.XXXXXX";

    (void)state;
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(ft_program_save_environment(sample, path), 0);
    assert_int_equal(ft_program_load_environment(path, &program.envp), 0);
    for (int i = 0; sample[i]; i++)
        assert_string_equal(program.envp[i], sample[i]);
    assert_null(program.envp[3]);
    assert_true(ft_program_environment_checksum(program.envp) ==
                ft_program_environment_checksum(sample));
    program.envp[0][2] = '2';
    assert_true(ft_program_environment_checksum(program.envp) !=
                ft_program_environment_checksum(sample));
    ft_program_free(&program);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ft_program_load_environment(path, &program.envp), -ENOENT);
}

/* A store that was read in part cannot be called damaged. */
static void what_cannot_be_read_is_no_environment(void **state)
{
    struct ft_program program = {0};
    char path[] = "/tmp/environment_test.XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(path));
    assert_int_equal(ft_program_load_environment(path, &program.envp), -EISDIR);
    assert_null(program.envp);
    assert_int_equal(rmdir(path), 0);
}

/* Whether the disk is found full by a string or behind them. */
static void full_disk_is_named(void **state)
{
    char *many[100];

    (void)state;
    assert_int_equal(ft_program_save_environment(sample, "/dev/full"), -ENOSPC);
    for (int i = 0; i < 99; i++) {
        many[i] = malloc(1000);
        memset(many[i], 'x', 999);
        many[i][999] = 0;
    }
    many[99] = NULL;
    assert_int_equal(ft_program_save_environment(many, "/dev/full"), -ENOSPC);
    for (int i = 0; i < 99; i++)
        free(many[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(what_cannot_be_read_is_no_environment),
        cmocka_unit_test(full_disk_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
