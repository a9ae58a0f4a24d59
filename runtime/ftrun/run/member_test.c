/* member_test: the process group of a rank that has ended. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/run.h"

static struct ft_member members[2];
static struct ft_run run = {.size = 2, .members = members};
static int forgotten;

void ft_shm_forget(struct ft_shm *shm, int rank)
{
    (void)shm;
    forgotten |= 1 << rank;
}

static pid_t start(pid_t group)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    assert_int_equal(setpgid(pid, group), 0);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The rank's children are still killed at the end of the run; a number without processes is not. */
static void group_is_forgotten_with_its_last_process(void **state)
{
    pid_t rank = start(0), helper = start(rank), other = start(0);

    (void)state;
    members[0] = (struct ft_member){.run = &run, .rank = 0, .group = rank, .ended = 1};
    members[1] = (struct ft_member){.run = &run, .rank = 1, .group = other};
    end(rank);
    ft_rank_forget_groups(&run);
    assert_int_equal(members[0].group, rank);
    end(helper);
    end(other); /* a death: whoever is left of it is killed */
    ft_rank_forget_groups(&run);
    assert_int_equal(members[0].group, 0);
    assert_int_equal(members[1].group, other);
    assert_int_equal(forgotten, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_is_forgotten_with_its_last_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
