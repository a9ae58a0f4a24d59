/* orphans_asked_test: ranks of a lost node ask before they decide anew; when are they answered, and
 * when do all go back? The clock and the looks are the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "recover/recover.h"

enum { RANKS = 3, LOST = 2 }; /* ranks 0 and 1 are of the lost node */

static const struct ft_protocol protocol = {.outcome = FT_ON_OUTCOME_RECORD_LATER};
static struct ft_member members[RANKS];
static struct ft_run run = {.size = RANKS, .members = members, .options = {.named = &protocol}};
static int answers, falls, leaves;
static double still;
static void (*look)(void *context);

int ft_options_doubts(const struct ft_options *options)
{
    return options->named != NULL;
}

void ft_rank_send(struct ft_member *member, uint32_t type, const void *payload, size_t length,
                  const void *tail, size_t tail_length, int fd)
{
    (void)member, (void)payload, (void)length, (void)tail, (void)tail_length, (void)fd;
    assert_int_equal(type, FT_WIRE_ALIVE);
    answers++;
}

void ft_clusters_fall(struct ft_run *of, const char *why)
{
    (void)of, (void)why;
    falls++;
}

void ft_leave_begin(struct ft_run *of)
{
    (void)of;
    leaves++;
}

double ft_loop_now(void)
{
    return 0;
}

void ft_loop_cancel(struct ft_loop *loop, struct ft_timer *timer)
{
    (void)loop, (void)timer;
    look = NULL;
}

void ft_loop_after(struct ft_loop *loop, struct ft_timer *timer, double seconds,
                   void (*ready)(void *context), void *context)
{
    (void)loop, (void)timer, (void)seconds, (void)context;
    look = ready;
}

int ft_still_create(int size, struct ft_still **out)
{
    (void)size;
    *out = NULL;
    return 0;
}

void ft_still_destroy(struct ft_still *of)
{
    (void)of;
}

void ft_still_begin(struct ft_still *of)
{
    (void)of;
    still = 0;
}

double ft_still_look(struct ft_still *of, const struct ft_run *now)
{
    (void)of, (void)now;
    return still;
}

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < RANKS; i++)
        members[i] = (struct ft_member){.run = &run, .rank = i, .uncertain = i < LOST};
    run.state = FT_RUN_RUNNING;
    run.together = answers = falls = leaves = 0;
    look = NULL;
    if (!run.doubting && ft_orphans_create(&run))
        return -1;
    ft_orphans_begin(&run);
    return 0;
}

static void is_going_on(void)
{
    assert_int_equal(falls + leaves + answers, 0);
    assert_non_null(look);
}

static void is_over(int answered, int back)
{
    assert_int_equal(answers, answered);
    assert_int_equal(falls, back);
    assert_int_equal(leaves, back);
    assert_int_equal(run.together, back);
    assert_null(look);
}

static void answer_comes_when_all_have_sent_again(void **state)
{
    (void)state;
    ft_orphans_clear(&members[0]);
    ft_orphans_fresh(&members[0]);
    is_going_on();
    ft_orphans_clear(&members[1]);
    is_over(1, 0);
    assert_int_equal(members[0].uncertain + members[1].uncertain, 0);
    ft_orphans_fresh(&members[1]); /* BOOT had told it to ask */
    is_over(2, 0);
}

static void one_that_asks_before_it_has_sent_again_takes_all_back(void **state)
{
    (void)state;
    ft_orphans_clear(&members[1]);
    ft_orphans_fresh(&members[0]);
    is_over(0, 1);
}

static void patience_ends(void **state)
{
    (void)state;
    ft_orphans_clear(&members[0]);
    ft_orphans_fresh(&members[0]);
    still = 0.9;
    look(&run);
    is_going_on();
    still = 1.1;
    look(&run);
    is_over(0, 1);
}

/* The others are not back yet: that is no sign of anything. */
static void one_that_is_early_waits(void **state)
{
    (void)state;
    run.state = FT_RUN_STARTING;
    ft_orphans_clear(&members[0]);
    ft_orphans_fresh(&members[0]);
    is_going_on();
    still = 2;
    look(&run);
    is_going_on();
    run.state = FT_RUN_RUNNING;
    ft_orphans_clear(&members[1]);
    is_over(1, 0);
}

/* One that waits for the answer cannot leave. */
static void death_while_one_asks_takes_all_back(void **state)
{
    (void)state;
    ft_orphans_leave(&run);
    assert_int_equal(falls, 0);
    ft_orphans_clear(&members[0]);
    ft_orphans_fresh(&members[0]);
    run.state = FT_RUN_LEAVING;
    ft_orphans_leave(&run);
    assert_int_equal(falls, 1);
    assert_int_equal(run.together, 1);
}

static void one_that_asks_while_others_leave_takes_all_back(void **state)
{
    (void)state;
    ft_orphans_clear(&members[0]);
    run.state = FT_RUN_LEAVING;
    ft_orphans_fresh(&members[0]);
    is_over(0, 1);
    setup(state);
    run.state = FT_RUN_CLEARING; /* all are being ended anyway */
    ft_orphans_fresh(&members[0]);
    is_over(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(answer_comes_when_all_have_sent_again, setup),
        cmocka_unit_test_setup(one_that_asks_before_it_has_sent_again_takes_all_back, setup),
        cmocka_unit_test_setup(patience_ends, setup),
        cmocka_unit_test_setup(one_that_is_early_waits, setup),
        cmocka_unit_test_setup(death_while_one_asks_takes_all_back, setup),
        cmocka_unit_test_setup(one_that_asks_while_others_leave_takes_all_back, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
