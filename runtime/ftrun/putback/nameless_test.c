/* nameless_test: files without a name that processes of two clusters have open. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "putback/putback.h"

#define CLUSTERS 2

static struct ft_member members[CLUSTERS], *member[CLUSTERS] = {&members[0], &members[1]};
static struct ft_cluster clusters[CLUSTERS], *list[CLUSTERS] = {&clusters[0], &clusters[1]};
static int32_t of[CLUSTERS] = {0, 1};
static struct ft_run run = {.clusters = list,
                            .cluster_count = CLUSTERS,
                            .parts = CLUSTERS,
                            .size = CLUSTERS,
                            .members = members,
                            .of = of};
static char name[] = "/tmp/nameless_test-XXXXXX", path[FT_WIRE_PATH];
static int file = -1;

/* A file that has lost its name, open for reading or for both in this process, and then in a child
 * that waits. */
static void both_open(int flags)
{
    strcpy(name + sizeof(name) - 7, "XXXXXX");
    close(mkostemp(name, O_CLOEXEC));
    file = open(name, flags | O_CLOEXEC);
    assert_true(file >= 0);
    unlink(name);
    members[0].pid = getpid();
    members[1].pid = fork();
    if (members[1].pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    for (int i = 0; i < CLUSTERS; i++)
        clusters[i] = (struct ft_cluster){.run = &run, .count = 1, .members = &member[i]};
}

static void both_close(void)
{
    if (file >= 0)
        close(file);
    kill(members[1].pid, SIGKILL);
    waitpid(members[1].pid, NULL, 0);
}

static void a_file_that_one_may_write_is_shared(void **state)
{
    (void)state;
    both_open(O_RDWR);
    assert_true(ft_nameless_shared(&clusters[0], path));
    assert_string_equal(path, name);
    assert_true(ft_nameless_shared(&clusters[1], path));
    of[1] = 0;
    assert_false(ft_nameless_shared(&clusters[0], path));
    of[1] = 1;
    close(file);
    file = -1;
    assert_false(ft_nameless_shared(&clusters[0], path));
    both_close();
}

static void a_file_that_is_read_is_not(void **state)
{
    (void)state;
    both_open(O_RDONLY);
    assert_false(ft_nameless_shared(&clusters[0], path));
    both_close();
}

static void a_file_with_a_name_is_another_matter(void **state)
{
    (void)state;
    both_open(O_RDWR);
    close(file);
    file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_false(ft_nameless_shared(&clusters[0], path));
    both_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_one_may_write_is_shared),
        cmocka_unit_test(a_file_that_is_read_is_not),
        cmocka_unit_test(a_file_with_a_name_is_another_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
