/* hwloc examines the machine once: the second load gives the same machine, bit for bit, and does
 * not look at it; a file that is not complete is none, and nothing happens outside of the start
 * of the library. With the true hwloc, told to look where there is no machine when it must not
 * look. */
#include "start/topology.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <hwloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static char path[64];
static int fd;

static int setup(void **state)
{
    (void)state;
    fd = memfd_create("topology", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return fd < 0;
}

static int teardown(void **state)
{
    (void)state;
    return close(fd);
}

static off_t length(void)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    return status.st_size;
}

/* How something was found out is not what was found. */
static void drop_ways(char *xml)
{
    static const char way[] = "  <support name=\"discovery.";

    for (char *at; (at = strstr(xml, way)) != NULL;) {
        const char *next = strchr(at, '\n') + 1;

        memmove(at, next, strlen(next) + 1);
    }
}

/* As MPICH does it. The caller frees the XML of what was found. */
static char *look(const char *shared, int finds, int *this_system)
{
    hwloc_topology_t topology;
    char *xml, *copy;
    int bytes;

    hwloc_topology_init(&topology);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (shared)
        ft_topology_begin(shared, finds);
    assert_int_equal(hwloc_topology_load(topology), 0);
    ft_topology_end();
    *this_system = hwloc_topology_is_thissystem(topology);
    assert_int_equal(hwloc_topology_export_xmlbuffer(topology, &xml, &bytes, 0), 0);
    copy = strdup(xml);
    drop_ways(copy);
    hwloc_free_xmlbuffer(topology, xml);
    hwloc_topology_destroy(topology);
    return copy;
}

/* Where a look would find nothing. */
static void is_the_same(const char *first, int finds)
{
    int this_system;
    char *again;

    setenv("HWLOC_FSROOT", "/nowhere", 1);
    again = look(path, finds, &this_system);
    unsetenv("HWLOC_FSROOT");
    assert_string_equal(again, first);
    assert_true(this_system); /* binding works */
    free(again);
}

static void is_found_once(void **state)
{
    int this_system;
    char *first = look(path, 1, &this_system);

    (void)state;
    assert_true(length() >= (off_t)strlen(first));
    is_the_same(first, 0);
    is_the_same(first, 1);
    free(first);
}

static void is_left_by_one_rank(void **state)
{
    int this_system;

    (void)state;
    free(look(path, 0, &this_system));
    free(look(NULL, 1, &this_system));
    free(look("/nowhere", 1, &this_system));
    assert_int_equal(length(), 0);
}

static void incomplete_is_none(void **state)
{
    int this_system;
    char *first = look(path, 1, &this_system), *again;
    uint64_t none = 0;

    (void)state;
    assert_int_equal(ftruncate(fd, length() - 1), 0);
    again = look(path, 0, &this_system);
    assert_string_equal(again, first);
    free(again);
    assert_int_equal(pwrite(fd, &none, sizeof none, 0), sizeof none);
    again = look(path, 0, &this_system);
    assert_string_equal(again, first);
    free(again);
    free(first);
}

/* A machine that somebody made hwloc believe in is asked for again each time. */
static void another_machine_is_not_kept(void **state)
{
    int this_system;

    (void)state;
    setenv("HWLOC_SYNTHETIC", "core:3 pu:2", 1);
    free(look(path, 1, &this_system));
    unsetenv("HWLOC_SYNTHETIC");
    assert_false(this_system);
    assert_int_equal(length(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_found_once, setup, teardown),
        cmocka_unit_test_setup_teardown(is_left_by_one_rank, setup, teardown),
        cmocka_unit_test_setup_teardown(incomplete_is_none, setup, teardown),
        cmocka_unit_test_setup_teardown(another_machine_is_not_kept, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
