/* join_test: clusters that are one for a checkpoint, and what is asked of it meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "commit/commit.h"
#include "putback/putback.h"

enum { CLUSTERS = 3 };

static struct ft_member members[CLUSTERS];
static int32_t of[CLUSTERS];
static struct ft_run run;
static int shared; /* ranks share a file */

/* Stands in for the other parts of ftrun. */

double ft_loop_now(void)
{
    return 1000;
}

void ft_loop_cancel(struct ft_loop *loop, struct ft_timer *timer)
{
    (void)loop;
    (void)timer;
}

void ft_commit_schedule(struct ft_cluster *cluster)
{
    (void)cluster;
}

void ft_checkpoint_fail(struct ft_cluster *cluster, const char *format, ...)
{
    (void)cluster;
    (void)format;
}

void ft_checkpoint_ungather(struct ft_cluster *cluster)
{
    if (cluster->checkpoint.state == FT_CHECKPOINT_GATHERING) {
        cluster->checkpoint.state = FT_CHECKPOINT_NONE;
        cluster->checkpoint.wanted = 1;
    }
}

void ft_commit_abort(struct ft_cluster *cluster)
{
    cluster->checkpoint.state = FT_CHECKPOINT_NONE;
}

void ft_whole_taken(const struct ft_cluster *cluster, uint32_t checkpoint)
{
    (void)cluster;
    (void)checkpoint;
}

int ft_files_shared(const struct ft_cluster *cluster, double moment, char *path)
{
    (void)cluster;
    (void)moment;
    (void)path;
    return shared;
}

int ft_nameless_shared(const struct ft_cluster *cluster, char *path)
{
    (void)cluster;
    (void)path;
    return 0;
}

void ft_removal_drop(struct ft_run *from, uint32_t checkpoint)
{
    (void)from;
    (void)checkpoint;
}

void ft_rank_drop_image(struct ft_member *member)
{
    (void)member;
}

int ft_output_rollback(struct ft_output *output, int rank, int stream,
                       const struct ft_position *position, int released)
{
    (void)output;
    (void)rank;
    (void)stream;
    (void)position;
    (void)released;
    return 0;
}

void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...)
{
    (void)events;
    (void)event;
    (void)format;
}

void ft_say(const char *format, ...)
{
    (void)format;
}

static int begin(void **state)
{
    (void)state;
    memset(&run, 0, sizeof(run));
    memset(members, 0, sizeof(members));
    shared = 0;
    run.size = run.cluster_count = CLUSTERS;
    run.members = members;
    run.state = FT_RUN_RUNNING;
    run.options.keep = 2;
    run.options.protocol = FT_PROTOCOL_SPBC;
    run.of = of;
    for (int i = 0; i < CLUSTERS; i++) {
        of[i] = i;
        members[i] = (struct ft_member){.run = &run, .rank = i};
    }
    return ft_clusters_make(&run);
}

static int end(void **state)
{
    (void)state;
    run.of = NULL;
    ft_clusters_free(&run);
    return 0;
}

static void expect_wanted(int first, int second, int third)
{
    assert_int_equal(run.cluster_count, CLUSTERS);
    assert_int_equal(run.part[0]->checkpoint.wanted, first);
    assert_int_equal(run.part[1]->checkpoint.wanted, second);
    assert_int_equal(run.part[2]->checkpoint.wanted, third);
}

/* A checkpoint of all ranks answers the requests for which it is taken, and not later ones. */
static void what_was_asked_while_all_were_one_is_asked_of_each(void **state)
{
    struct ft_cluster *joined;

    (void)state;
    run.part[1]->checkpoint.wanted = 1;
    joined = ft_join_all(run.part[1]);
    assert_int_equal(run.cluster_count, 1);
    assert_ptr_equal(members[2].cluster, joined);
    assert_true(joined->checkpoint.wanted);
    joined->checkpoint.wanted = 0; /* it is begun */
    ft_join_undo(&run);
    expect_wanted(0, 0, 0);
    joined = ft_join_all(run.part[1]);
    joined->checkpoint.wanted = 1;
    ft_join_undo(&run);
    expect_wanted(1, 1, 1);
    for (int i = 0; i < CLUSTERS; i++)
        assert_ptr_equal(members[i].cluster, run.part[i]);
}

static void fall_of_the_joined_cluster_is_the_fall_of_each(void **state)
{
    (void)state;
    for (int i = 0; i < CLUSTERS; i++)
        run.part[i]->fallen = 0;
    ft_join_all(run.part[1])->fallen = 1;
    ft_join_undo(&run);
    for (int i = 0; i < CLUSTERS; i++)
        assert_int_equal(run.part[i]->fallen, 1);
    ft_join_all(run.part[1])->fallen = 0;
    for (int i = 0; i < CLUSTERS; i++)
        run.part[i]->fallen = 0;
    ft_join_undo(&run);
    assert_int_equal(run.part[0]->fallen, 0);
}

static void all_are_joined_when_two_ranks_share_a_file(void **state)
{
    struct ft_cluster *joined;

    (void)state;
    assert_ptr_equal(ft_join_sharers(run.part[1]), run.part[1]);
    assert_int_equal(run.cluster_count, CLUSTERS);
    shared = 1;
    joined = ft_join_sharers(run.part[1]);
    assert_int_equal(joined->count, CLUSTERS);
    assert_false(joined->whole);
    joined->checkpoint.wanted = 1;
    ft_join_undo(&run);
    expect_wanted(1, 1, 1);
}

/* One that is given up while it gathers is wanted again, of each, as one of a single cluster is. */
static void what_was_not_gathered_is_wanted_again(void **state)
{
    struct ft_cluster *joined;

    (void)state;
    joined = ft_join_all(run.part[0]);
    joined->checkpoint.state = FT_CHECKPOINT_GATHERING;
    ft_join_undo(&run);
    expect_wanted(1, 1, 1);
}

/* A request to a part that is joined for good goes to the joined cluster. */
static void what_was_asked_of_a_part_is_kept(void **state)
{
    struct ft_cluster *joined;

    (void)state;
    shared = 1;
    joined = ft_join_sharers(run.part[0]);
    run.part[2]->checkpoint.wanted = 1;
    run.part[2]->checkpoint.requested = 7;
    ft_join_keep(joined);
    for (int i = 0; i < CLUSTERS; i++)
        assert_ptr_equal(run.part[i], joined);
    assert_true(joined->checkpoint.wanted);
    assert_int_equal(joined->checkpoint.requested, 7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_asked_while_all_were_one_is_asked_of_each, begin,
                                        end),
        cmocka_unit_test_setup_teardown(fall_of_the_joined_cluster_is_the_fall_of_each, begin, end),
        cmocka_unit_test_setup_teardown(all_are_joined_when_two_ranks_share_a_file, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_gathered_is_wanted_again, begin, end),
        cmocka_unit_test_setup_teardown(what_was_asked_of_a_part_is_kept, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
