/* marks_test: which messages a sender holds that has taken its image (--protocol
 * coordinated:nonblocking). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "protocol/marks.h"
#include "stream/marks.h"

enum { RANKS = 3 };

struct ft_life ft_life;

static union {
    struct ft_marks marks;
    char bytes[FT_MARKS_BYTES(RANKS)];
} shared;
static struct ft_spbc spbc;
static struct ft_rank self = {.rank = 0, .size = RANKS, .spbc = &spbc};

static int setup(void **state)
{
    (void)state;
    memset(&shared, 0, sizeof shared);
    spbc.noted = 0;
    ft_life.marks = &shared.marks;
    return 0;
}

static void pass(int rank, uint32_t checkpoint)
{
    ((struct ft_mark *)shared.bytes)[rank].passed = checkpoint + 1;
}

static void another_protocol_holds_nothing(void **state)
{
    (void)state;
    ft_life.marks = NULL;
    ft_marks_pass(&self, 4);
    assert_int_equal(ft_marks_hold(&self, 1), 0);
    assert_int_equal(spbc.noted, 0);
}

static void one_that_is_behind_is_held_from(void **state)
{
    (void)state;
    pass(2, 4);
    ft_marks_pass(&self, 4);
    assert_int_equal(((struct ft_mark *)shared.bytes)[0].passed, 5);
    assert_int_equal(ft_marks_hold(&self, 1), 1);
    assert_int_equal(ft_marks_hold(&self, 2), 0);
    assert_int_equal(spbc.noted, FT_NOTED_MARK); /* rank 1 is behind */
    pass(1, 4);
    assert_int_equal(ft_marks_hold(&self, 1), 0);
    assert_int_equal(spbc.noted, 0);
}

static void next_checkpoint_begins_again(void **state)
{
    (void)state;
    for (uint32_t checkpoint = 0; checkpoint < 2; checkpoint++) {
        ft_marks_pass(&self, checkpoint);
        assert_int_equal(ft_marks_hold(&self, 1), 1);
        pass(1, checkpoint + 1); /* even further */
        pass(2, checkpoint);
        assert_int_equal(ft_marks_hold(&self, 1), 0);
        assert_int_equal(spbc.noted, 0);
        pass(1, checkpoint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(another_protocol_holds_nothing, setup),
        cmocka_unit_test_setup(one_that_is_behind_is_held_from, setup),
        cmocka_unit_test_setup(next_checkpoint_begins_again, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
