/* cluster_test: what becomes of the output of ranks that roll back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "run/run.h"

static struct ft_member members[2];
static int32_t of[2];
static struct ft_run run;
static int released, code; /* that ft_output_rollback was told, and returns */

/* Stands in for the other parts of ftrun. */

int ft_output_rollback(struct ft_output *output, int rank, int stream,
                       const struct ft_position *position, int was_released)
{
    (void)output;
    (void)rank;
    (void)stream;
    (void)position;
    released = was_released;
    return code;
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

void ft_events_emit(struct ft_events *events, const char *event, const char *format, ...)
{
    (void)events;
    (void)event;
    (void)format;
}

static int begin(void **state)
{
    (void)state;
    run = (struct ft_run){.size = 2, .cluster_count = 2, .members = members, .of = of};
    run.options.protocol = FT_PROTOCOL_SPBC;
    run.options.store = "store";
    run.options.keep = 2;
    for (int i = 0; i < 2; i++) {
        of[i] = i;
        members[i] = (struct ft_member){.run = &run, .rank = i};
    }
    code = 0;
    return ft_clusters_make(&run);
}

static int end(void **state)
{
    (void)state;
    run.of = NULL;
    ft_clusters_free(&run);
    return 0;
}

/* Which --output=commit would print: with a store what one of all ranks covers. */
static void what_was_printed_is_released_by_all_ranks(void **state)
{
    struct ft_manifest whole = {.checkpoint = 5}, *wholes[] = {&whole};
    struct ft_manifest *own = ft_manifest_create(2, 1);
    struct ft_cluster *cluster = run.clusters[1];

    (void)state;
    run.whole.list = wholes;
    run.whole.count = 1;
    own->checkpoint = 5;
    cluster->kept[cluster->kept_count++] = own;
    assert_int_equal(ft_cluster_go_back(cluster), 0);
    assert_true(released);
    own->checkpoint = 6;
    assert_int_equal(ft_cluster_go_back(cluster), 0);
    assert_false(released);
    run.options.store = NULL; /* nobody continues the job */
    assert_int_equal(ft_cluster_go_back(cluster), 0);
    assert_true(released);
}

static void what_was_printed_may_have_no_memory(void **state)
{
    (void)state;
    code = -ENOMEM;
    assert_int_equal(ft_cluster_go_back(run.clusters[0]), -ENOMEM);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_printed_is_released_by_all_ranks),
        CASE(what_was_printed_may_have_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
