/* slots_test: a slot that cannot be heard is not waited for. */
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
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>
#include "host/slots.h"
#include "wire/wire.h"

static struct rlimit limit;
static int done, lacked;

/* In place of the wire's: a slot has sent its PMI descriptor. */
ssize_t ft_wire_receive(int from, int wait, void *buffer, int *fd)
{
    (void)from;
    (void)wait;
    (void)buffer;
    *fd = -EMFILE;
    return 1;
}

const void *ft_wire_payload(const void *buffer, size_t length)
{
    (void)length;
    return buffer;
}

static void on_lacking(void *context, int error)
{
    (void)context;
    lacked = error;
    done = 1;
}

/* What a slot that comes and sends something leads to, where so many descriptors may be had. */
static int come(rlim_t files)
{
    char folder[] = "/tmp/slots_test.XXXXXX", why[512];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ft_slots_options options = {.size = 1, .lacking = on_lacking, .folder = folder};
    struct ft_slots *slots;
    int slot = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    done = lacked = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/slots", folder);
    assert_int_equal(ft_loop_create(&options.loop), 0);
    assert_int_equal(ft_slots_create(&options, &slots, why, sizeof(why)), 0);
    assert_int_equal(connect(slot, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(send(slot, "", 1, 0), 1);
    const struct rlimit own = {.rlim_cur = files, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &own), 0);
    assert_int_equal(ft_loop_run(options.loop, &done), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ft_slots_destroy(slots);
    ft_loop_destroy(options.loop);
    close(slot);
    rmdir(folder);
    return lacked;
}

static void a_slot_without_a_descriptor_is_told_of(void **state)
{
    (void)state;
    setenv("FT_MPIEXEC", "/bin/true", 1);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(come(0), EMFILE);
    assert_int_equal(come(limit.rlim_cur), EMFILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_without_a_descriptor_is_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
