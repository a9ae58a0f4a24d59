/* pmi_test: requests and their answers, the barrier, deaths in the middle, an epoch behind another.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>
#include "host/pmi.h"

static struct ft_loop *loop;
static struct ft_pmi *pmi;

static int set_up(void **state)
{
    (void)state;
    return ft_loop_create(&loop) || ft_pmi_create(loop, 2, &pmi);
}

static int tear_down(void **state)
{
    (void)state;
    ft_pmi_destroy(pmi);
    ft_loop_destroy(loop);
    return 0;
}

static void stop(void *context)
{
    *(int *)context = 1;
}

/* Lets the process manager serve what has been sent to it. */
static void serve(void)
{
    struct ft_timer timer = {0};
    int done = 0;

    ft_loop_after(loop, &timer, 0.002, stop, &done);
    assert_int_equal(ft_loop_run(loop, &done), 0);
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Reads the bytes that have arrived, as a string that lives until the next call; "" when nothing
 * is, or the connection is closed. */
static const char *heard(int fd)
{
    static char text[4096];
    ssize_t length = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

    text[length > 0 ? length : 0] = 0;
    return text;
}

static void expect(int fd, const char *request, const char *reply)
{
    say(fd, request);
    serve();
    assert_string_equal(heard(fd), reply);
}

static int is_closed(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static void requests_are_answered(void **state)
{
    (void)state;
    ft_pmi_begin(pmi);
    int fd = ft_pmi_open(pmi, 0);

    assert_true(fd >= 0);
    expect(fd, "cmd=init pmi_version=1 pmi_subversion=1\n",
           "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    expect(fd, "cmd=get_maxes\n", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    expect(fd, "cmd=get_appnum\n", "cmd=appnum appnum=0\n");
    expect(fd, "cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=ftrun\n");
    expect(fd, "cmd=get_universe_size\n", "cmd=universe_size size=2\n");
    expect(fd, "cmd=get kvsname=ftrun key=PMI_process_mapping\n",
           "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n");
    expect(fd, "cmd=put kvsname=ftrun key=a value=key=b c\n", "cmd=put_result rc=0 msg=success\n");
    expect(fd, "cmd=put kvsname=ftrun key=a value=key=c d\n", "cmd=put_result rc=0 msg=success\n");
    expect(fd, "cmd=get kvsname=ftrun key=a\n", "cmd=get_result rc=0 msg=success value=key=c d\n");
    expect(fd, "cmd=get kvsname=ftrun key=b\n",
           "cmd=get_result rc=-1 msg=not_found value=unknown\n");
    expect(fd, "cmd=put kvsname=ftrun\n", "cmd=put_result rc=-1 msg=refused\n");
    close(fd);
}

static void requests_may_come_in_pieces(void **state)
{
    (void)state;
    ft_pmi_begin(pmi);
    int fd = ft_pmi_open(pmi, 1);

    expect(fd, "cmd=get_", "");
    expect(fd, "appnum\ncmd=get_max", "cmd=appnum appnum=0\n");
    expect(fd, "es\n", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    close(fd);
}

static void an_unknown_request_closes_the_connection(void **state)
{
    char long_line[4096];

    (void)state;
    ft_pmi_begin(pmi);
    int fd = ft_pmi_open(pmi, 0);
    expect(fd, "mcmd=spawn\n", "");
    assert_true(is_closed(fd));
    close(fd);
    fd = ft_pmi_open(pmi, 0);
    memset(long_line, 'x', sizeof(long_line) - 1);
    long_line[sizeof(long_line) - 1] = 0;
    expect(fd, long_line, "");
    assert_true(is_closed(fd));
    close(fd);
}

static void all_leave_the_barrier_together(void **state)
{
    (void)state;
    ft_pmi_begin(pmi);
    int a = ft_pmi_open(pmi, 0), b = ft_pmi_open(pmi, 1);

    for (int i = 0; i < 2; i++) {
        expect(a, "cmd=barrier_in\n", "");
        expect(b, "cmd=barrier_in\n", "cmd=barrier_out\n");
        assert_string_equal(heard(a), "cmd=barrier_out\n");
    }
    close(a);
    close(b);
}

static void a_death_in_the_barrier_lets_nobody_out(void **state)
{
    (void)state;
    ft_pmi_begin(pmi);
    int a = ft_pmi_open(pmi, 0), b = ft_pmi_open(pmi, 1);

    expect(a, "cmd=barrier_in\n", "");
    close(a);
    expect(b, "cmd=barrier_in\n", "");
    a = ft_pmi_open(pmi, 0);
    expect(a, "cmd=barrier_in\n", "cmd=barrier_out\n");
    assert_string_equal(heard(b), "cmd=barrier_out\n");
    close(a);
    close(b);
}

static void an_epoch_knows_nothing_of_the_one_before(void **state)
{
    (void)state;
    ft_pmi_begin(pmi);
    int a = ft_pmi_open(pmi, 0);

    expect(a, "cmd=put kvsname=ftrun key=a value=1\n", "cmd=put_result rc=0 msg=success\n");
    ft_pmi_begin(pmi);
    assert_true(is_closed(a));
    close(a);
    a = ft_pmi_open(pmi, 0);
    expect(a, "cmd=get kvsname=ftrun key=a\n",
           "cmd=get_result rc=-1 msg=not_found value=unknown\n");
    close(a);
}

static void a_lack_of_descriptors_is_told(void **state)
{
    struct rlimit limit, none;

    (void)state;
    ft_pmi_begin(pmi);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(ft_pmi_open(pmi, 0), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    int fd = ft_pmi_open(pmi, 0);
    expect(fd, "cmd=get_appnum\n", "cmd=appnum appnum=0\n");
    close(fd);
}

static void variables_name_the_rank(void **state)
{
    static const char expected[] = "PMI_RANK=1\0PMI_SIZE=2\0MPI_LOCALRANKID=1\0MPI_LOCALNRANKS=2";
    char text[FT_PMI_VARIABLES];
    unsigned count;

    (void)state;
    assert_int_equal(ft_pmi_variables(pmi, 1, 1, text, &count), sizeof(expected));
    assert_memory_equal(text, expected, sizeof(expected));
    assert_int_equal(count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(requests_may_come_in_pieces),
        cmocka_unit_test(an_unknown_request_closes_the_connection),
        cmocka_unit_test(all_leave_the_barrier_together),
        cmocka_unit_test(a_death_in_the_barrier_lets_nobody_out),
        cmocka_unit_test(an_epoch_knows_nothing_of_the_one_before),
        cmocka_unit_test(a_lack_of_descriptors_is_told),
        cmocka_unit_test(variables_name_the_rank),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
