/* allocation: what the environment of a job of Slurm tells. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "options/allocation.h"

static const struct {
    const char *names, *tasks;
    const char *hosts; /* or what the sentence says */
    int code;
} cases[] = {
    {"n0\nn1\n", "2(x2)", "n0:2 n1:2 ", 0},
    {"n0\nn1\nn2\n", "2(x2),1", "n0:2 n1:2 n2:1 ", 0},
    {"a-ib1\nb.x\nc_3", "16,8,4", "a-ib1:16 b.x:8 c_3:4 ", 0},
    {"n0\nn1\n", "1", "is not a number for each node", -EINVAL},
    {"n0\n", "1(x2)", "is not a number for each node", -EINVAL},
    {"n0\nn1\n", "2,", "is not a number for each node", -EINVAL},
    {"n0\nn1\n", NULL, "is not a number for each node", -EINVAL},
    {"n0\n", "0", "is not a number for each node", -EINVAL},
    {"n0\n", "x", "is not a number for each node", -EINVAL},
    {"n0\nn0\n", "1(x2)", "node n0 is named twice", -EINVAL},
    {"n0;rm\n", "1", "is not NAME or NAME:SLOTS", -EINVAL},
};

static void test_hosts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ft_hosts hosts = {0};
        char why[512] = "", text[512] = "";
        int code = ft_allocation_hosts(cases[i].names, cases[i].tasks, &hosts, why, sizeof(why));

        for (int k = 0; k < hosts.count; k++)
            sprintf(text + strlen(text), "%s:%d ", hosts.host[k].name, hosts.host[k].slots);
        if (code != cases[i].code || !strstr(code ? why : text, cases[i].hosts))
            fail_msg("%s with %s: %d, '%s' '%s'", cases[i].names, cases[i].tasks, code, text, why);
        ft_hosts_free(&hosts);
    }
}

static void expect_time(const char *text, int code, double wanted)
{
    double seconds = 0;

    assert_int_equal(ft_allocation_time(text, &seconds), code);
    assert_true(seconds == wanted);
}

static void test_time(void **state)
{
    (void)state;
    expect_time("30\n", 0, 30);
    expect_time("0:59\n", 0, 59);
    expect_time("59:30\n", 0, 3570);
    expect_time("1:00:01\n", 0, 3601);
    expect_time("2-01:00:00\n", 0, 2 * 86400 + 3600);
    expect_time("UNLIMITED\n", -ENOENT, 0);
    expect_time("INVALID\n", -EINVAL, 0);
    expect_time("NOT_SET\n", -EINVAL, 0);
    expect_time("", -EINVAL, 0);
    expect_time("1:2:3:4\n", -EINVAL, 0);
}

static void test_environment(void **state)
{
    struct ft_allocation allocation;

    (void)state;
    unsetenv("SLURM_JOB_ID");
    ft_allocation_look(&allocation);
    assert_null(allocation.job);
    setenv("SLURM_JOB_ID", "12", 1);
    setenv("SLURM_JOB_NODELIST", "n[0-1]", 1);
    setenv("SLURM_JOB_NUM_NODES", "2", 1);
    setenv("SLURM_NTASKS", "4", 1);
    unsetenv("SLURM_STEP_NUM_TASKS");
    setenv("SLURMD_NODENAME", "n0", 1);
    ft_allocation_look(&allocation);
    assert_string_equal(allocation.job, "12");
    assert_int_equal(allocation.nodes, 2);
    assert_int_equal(allocation.tasks, 4);
    assert_false(allocation.here);
    setenv("SLURM_JOB_NODELIST", "n0", 1);
    assert_int_equal(allocation.parts, 0);
    setenv("SLURM_HET_SIZE", "2", 1);
    setenv("SLURM_STEP_NUM_TASKS", "3", 1);
    ft_allocation_look(&allocation);
    assert_true(allocation.here);
    assert_int_equal(allocation.copies, 3);
    assert_int_equal(allocation.parts, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts), cmocka_unit_test(test_time),
                                       cmocka_unit_test(test_environment)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
