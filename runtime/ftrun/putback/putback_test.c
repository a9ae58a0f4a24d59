/* putback_test: which clusters roll back because of files, how far, and which records are kept
 * for that. The test answers for files/undo.h. */
#include "files/undo.h"

#include <errno.h>
#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "host/proc.h"
#include "putback/putback.h"

#define CLUSTERS 3
#define KEPT 3

static struct ft_member members[CLUSTERS], *member[CLUSTERS];
static struct ft_manifest manifests[CLUSTERS][KEPT], *kept[CLUSTERS][KEPT];
static struct ft_cluster clusters[CLUSTERS], *list[CLUSTERS];
static const char *folder[CLUSTERS] = {"0", "1", "2"};
static struct ft_run run = {.clusters = list, .started = 5};
static struct ft_undo_share answers[4];
static int answer_count, asked, answer_code, numbers_asked[5][CLUSTERS];
static char dropped[256], said[FT_WIRE_PATH + 512], tree[] = "/tmp/putback_test-XXXXXX";
static int stays; /* answer about a folder that is to go */

/* Stands in for the other parts of ftrun. */

static double now;

double ft_loop_now(void)
{
    return now;
}

static double used;

double ft_rank_used(const struct ft_member *of)
{
    (void)of;
    return used;
}

void ft_say(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    vsnprintf(said, sizeof(said), format, words);
    va_end(words);
}

void ft_events_emit(struct ft_events *events, const char *name, const char *format, ...)
{
    (void)events;
    (void)name;
    (void)format;
}

void ft_cluster_fall(struct ft_cluster *cluster)
{
    cluster->fallen = 1;
}

int ft_clusters_fallen(const struct ft_run *all)
{
    int count = 0;

    for (int i = 0; i < all->cluster_count; i++)
        count += all->clusters[i]->fallen;
    return count;
}

int ft_clusters_dropped(const struct ft_run *all)
{
    return all->clusters[0]->dropped;
}

struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster)
{
    return cluster->kept_count ? cluster->kept[cluster->kept_count - 1] : NULL;
}

void ft_cluster_drop_newest(struct ft_cluster *cluster)
{
    cluster->kept_count--;
}

int ft_undo_shared(const struct ft_undo_party *parties, int count, struct ft_undo_share *share)
{
    for (int i = 0; i < count; i++)
        numbers_asked[asked][i] = parties[i].number;
    if (asked == answer_count)
        return answer_code;
    *share = answers[asked++];
    return 1;
}

/* A folder of the first party's rank is to go. */
int ft_undo_apply(const struct ft_undo_party *parties, int count, char *failed, ft_undo_each *each,
                  void *context)
{
    (void)parties;
    (void)count;
    strcpy(failed, "/record");
    stays = each(context, "/new", 0, 0, FT_UNDO_GOES);
    if (stays)
        each(context, "/new", 0, 0, FT_UNDO_STAYED);
    return answer_code;
}

int ft_undo_drop(const char *name, int number)
{
    size_t at = strlen(dropped);

    snprintf(dropped + at, sizeof(dropped) - at, "%s<%d ", name, number);
    return 0;
}

/* Cluster c has checkpoints of the moments 10 + c, 20 + c, 30 + c, numbered likewise. */
static int setup(void **state)
{
    (void)state;
    memset(clusters, 0, sizeof(clusters));
    answer_code = run.barred = 0;
    run.cluster_count = CLUSTERS;
    for (int c = 0; c < CLUSTERS; c++) {
        for (int k = 0; k < KEPT; k++) {
            manifests[c][k].nameless = 0;
            manifests[c][k].frozen = 10 * (k + 1) + c;
            manifests[c][k].checkpoint = (uint32_t)manifests[c][k].frozen;
            kept[c][k] = &manifests[c][k];
        }
        members[c].rank = c;
        member[c] = &members[c];
        list[c] = &clusters[c];
        clusters[c] = (struct ft_cluster){.run = &run,
                                          .number = c,
                                          .count = 1,
                                          .members = &member[c],
                                          .undo = &folder[c],
                                          .kept = kept[c],
                                          .kept_count = KEPT};
    }
    answer_count = asked = stays = 0;
    now = 100;
    *dropped = *said = 0;
    return 0;
}

/* Ranks 1 and 0 share a file, the first access was at that moment. */
static void shared_since(double seconds)
{
    answers[answer_count++] =
        (struct ft_undo_share){.party = {1, 0}, .time = (uint64_t)(seconds * 1e9), .path = "/log"};
}

static void expect_kept(int first, int second, int third)
{
    assert_int_equal(clusters[0].kept_count, first);
    assert_int_equal(clusters[1].kept_count, second);
    assert_int_equal(clusters[2].kept_count, third);
}

static void nothing_shared_nobody_falls(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    assert_int_equal(ft_files_fit(&run), 0);
    assert_int_equal(numbers_asked[0][0], FT_UNDO_STAYS);
    assert_int_equal(numbers_asked[0][1], 31);
}

static void all_go_back_to_before_the_first_access(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    shared_since(31.5);
    assert_int_equal(ft_files_fit(&run), 1);
    assert_int_equal(ft_clusters_fallen(&run), CLUSTERS);
    expect_kept(3, 3, 2);
    assert_true(clusters[2].saved == 22);
    assert_int_equal(numbers_asked[1][0], 30);
    assert_int_equal(numbers_asked[1][2], 22);
}

/* Changes that are undone then may have been shared, too. */
static void they_go_back_farther_until_all_fits(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    shared_since(31.5);
    shared_since(21.5);
    assert_int_equal(ft_files_fit(&run), 1);
    expect_kept(2, 2, 1);
}

static void behind_the_oldest_there_is_only_the_start(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    shared_since(7);
    assert_int_equal(ft_files_fit(&run), 1);
    assert_int_equal(ft_clusters_fallen(&run), CLUSTERS);
    expect_kept(0, 0, 0);
}

static void a_start_that_is_not_kept_ends_the_run(void **state)
{
    (void)state;
    clusters[1].fallen = clusters[0].dropped = 1;
    shared_since(7);
    assert_int_equal(ft_files_fit(&run), -1);
    assert_non_null(strstr(said, "ranks 1 and 0 share the file /log"));
    assert_non_null(strstr(said, "--protocol coordinated"));
}

/* A checkpoint of all ranks in which several have one file without a name. */
static void nobody_goes_back_alone_to_a_file_without_a_name(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    for (int c = 0; c < CLUSTERS; c++)
        manifests[c][1] = (struct ft_manifest){.frozen = 25, .checkpoint = 25, .nameless = 1};
    clusters[1].kept_count = 2;
    assert_int_equal(ft_files_fit(&run), 1);
    assert_int_equal(ft_clusters_fallen(&run), CLUSTERS);
    expect_kept(2, 2, 2);
    clusters[2].kept_count = 1; /* who rolls back farther takes the others along */
    assert_int_equal(ft_files_fit(&run), 0);
    expect_kept(1, 1, 1);
}

static void mark_remove(void)
{
    char name[64];

    snprintf(name, sizeof(name), "%s/stayed/%016llx", tree,
             (unsigned long long)XXH3_64bits("/new", 4));
    assert_int_equal(unlink(name), 0);
    assert_int_equal(rmdir(dirname(name)), 0);
    assert_int_equal(rmdir(tree), 0);
    folder[1] = "1";
}

/* The others may use it; where nobody is left it goes. */
static void a_new_folder_stays_while_somebody_stays(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(tree));
    folder[1] = tree;
    clusters[1].fallen = 1;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(stays);
    assert_string_equal(said, "");
    mark_remove();
    clusters[0].fallen = clusters[2].fallen = 1;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_false(stays);
}

static struct ft_recorder recorders[CLUSTERS];
static void (*looks)(void *context); /* when the timer ends */

void ft_loop_after(struct ft_loop *loop, struct ft_timer *timer, double seconds,
                   void (*on)(void *context), void *context)
{
    (void)loop;
    (void)timer;
    (void)seconds;
    (void)context;
    looks = on;
}

static int stuck;

static void note_stuck(struct ft_run *all)
{
    (void)all;
    stuck++;
}

/* Messages of before may tell ranks of what is undone. */
static void files_are_off_limits_until_all_are_where_they_were(void **state)
{
    (void)state;
    run.size = CLUSTERS;
    run.members = members;
    run.state = FT_RUN_RUNNING;
    for (int c = 0; c < CLUSTERS; c++) {
        members[c].recorder = &recorders[c];
        recorders[c] = (struct ft_recorder){.unsettled = 1, .calls = 7};
    }
    assert_non_null(mkdtemp(strcpy(tree, "/tmp/putback_test-XXXXXX")));
    folder[1] = tree;
    clusters[1].fallen = 1;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(run.settle.unsettled);
    recorders[1].reached = 9;
    ft_settle_watch(&run, note_stuck);
    assert_true(recorders[0].unsettled);
    now += 29;
    looks(&run);
    used += 20; /* it computes */
    now += 29;
    looks(&run);
    assert_int_equal(stuck, 0);
    now += 31;
    looks(&run);
    assert_int_equal(stuck, 1);
    assert_non_null(strstr(said, "rank 1 does not come to where it was"));
    recorders[1].calls = 9;
    recorders[1].reached_changes = 2; /* behind its last call */
    recorders[1].changes = 10ULL << 32 | 1;
    looks(&run);
    assert_true(recorders[0].unsettled);
    recorders[1].changes++;
    looks(&run);
    assert_false(recorders[0].unsettled || run.settle.unsettled);
    for (int c = 0; c < CLUSTERS; c++) { /* all, but to three moments; and to one */
        clusters[c].fallen = 1;
        manifests[c][1].frozen = 25;
    }
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(run.settle.unsettled);
    for (int c = 0; c < CLUSTERS; c++)
        clusters[c].kept_count = 2;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_false(run.settle.unsettled);
    manifests[0][1].unsettled = 1;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(run.settle.unsettled);
    run.settle.unsettled = manifests[0][1].unsettled = 0;
    mark_remove();
}

/* Then nothing is offered that would end like this. */
static void records_of_no_use_bar_the_way(void **state)
{
    static const int codes[] = {-EBADMSG, -ESTALE, -ENOENT, -ENOSPC};

    (void)state;
    clusters[0].fallen = clusters[1].fallen = clusters[2].fallen = 1;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        answer_code = codes[i];
        assert_int_equal(ft_files_undo(&run), codes[i]);
        assert_int_equal(run.barred, codes[i] != -ENOSPC);
        assert_non_null(strstr(said, "/record"));
        assert_int_equal(strstr(said, "is damaged") != NULL, codes[i] == -EBADMSG);
    }
    answer_code = -EBADMSG;
    clusters[0].fallen = clusters[2].fallen = 0;
    assert_int_equal(ft_files_fit(&run), -1);
    assert_true(run.barred && strstr(said, "start without --restart, with a new --store"));
}

static void commit_all(void)
{
    for (int c = 0; c < CLUSTERS; c++)
        for (int k = 0; k < KEPT; k++)
            ft_files_note_cut(&clusters[c], kept[c][k]);
}

static void free_cuts(void)
{
    for (int c = 0; c < CLUSTERS; c++)
        free(clusters[c].cuts);
}

static void records_last_while_the_start_does(void **state)
{
    (void)state;
    commit_all();
    ft_files_drop(&run);
    assert_string_equal(dropped, "");
    free_cuts();
}

/* Cluster 0 keeps what is younger than 20, 1 than 31, 2 than 32: nobody rolls back to before 20.
 * Changes of cluster 1 between its checkpoints at 11 and 21 may have to be undone together with
 * what cluster 0 did since 20. */
static void records_last_as_long_as_anybody_needs_them(void **state)
{
    (void)state;
    commit_all();
    clusters[0].dropped = 1;
    clusters[0].kept++;
    clusters[0].kept_count = 2;
    clusters[1].kept += 2;
    clusters[1].kept_count = 1;
    clusters[2].kept += 2;
    clusters[2].kept_count = 1;
    ft_files_drop(&run);
    assert_string_equal(dropped, "0<20 1<11 2<12 ");
    *dropped = 0;
    ft_files_drop(&run); /* once is enough */
    assert_string_equal(dropped, "");
    clusters[0].kept++;
    clusters[0].kept_count = 1;
    ft_files_drop(&run);
    assert_string_equal(dropped, "0<30 1<21 2<22 ");
    free_cuts();
}

#define CASE(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nothing_shared_nobody_falls),
        CASE(all_go_back_to_before_the_first_access),
        CASE(they_go_back_farther_until_all_fits),
        CASE(behind_the_oldest_there_is_only_the_start),
        CASE(a_start_that_is_not_kept_ends_the_run),
        CASE(nobody_goes_back_alone_to_a_file_without_a_name),
        CASE(a_new_folder_stays_while_somebody_stays),
        CASE(files_are_off_limits_until_all_are_where_they_were),
        CASE(records_of_no_use_bar_the_way),
        CASE(records_last_while_the_start_does),
        CASE(records_last_as_long_as_anybody_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
