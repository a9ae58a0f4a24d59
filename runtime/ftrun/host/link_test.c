/* link_test: two ends in one process; wrong secrets, noise, changed and repeated bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>
#include "host/link.h"

struct end {
    struct ft_link *link;
    int ready, ended, count;
    char why[128];
    char last[64];
    size_t length;
};

static struct ft_loop *loop;
static struct end ends[2];

static void on_ready(void *context)
{
    ((struct end *)context)->ready = 1;
}

static void on_heard(void *context, const void *message, size_t length)
{
    struct end *end = context;

    end->count++;
    end->length = length;
    memcpy(end->last, message, length < sizeof(end->last) ? length : sizeof(end->last));
}

static void on_ended(void *context, const char *why)
{
    struct end *end = context;

    end->ended = 1;
    strncpy(end->why, why, sizeof(end->why) - 1);
}

static void stop(void *context)
{
    *(int *)context = 1;
}

static void serve(void)
{
    struct ft_timer timer = {0};
    int done = 0;

    ft_loop_after(loop, &timer, 0.01, stop, &done);
    assert_int_equal(ft_loop_run(loop, &done), 0);
}

static void make(int number, int fd, unsigned char secret)
{
    unsigned char bytes[FT_LINK_SECRET];
    struct ft_link_calls calls = {
        .ready = on_ready, .heard = on_heard, .ended = on_ended, .context = &ends[number]};

    memset(bytes, secret, sizeof(bytes));
    assert_int_equal(ft_link_create(loop, fd, bytes, number, &calls, &ends[number].link), 0);
    ft_link_trust(ends[number].link, &calls);
}

static int set_up(void **state)
{
    (void)state;
    memset(ends, 0, sizeof(ends));
    return ft_loop_create(&loop);
}

static int tear_down(void **state)
{
    (void)state;
    ft_link_destroy(ends[0].link);
    ft_link_destroy(ends[1].link);
    ft_loop_destroy(loop);
    return 0;
}

static void messages_come_whole_and_in_order(void **state)
{
    int pair[2];
    char *large = calloc(1, 1 << 20);

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    make(0, pair[0], 1);
    make(1, pair[1], 1);
    serve();
    assert_true(ends[0].ready && ends[1].ready);
    assert_int_equal(ft_link_send(ends[0].link, "head", 4, "body", 5), 0);
    serve();
    assert_int_equal(ends[1].length, 9);
    assert_string_equal(ends[1].last, "headbody");
    for (int i = 0; i < 8; i++)
        assert_int_equal(ft_link_send(ends[1].link, &i, sizeof(i), large, 1 << 20), 0);
    for (int i = 0; i < 20 && ends[0].count < 8; i++)
        serve();
    assert_int_equal(ends[0].count, 8);
    assert_int_equal(ends[0].last[0], 7);
    assert_int_equal(ft_link_waiting(ends[1].link), 0);
    free(large);
}

static void another_secret_is_noticed(void **state)
{
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    make(0, pair[0], 1);
    make(1, pair[1], 2);
    serve();
    ft_link_send(ends[0].link, "x", 1, NULL, 0);
    serve();
    assert_true(ends[1].ended);
    assert_int_equal(ends[1].count, 0);
}

static void noise_is_noticed(void **state)
{
    int pair[2];
    char noise[200];

    (void)state;
    memset(noise, 'n', sizeof(noise));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    make(1, pair[1], 1);
    assert_int_equal(write(pair[0], noise, sizeof(noise)), sizeof(noise));
    serve();
    assert_true(ends[1].ended);
    assert_string_equal(ends[1].why, "it does not speak this protocol, or another version of it");
    close(pair[0]);
}

/* Somebody between the two ends gives the same bytes twice, or changes one of them. */
static void bytes_in_between(int repeat)
{
    int left[2], right[2];
    char bytes[4096];
    ssize_t got;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, left), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, right), 0);
    make(0, left[0], 1);
    make(1, right[1], 1);
    for (int i = 0; i < 4; i++) {
        serve();
        if ((got = read(left[1], bytes, sizeof(bytes))) > 0)
            assert_int_equal(write(right[0], bytes, (size_t)got), got);
        if ((got = read(right[0], bytes, sizeof(bytes))) > 0)
            assert_int_equal(write(left[1], bytes, (size_t)got), got);
    }
    assert_int_equal(ft_link_send(ends[0].link, "pay 1", 6, NULL, 0), 0);
    got = read(left[1], bytes, sizeof(bytes));
    assert_true(got > 10);
    if (!repeat)
        bytes[got - 3] ^= 1;
    assert_int_equal(write(right[0], bytes, (size_t)got), got);
    serve();
    assert_int_equal(ends[1].count, repeat);
    if (repeat)
        assert_int_equal(write(right[0], bytes, (size_t)got), got);
    serve();
    assert_int_equal(ends[1].count, repeat);
    assert_string_equal(ends[1].why, "a message was changed on its way");
    close(left[1]);
    close(right[0]);
}

static void a_changed_message_is_noticed(void **state)
{
    (void)state;
    bytes_in_between(0);
}

static void a_repeated_message_is_noticed(void **state)
{
    (void)state;
    bytes_in_between(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_come_whole_and_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_secret_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(noise_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_message_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_repeated_message_is_noticed, set_up, tear_down)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
