/* wire_test: messages arrive whole, with their descriptor, and nonsense is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "wire/wire.h"

static int pair[2];
static char buffer[FT_WIRE_MAX];

static int open_pair(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
    (void)state;
    close(pair[0]);
    close(pair[1]);
    return 0;
}

static void carries_payload_and_tail(void **state)
{
    struct ft_wire_number number = {.value = 42};
    int fd;

    (void)state;
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_REFUSED, &number, sizeof(number), "why", 4, -1),
                     0);
    assert_int_equal(ft_wire_receive(pair[1], 0, buffer, &fd),
                     sizeof(struct ft_wire_head) + sizeof(number) + 4);
    assert_int_equal(fd, -1);
    const struct ft_wire_number *got = ft_wire_payload(buffer, sizeof(*got));
    assert_non_null(got);
    assert_int_equal(got->value, 42);
    assert_string_equal((const char *)(got + 1), "why");
    assert_null(ft_wire_payload(buffer, sizeof(number) + 5));
}

static void take_list(struct ft_wire_traffic *list, int count)
{
    const struct ft_wire_number *first;
    size_t bytes;
    int fd;

    for (int at = 0; at < count; at += (int)(bytes / sizeof(*list))) {
        ssize_t length = ft_wire_receive(pair[1], 1, buffer, &fd);

        assert_true(length > 0);
        bytes = (size_t)length - sizeof(struct ft_wire_head) - sizeof(*first);
        first = ft_wire_payload(buffer, sizeof(*first));
        assert_true(bytes <= FT_WIRE_MAX && bytes % sizeof(*list) == 0);
        assert_int_equal(first->value, at);
        assert_true(at + (int)(bytes / sizeof(*list)) <= count);
        memcpy(list + at, first + 1, bytes);
    }
}

/* The counts of messages that each rank has sent to each of very many others. */
static void carries_a_list_of_any_length(void **state)
{
    enum { COUNT = 16384 };
    static struct ft_wire_traffic list[COUNT], got[COUNT];
    int status, fd;

    (void)state;
    for (unsigned i = 0; i < COUNT; i++)
        list[i] = (struct ft_wire_traffic){i, 3 * i + 1};
    pid_t child = fork();
    if (child == 0)
        _exit(ft_wire_send_list(pair[0], FT_WIRE_TRAFFIC, list, sizeof(list[0]), COUNT) != 0);
    close(pair[0]);
    take_list(got, COUNT);
    assert_memory_equal(list, got, sizeof(list));
    assert_int_equal(ft_wire_receive(pair[1], 1, buffer, &fd), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void carries_a_descriptor(void **state)
{
    int fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)state;
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_PMI, NULL, 0, NULL, 0, null), 0);
    assert_int_equal(ft_wire_receive(pair[1], 1, buffer, &fd), sizeof(struct ft_wire_head));
    assert_true(fd >= 0 && fd != null);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    close(null);
}

/* Not as if none had been sent. */
static void tells_of_a_descriptor_that_has_no_place(void **state)
{
    struct rlimit limit;
    int fd;

    (void)state;
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_LEFT, NULL, 0, NULL, 0, pair[0]), 0);
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_HOOK, NULL, 0, NULL, 0, -1), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(ft_wire_receive(pair[1], 1, buffer, &fd), sizeof(struct ft_wire_head));
    assert_int_equal(fd, -EMFILE);
    assert_int_equal(ft_wire_receive(pair[1], 1, buffer, &fd), sizeof(struct ft_wire_head));
    assert_int_equal(fd, -1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void reports_end_and_absence(void **state)
{
    int fd;

    (void)state;
    assert_int_equal(ft_wire_receive(pair[1], 0, buffer, &fd), -EAGAIN);
    shutdown(pair[0], SHUT_RDWR);
    assert_int_equal(ft_wire_receive(pair[1], 0, buffer, &fd), 0);
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_HOOK, NULL, 0, NULL, 0, -1), -EPIPE);
}

static void refuses_nonsense(void **state)
{
    int fd;

    (void)state;
    assert_int_equal(send(pair[0], "abc", 3, 0), 3);
    assert_int_equal(ft_wire_receive(pair[1], 0, buffer, &fd), -EPROTO);
    struct ft_wire_head lie = {.type = FT_WIRE_GATE, .length = 100};
    assert_int_equal(send(pair[0], &lie, sizeof(lie), 0), sizeof(lie));
    assert_int_equal(ft_wire_receive(pair[1], 0, buffer, &fd), -EPROTO);
    assert_int_equal(ft_wire_send(pair[0], FT_WIRE_GATE, NULL, 0, buffer, FT_WIRE_MAX, -1),
                     -EMSGSIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(carries_payload_and_tail, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(carries_a_list_of_any_length, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(carries_a_descriptor, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(tells_of_a_descriptor_that_has_no_place, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(reports_end_and_absence, open_pair, close_pair),
        cmocka_unit_test_setup_teardown(refuses_nonsense, open_pair, close_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
