/* Processes that run, stop, are killed, and are gone. */
#include "host/proc.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A child with a name that looks like fields, stopped. */
static pid_t child_start(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "a) Z 1 (b");
        raise(SIGSTOP);
        _exit(3);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    return child;
}

/* An address of the C library lies behind the beginning of its file. */
static void modules_are_found(void **state)
{
    uint64_t base = 0, address = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid");
    char path[PATH_MAX];
    Dl_info info;

    (void)state;
    assert_true(dladdr((void *)(uintptr_t)address, &info));
    assert_int_equal(ft_proc_module(getpid(), address, path, &base), 1);
    assert_non_null(strstr(path, "/libc"));
    assert_int_equal(base, (uintptr_t)info.dli_fbase);
    assert_int_equal(ft_proc_module(getpid(), 16, path, &base), 0);
}

static void who_computes_uses_the_processor(void **state)
{
    pid_t child = child_start();
    double before = ft_proc_used(getpid());
    volatile int turns = 0;

    (void)state;
    while (ft_proc_used(getpid()) < before + 0.03)
        turns++;
    assert_true(turns > 0 && ft_proc_used(child) < 0.03);
    assert_true(ft_proc_used(0) == 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_living_are_not_ending(void **state)
{
    pid_t child = child_start();

    (void)state;
    assert_int_equal(ft_proc_is_ending(0), 0);
    assert_int_equal(ft_proc_is_ending(getpid()), 0);
    assert_int_equal(ft_proc_is_ending(child), 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_killed_are_from_the_moment_of_the_signal(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        pid_t child = child_start();

        kill(child, SIGKILL);
        assert_int_equal(ft_proc_is_ending(child), 1);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(ft_proc_is_ending(child), 0);
    }
}

static void who_ends_by_itself_is_ending_until_it_is_reaped(void **state)
{
    pid_t child = child_start();
    siginfo_t info;

    (void)state;
    kill(child, SIGCONT);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(ft_proc_is_ending(child), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void fields_are_found(void **state)
{
    char text[8192];

    (void)state;
    assert_true(ft_proc_read(getpid(), "status", text, sizeof(text)));
    assert_int_equal(*ft_proc_value(text, "\nState:\t"), 'R');
    assert_string_equal(ft_proc_value(text, "\nNothing:\t"), "");
    assert_false(ft_proc_read(getpid(), "nothing", text, sizeof(text)));
    assert_string_equal(text, "");
    assert_true(ft_proc_read(getpid(), "status", text, 5));
    assert_int_equal(strlen(text), 4);
}

static int note_file(void *context, const struct ft_proc_nameless *file)
{
    struct ft_proc_nameless *found = context;

    found->writes += 1 + 16 * file->writes;
    found->device = file->device;
    found->inode = file->inode;
    snprintf((char *)(uintptr_t)found->path, 64, "%s", file->path);
    return found->writes > 18;
}

/* Open files without a name: one for reading, one for both; those in /dev/shm are a library's. */
static void files_without_a_name_are_found(void **state)
{
    char name[] = "/tmp/proc_test-XXXXXX", path[64] = "";
    struct ft_proc_nameless found = {.path = path};
    struct stat status;
    int writer = mkostemp(name, O_CLOEXEC), reader = open(name, O_RDONLY | O_CLOEXEC);
    int other = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int memory = memfd_create("ft-nameless", MFD_CLOEXEC), code;

    (void)state;
    assert_true(writer >= 0 && reader >= 0 && memory >= 0);
    assert_int_equal(fstat(writer, &status), 0);
    close(memory);
    assert_int_equal(ft_proc_nameless(getpid(), note_file, &found), 0);
    assert_int_equal(found.writes, 0);
    unlink(name);
    code = ft_proc_nameless(getpid(), note_file, &found);
    assert_int_equal(found.writes, 18);
    assert_int_equal(code, 0);
    assert_string_equal(path, name);
    assert_true(found.device == status.st_dev && found.inode == status.st_ino);
    close(reader);
    memory = memfd_create("ft-nameless", MFD_CLOEXEC);
    assert_int_equal(ft_proc_nameless(getpid(), note_file, &found), 1);
    assert_int_equal(ft_proc_nameless(0, note_file, &found), 0);
    close(memory);
    close(writer);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_found),
        cmocka_unit_test(who_computes_uses_the_processor),
        cmocka_unit_test(the_living_are_not_ending),
        cmocka_unit_test(the_killed_are_from_the_moment_of_the_signal),
        cmocka_unit_test(who_ends_by_itself_is_ending_until_it_is_reaped),
        cmocka_unit_test(fields_are_found),
        cmocka_unit_test(files_without_a_name_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
