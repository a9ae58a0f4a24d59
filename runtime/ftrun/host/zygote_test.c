/* zygote_test: one that ends is found out, and its number is left alone. This program is the
 * zygote, too, when it has got a socket. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/zygote.h"
#include "wire/wire.h"

enum { CONTROL = 3 };

static char buffer[FT_WIRE_MAX];
static int kills;

/* In place of the C library's. */
int kill(pid_t pid, int number)
{
    (void)pid;
    (void)number;
    kills++;
    return 0;
}

/* Answers the first order with an error, and ends at the second one. */
static int be_zygote(void)
{
    struct ft_wire_hello hello = {.version = FT_WIRE_VERSION};
    struct ft_wire_number failure = {-EAGAIN};
    int fd;

    ft_wire_send(CONTROL, FT_WIRE_HELLO, &hello, sizeof(hello), NULL, 0, -1);
    ft_wire_receive(CONTROL, 1, buffer, &fd); /* BOOT */
    ft_wire_receive(CONTROL, 1, buffer, &fd);
    ft_wire_send(CONTROL, FT_WIRE_SPAWNED, &failure, sizeof(failure), NULL, 0, -1);
    ft_wire_receive(CONTROL, 1, buffer, &fd);
    return 0;
}

static void end_is_found_out(void **state)
{
    char *argv[] = {(char[]){"zygote"}, NULL}, *envp[] = {(char[]){FT_WIRE_ENV "=0003"}, NULL};
    struct ft_spawn spawn = {.path = "/proc/self/exe", .argv = argv, .envp = envp};
    struct ft_zygote *zygote;
    char why[512] = "";
    int pair[2];
    pid_t pid;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < FT_SPAWN_FDS; i++)
        spawn.fds[i] = pair[1];
    assert_int_equal(ft_zygote_start(&spawn, &zygote, why, sizeof(why)), 0);
    assert_int_equal(ft_zygote_fork(zygote, &spawn, pair[0], why, sizeof(why)), -EAGAIN);
    assert_non_null(strstr(why, "cannot start a process for /proc/self/exe"));
    for (int i = 0; i < 2; i++) { /* it ends, it has ended */
        assert_int_equal(ft_zygote_fork(zygote, &spawn, pair[0], why, sizeof(why)), -EPIPE);
        assert_non_null(strstr(why, "the process that all ranks are forked from has ended"));
        if (i == 0)
            pid = waitpid(-1, NULL, 0);
    }
    assert_int_equal(ft_zygote_reaped(zygote, pid + 1), 0);
    assert_int_equal(ft_zygote_reaped(NULL, pid), 0);
    assert_int_equal(ft_zygote_reaped(zygote, pid), 1);
    ft_zygote_destroy(zygote);
    assert_int_equal(kills, 0);
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(end_is_found_out)};

    return getenv(FT_WIRE_ENV) ? be_zygote() : cmocka_run_group_tests(tests, NULL, NULL);
}
