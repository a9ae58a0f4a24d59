/* whole_test: when a checkpoint of all ranks is due, who keeps which of them in the store, and what
 * the clusters begin with when a job is continued. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "commit/commit.h"
#include "putback/putback.h"

enum { RANKS = 4, CLUSTERS = 2, KEEP = 2 };

static struct ft_recorder recorders[RANKS];
static struct ft_member members[RANKS], *lists[CLUSTERS][RANKS];
static struct ft_cluster clusters[CLUSTERS], *all[CLUSTERS], *parts[CLUSTERS];
static struct ft_manifest *kept[CLUSTERS][KEEP + 1], *wholes[KEEP + 1];
static struct ft_run run;
static uint32_t dropped[16];
static int drops, open_now, noted, logs_restored, log_error, parted;
static uint32_t amended[16];
static int amends, amend_error;
static double now;

/* Stands in for the other parts of ftrun. */

int ft_checkpoint_is_open(const struct ft_run *of)
{
    (void)of;
    return open_now;
}

void ft_files_note_cut(struct ft_cluster *cluster, const struct ft_manifest *manifest)
{
    (void)cluster;
    (void)manifest;
    noted++;
}

double ft_loop_now(void)
{
    return now;
}

void ft_join_undo(struct ft_run *of)
{
    (void)of;
    parted = 1;
}

void ft_commit_next(const struct ft_cluster *cluster)
{
    (void)cluster;
}

struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster)
{
    return cluster->kept_count ? cluster->kept[cluster->kept_count - 1] : NULL;
}

void ft_removal_drop(struct ft_run *of, uint32_t checkpoint)
{
    (void)of;
    dropped[drops++] = checkpoint;
}

int ft_store_amend(const struct ft_store *store, const struct ft_manifest *manifest)
{
    (void)store;
    assert_false(manifest->continues);
    amended[amends++] = manifest->checkpoint;
    return amend_error;
}

int ft_store_save_log(const struct ft_store *store, uint32_t checkpoint, int rank)
{
    (void)store;
    (void)checkpoint;
    return rank == 2 ? log_error : 0;
}

int ft_run_leads(const struct ft_run *of)
{
    return of->twin != NULL;
}

uint64_t ft_ring_acts(const struct ft_run *of)
{
    (void)of;
    return 0;
}

int ft_store_restore_log(const struct ft_store *store, uint32_t checkpoint, int rank)
{
    (void)store;
    (void)checkpoint;
    (void)rank;
    logs_restored++;
    return log_error;
}

/* Ranks 0 and 2 are cluster 0, ranks 1 and 3 cluster 1. */
static int begin(void **state)
{
    (void)state;
    memset(&run, 0, sizeof(run));
    memset(recorders, 0, sizeof(recorders));
    amends = drops = open_now = noted = logs_restored = log_error = parted = amend_error = 0;
    now = 1000;
    run.started = 1000;
    run.size = RANKS;
    run.members = members;
    run.clusters = all;
    run.part = parts;
    run.parts = run.cluster_count = CLUSTERS;
    run.whole.list = wholes;
    run.options.keep = KEEP;
    run.options.protocol = FT_PROTOCOL_SPBC;
    run.options.store = "store";
    for (int i = 0; i < CLUSTERS; i++) {
        clusters[i] = (struct ft_cluster){
            .run = &run, .number = i, .members = lists[i], .kept = kept[i], .count = 0};
        all[i] = parts[i] = &clusters[i];
    }
    for (int i = 0; i < RANKS; i++) {
        struct ft_cluster *cluster = &clusters[i % 2];

        members[i] = (struct ft_member){
            .run = &run, .rank = i, .cluster = cluster, .recorder = &recorders[i]};
        cluster->members[cluster->count++] = &members[i];
    }
    return 0;
}

static void forget(struct ft_cluster *cluster)
{
    while (cluster->kept_count)
        ft_manifest_destroy(cluster->kept[--cluster->kept_count]);
}

static int end(void **state)
{
    (void)state;
    for (int i = 0; i < CLUSTERS; i++)
        forget(&clusters[i]);
    while (run.whole.count)
        ft_manifest_destroy(run.whole.list[--run.whole.count]);
    return 0;
}

static struct ft_manifest *make(uint32_t checkpoint, int continues)
{
    struct ft_manifest *manifest = ft_manifest_create(RANKS, RANKS);

    manifest->checkpoint = checkpoint;
    manifest->cluster = 0;
    manifest->continues = continues;
    manifest->program = strdup("/bin/program");
    manifest->cwd = strdup("/");
    manifest->argv = calloc(1, sizeof(*manifest->argv));
    for (int i = 0; i < RANKS; i++) {
        manifest->ranks[i].rank = i;
        manifest->ranks[i].determinants = 100 + (uint64_t)i;
        manifest->ranks[i].trail = 200 + (uint64_t)i;
    }
    return manifest;
}

static void take(uint32_t checkpoint, int continues)
{
    struct ft_manifest *whole = make(checkpoint, continues);

    ft_whole_share(&run, whole);
    ft_whole_keep(&run, whole);
}

static void first_follows_the_beginning(void **state)
{
    (void)state;
    run.whole.parted = CLUSTERS - 1;
    assert_false(ft_whole_is_due(&run));
    run.whole.parted = CLUSTERS;
    assert_true(ft_whole_is_due(&run));
    take(7, 1);
    assert_int_equal(run.whole.parted, 0);
    run.whole.parted = 9 * CLUSTERS - 1;
    assert_false(ft_whole_is_due(&run));
    run.whole.parted++;
    assert_true(ft_whole_is_due(&run));
}

static void none_is_due_where_it_would_do_harm(void **state)
{
    (void)state;
    run.whole.parted = CLUSTERS;
    open_now = 1; /* another cluster waits for a rank that computes */
    assert_false(ft_whole_is_due(&run));
    open_now = 0;
    recorders[3].calls = 10;
    recorders[3].polls = 4;
    recorders[3].longest = 7; /* what it was given there will be given to it again */
    assert_false(ft_whole_is_due(&run));
    recorders[3].polls = 3;
    assert_true(ft_whole_is_due(&run));
    run.settle.unsettled = 1; /* --restart would not know of these files */
    assert_false(ft_whole_is_due(&run));
    run.settle.unsettled = 0;
    run.options.store = NULL; /* nobody would look for it */
    assert_false(ft_whole_is_due(&run));
    run.whole.wanted = 1;
    assert_true(ft_whole_is_due(&run));
    run.cluster_count = 1; /* each of its checkpoints is one */
    assert_false(ft_whole_is_due(&run));
}

/* At most a hundredth of the time since the last one, and next time later. */
static void nobody_waits_for_long(void **state)
{
    struct ft_cluster joined = {.run = &run, .whole = 1, .checkpoint = {.begun = 1100}};

    (void)state;
    now = 1100.9;
    assert_false(ft_whole_give_up(&joined));
    now = 1101.1;
    run.whole.wanted = 1;
    assert_false(ft_whole_give_up(&joined));
    run.whole.wanted = 0;
    assert_true(ft_whole_give_up(&joined));
    assert_true(parted && clusters[0].checkpoint.wanted && clusters[1].checkpoint.wanted);
    run.whole.parted = 2 * CLUSTERS - 1;
    assert_false(ft_whole_is_due(&run));
    run.whole.parted++;
    assert_true(ft_whole_is_due(&run));
    take(1, 1);
    run.whole.parted = 9 * CLUSTERS;
    assert_true(ft_whole_is_due(&run));
    joined.checkpoint.begun = 1101.2;
    now = 1101.4;
    assert_false(ft_whole_give_up(&joined));
    now = 1101.5;
    assert_true(ft_whole_give_up(&joined));
    joined.whole = 0;
    assert_false(ft_whole_give_up(&joined));
}

/* Each has its own ranks; the folder goes when nobody has it. */
static void store_holds_what_somebody_keeps(void **state)
{
    (void)state;
    take(1, 1);
    assert_int_equal(clusters[1].kept_count, 1);
    assert_int_equal(clusters[1].kept[0]->count, 2);
    assert_int_equal(clusters[1].kept[0]->ranks[1].rank, 3);
    assert_int_equal(noted, CLUSTERS);
    forget(&clusters[0]);
    ft_kept_release(&run, 1);
    forget(&clusters[1]);
    ft_kept_release(&run, 1);
    assert_int_equal(drops, 0); /* for --restart */
    take(2, 1);
    take(3, 1);
    assert_int_equal(run.whole.count, KEEP);
    assert_true(drops == 1 && dropped[0] == 1);
    forget(&clusters[0]);
    ft_kept_release(&run, 9);
    assert_true(drops == 2 && dropped[1] == 9);
    take(4, 1);
    assert_int_equal(drops, 2); /* cluster 1 has checkpoint 2 still */
}

/* A cluster that rolls back to before it has put files back: the job is not continued from it. */
static void none_is_ahead_of_who_goes_back(void **state)
{
    (void)state;
    take(3, 1);
    take(5, 1);
    assert_int_equal(ft_whole_renounce(&run, clusters[0].kept[1]), 0);
    assert_int_equal(run.whole.count, 2);
    ft_manifest_destroy(clusters[0].kept[--clusters[0].kept_count]);
    assert_int_equal(ft_whole_renounce(&run, clusters[0].kept[0]), 0);
    assert_int_equal(run.whole.count, 1);
    assert_int_equal(run.whole.list[0]->checkpoint, 3);
    assert_true(amends == 1 && amended[0] == 5);
    assert_int_equal(drops, 0); /* cluster 1 may roll back to its part */
    forget(&clusters[1]);
    forget(&clusters[0]);
    assert_int_equal(ft_whole_renounce(&run, NULL), 0);
    assert_false(ft_whole_continues(&run));
    assert_true(drops == 1 && dropped[0] == 3);
}

/* Then the caller puts no file back, and it is what the job is continued from. */
static void one_that_cannot_be_renounced_stays(void **state)
{
    (void)state;
    take(3, 1);
    amend_error = -EIO;
    assert_int_equal(ft_whole_renounce(&run, NULL), -EIO);
    assert_true(ft_whole_continues(&run));
    assert_int_equal(drops, 0);
}

static void one_with_something_owed_does_not_count(void **state)
{
    (void)state;
    run.whole.parted = 5;
    take(1, 0);
    assert_int_equal(run.whole.count, 0);
    assert_false(ft_whole_continues(&run));
    assert_int_equal(run.whole.parted, 5);
    assert_int_equal(clusters[0].kept_count, 1);
    assert_int_equal(drops, 0);
    take(2, 1);
    assert_true(ft_whole_continues(&run));
}

/* Clusters that are one for good roll back to it, though the job is not continued from it. */
static void one_of_a_joined_cluster_stays(void **state)
{
    struct ft_manifest *own[1];
    struct ft_cluster joined = {.run = &run, .count = RANKS, .kept = own, .kept_count = 1};
    struct ft_member *everybody[RANKS];

    (void)state;
    joined.members = everybody;
    for (int i = 0; i < RANKS; i++)
        everybody[i] = &members[i];
    for (int continues = 0; continues < 2; continues++) {
        own[0] = make(7, continues);
        ft_whole_note(&joined);
        assert_int_equal(drops, 0);
        assert_int_equal(run.whole.count, continues);
        ft_manifest_destroy(own[0]);
    }
}

static void ranks_go_on_when_all_are_taken(void **state)
{
    (void)state;
    ft_whole_taken(&clusters[0], 5); /* one of a cluster: nobody waits */
    assert_int_equal(recorders[0].taken, 0);
    clusters[0].count = RANKS;
    for (int i = 0; i < RANKS; i++)
        lists[0][i] = &members[i];
    ft_whole_taken(&clusters[0], 5);
    assert_int_equal(recorders[3].taken, 6);
}

static void files_of_messages_may_be_in_the_way(void **state)
{
    struct ft_manifest *whole = make(1, 1);

    (void)state;
    assert_int_equal(ft_whole_save_logs(&run, whole), 0);
    log_error = -ENOSPC;
    assert_int_equal(ft_whole_save_logs(&run, whole), -ENOSPC);
    ft_manifest_destroy(whole);
}

static void all_begin_at_one_moment(void **state)
{
    (void)state;
    assert_int_equal(ft_whole_take(&run, make(8, 1)), 0);
    assert_int_equal(logs_restored, RANKS);
    assert_true(clusters[0].dropped && clusters[1].dropped);
    assert_int_equal(clusters[1].kept[0]->checkpoint, 8);
    assert_int_equal(recorders[2].determinants, 102);
    assert_int_equal(recorders[2].determinants_kept, 102);
    assert_int_equal(recorders[3].trail, 203);
    assert_true(ft_whole_continues(&run));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(first_follows_the_beginning),
        CASE(none_is_due_where_it_would_do_harm),
        CASE(nobody_waits_for_long),
        CASE(store_holds_what_somebody_keeps),
        CASE(none_is_ahead_of_who_goes_back),
        CASE(one_that_cannot_be_renounced_stays),
        CASE(one_with_something_owed_does_not_count),
        CASE(one_of_a_joined_cluster_stays),
        CASE(ranks_go_on_when_all_are_taken),
        CASE(files_of_messages_may_be_in_the_way),
        CASE(all_begin_at_one_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
