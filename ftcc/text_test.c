/* A text is read whole, or not. */
#include "ftcc/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* In place of the C library's (CMakeLists.txt): a file system that fails in the middle. */
static int failing;
size_t __real_fread(void *bytes, size_t size, size_t count, FILE *file);
size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file);
int __real_ferror(FILE *file);
int __wrap_ferror(FILE *file);

size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file)
{
    return __real_fread(bytes, size, failing ? count / 2 : count, file);
}

int __wrap_ferror(FILE *file)
{
    return failing || __real_ferror(file);
}

static void half_a_file_is_none(void **state)
{
    char path[] = "/tmp/text_test-XXXXXX";
    struct rw_text text = {.text = NULL};
    int fd = mkstemp(path);

    (void)state;
    assert_int_equal(write(fd, "a line\n", 7), 7);
    close(fd);
    failing = 1;
    assert_int_equal(cc_text_read(path, &text), -EIO);
    failing = 0;
    assert_int_equal(cc_text_read(path, &text), 0);
    assert_string_equal(text.text, "a line\n");
    free(text.text);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(half_a_file_is_none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
