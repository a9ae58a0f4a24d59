/* memory_test: what a machine and its control groups leave, from files as the kernel has them. */
#include "host/memory.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static char root[] = "/tmp/memory_test.XXXXXX";
static char folder[64];

static void write_file(const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s%s", folder, name);
    for (char *at = strchr(path + strlen(folder) + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(uint64_t total, uint64_t left)
{
    struct ft_memory memory;

    ft_memory_look(folder, &memory);
    assert_int_equal(memory.total, total);
    assert_int_equal(memory.left, left);
}

/* A machine of 1000 kB of which 600 are left. */
static int make_machine(void **state)
{
    static int number;

    (void)state;
    snprintf(folder, sizeof(folder), "%s/%d", root, number++);
    mkdir(folder, 0700);
    write_file("/proc/meminfo", "MemTotal:     1000 kB\nMemFree: 10 kB\nMemAvailable:  600 kB\n");
    return 0;
}

static void nothing_is_known_without_files(void **state)
{
    (void)state;
    strcat(folder, "/none");
    expect(UINT64_MAX, UINT64_MAX);
}

static void the_machine_alone(void **state)
{
    (void)state;
    expect(1024000, 614400);
    write_file("/proc/self/cgroup", "0::/\n");
    expect(1024000, 614400);
    write_file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable");
    expect(1024000, UINT64_MAX);
}

static void a_group_and_those_above_it(void **state)
{
    (void)state;
    write_file("/proc/self/cgroup", "0::/job/step\n");
    write_file("/sys/fs/cgroup/job/step/memory.max", "max\n");
    write_file("/sys/fs/cgroup/job/step/memory.current", "200000\n");
    expect(1024000, 614400);
    write_file("/sys/fs/cgroup/job/memory.max", "500000\n");
    write_file("/sys/fs/cgroup/job/memory.current", "300000\n");
    expect(500000, 200000);
    write_file("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 40000\nactive_file 50000");
    expect(500000, 290000);
    write_file("/sys/fs/cgroup/job/step/memory.max", "199999\n");
    expect(199999, 0);
    write_file("/sys/fs/cgroup/job/memory.stat", "inactive_file 400000\n");
    expect(199999, 0);
}

/* A container sees its own group where the hierarchy is mounted, and perhaps the host's path. */
static void a_container(void **state)
{
    (void)state;
    write_file("/proc/self/cgroup", "12:memory,hugetlb:/docker/0123\n11:cpu:/else\n");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "400000\n");
    write_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
    write_file("/sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 1000\n");
    write_file("/sys/fs/cgroup/memory/else/memory.limit_in_bytes", "1\n");
    write_file("/sys/fs/cgroup/memory/else/memory.usage_in_bytes", "1\n");
    expect(400000, 301000);
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect(1024000, 614400);
}

static void both_versions_at_once(void **state)
{
    (void)state;
    write_file("/proc/self/cgroup", "4:memory:/job\n1:name=memory:/else\n0::/job\n");
    write_file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "400000\n");
    write_file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000\n");
    write_file("/sys/fs/cgroup/unified/job/memory.max", "350000\n");
    write_file("/sys/fs/cgroup/unified/job/memory.current", "10000\n");
    expect(350000, 300000);
}

static void broken_files_say_nothing(void **state)
{
    (void)state;
    write_file("/proc/self/cgroup", "\n:\n0\n0:\n0::\nx:memory\n::::\n4:memory:/job");
    write_file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "");
    write_file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "none\n");
    expect(1024000, 614400);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#define CASE(name) cmocka_unit_test_setup(name, make_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nothing_is_known_without_files), CASE(the_machine_alone),
        CASE(a_group_and_those_above_it),     CASE(a_container),
        CASE(both_versions_at_once),          CASE(broken_files_say_nothing),
    };

    return cmocka_run_group_tests(tests, make_root, remove_root);
}
