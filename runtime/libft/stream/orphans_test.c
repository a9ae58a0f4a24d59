/* orphans_test: a rank tells ftrun once that nobody has a message of it any more that it has not
 * sent again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <utlist.h>

#include "stream/orphans.h"
#include "stream/streams.h"

struct ft_life ft_life;

static struct ft_stream stream[2];
static struct ft_streams streams;
static struct ft_spbc spbc;
static struct ft_rank self = {.spbc = &spbc};
static int told;

void ft_panic(const char *format, ...)
{
    fail_msg("%s", format);
    abort();
}

int ft_wire_send(int fd, uint32_t type, const void *payload, size_t size, const void *tail,
                 size_t tail_size, int passed)
{
    (void)fd, (void)payload, (void)size, (void)tail, (void)tail_size, (void)passed;
    assert_int_equal(type, FT_WIRE_CLEAR);
    told++;
    return 0;
}

static int setup(void **state)
{
    (void)state;
    streams = (struct ft_streams){0};
    spbc = (struct ft_spbc){.streams = &streams, .noted = FT_NOTED_DOUBTED | FT_NOTED_LOGGED};
    for (int i = 0; i < 2; i++) {
        stream[i] = (struct ft_stream){.last = 3};
        DL_APPEND(streams.out.first, &stream[i]);
    }
    told = 0;
    return 0;
}

static void looks(int tells)
{
    ft_orphans_look(&self);
    assert_int_equal(told, tells);
    assert_int_equal(spbc.noted, tells ? FT_NOTED_LOGGED : FT_NOTED_DOUBTED | FT_NOTED_LOGGED);
}

static void nobody_has_more(void **state)
{
    (void)state;
    stream[0].known = 3;
    looks(1);
}

static void others_have_more(void **state)
{
    (void)state;
    stream[1].known = 5;
    looks(0);
    stream[1].last = 4;
    looks(0);
    stream[1].last = 5;
    looks(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nobody_has_more, setup),
        cmocka_unit_test_setup(others_have_more, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
