/* A program with many shared libraries: all they can write to is part of its image. */
#include "image/modules.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LIBRARIES 120

static struct ft_modules modules;

/* A library is loaded again only from another file: a copy that is gone at once. */
static void *library_load(void)
{
    char path[] = "/tmp/ft_modules_XXXXXX";
    int from = open(MODULES_STUB, O_RDONLY), to = mkstemp(path);
    struct stat stat;
    void *library;

    assert_true(from >= 0 && to >= 0);
    assert_int_equal(fstat(from, &stat), 0);
    assert_int_equal(sendfile(to, from, NULL, (size_t)stat.st_size), stat.st_size);
    close(from);
    close(to);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail_msg("%s", dlerror());
    unlink(path);
    return library;
}

static int is_part(uintptr_t address)
{
    for (int i = 0; i < modules.parts; i++)
        if (address >= modules.part[i].begin && address < modules.part[i].end)
            return 1;
    return 0;
}

static void check_part(void *library, const char *name)
{
    char *(*where)(void) = (char *(*)(void))dlsym(library, name);

    assert_non_null(where);
    if (!is_part((uintptr_t)where()))
        fail_msg("%s is no part of the image", name);
}

static void many_libraries_are_found(void **state)
{
    static void *library[LIBRARIES];

    (void)state;
    for (int i = 0; i < LIBRARIES; i++) {
        library[i] = library_load();
        ((char *(*)(void))dlsym(library[i], "modules_stub_thread"))();
    }
    ft_modules_find(&modules);
    for (int i = 0; i < LIBRARIES; i++) {
        check_part(library[i], "modules_stub_data");
        check_part(library[i], "modules_stub_zeros");
        check_part(library[i], "modules_stub_thread");
        assert_true(
            ft_modules_may_be_left(&modules, (uintptr_t)dlsym(library[i], "modules_stub_data")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_libraries_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
