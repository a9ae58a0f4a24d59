/* putback_test: which clusters go back because of files, how far, and which records are kept for
 * that. What files/undo.h answers is the test's. */
#include "files/undo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "putback/putback.h"

#define CLUSTERS 3
#define KEPT 3

static struct ft_member members[CLUSTERS], *member[CLUSTERS];
static struct ft_manifest manifests[CLUSTERS][KEPT], *kept[CLUSTERS][KEPT];
static struct ft_cluster clusters[CLUSTERS], *list[CLUSTERS];
static const char *folder[CLUSTERS] = {"0", "1", "2"};
static struct ft_run run = {.clusters = list, .started = 5};
static struct ft_undo_misfit answers[4], nameless[1];
static int answer_count, nameless_count, asked, answer_code, nobody_stays,
    numbers_asked[5][CLUSTERS];
static int listed, told, forgotten; /* accesses, paths; 1 + the moment behind which */
static char dropped[256], said[512];

/* What is asked of the other parts of ftrun. */

double ft_loop_now(void)
{
    return 100;
}

void ft_say(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    vsnprintf(said, sizeof(said), format, words);
    va_end(words);
}

int ft_undo_accesses(const struct ft_undo_party *parties, int count, char *failed,
                     ft_undo_access_each *each, void *context)
{
    (void)parties;
    (void)count;
    (void)failed;
    (void)each;
    (void)context;
    listed = 1;
    return 0;
}

int ft_nameless_fit(const struct ft_run *all, const struct ft_undo_party *parties,
                    struct ft_undo_misfit *misfit)
{
    (void)all;
    (void)parties;
    if (!nameless_count)
        return 0;
    *misfit = nameless[--nameless_count];
    return 1;
}

void ft_turns_forget(struct ft_turns *turns, uint64_t time)
{
    (void)turns;
    forgotten = 1 + (int)(time / 1000000000);
}

int ft_turns_add(struct ft_turns *turns, int rank, const struct ft_undo_access *access)
{
    (void)turns;
    (void)rank;
    (void)access;
    return 0;
}

void ft_settle_afresh(struct ft_run *all)
{
    (void)all;
}

int ft_settle_add(void *context, const char *path, enum ft_undo_fate fate)
{
    (void)context;
    (void)path;
    (void)fate;
    return 0;
}

int ft_folders_add(void *context, const char *path, enum ft_undo_fate fate)
{
    (void)context;
    (void)path;
    (void)fate;
    return 0;
}

int ft_settle_publish(struct ft_run *all)
{
    (void)all;
    return 0;
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

void ft_clusters_fall(struct ft_run *all, const char *why)
{
    (void)why;
    nobody_stays = 1;
    for (int i = 0; i < all->cluster_count; i++)
        all->clusters[i]->fallen = 1;
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

int ft_undo_fit(const struct ft_undo_party *parties, int count, int late,
                struct ft_undo_misfit *misfit)
{
    (void)late;
    for (int i = 0; i < count; i++)
        numbers_asked[asked][i] = parties[i].number;
    if (asked == answer_count)
        return answer_code;
    *misfit = answers[asked++];
    return 1;
}

int ft_undo_apply(const struct ft_undo_party *parties, int count, char *failed, ft_undo_each *each,
                  void *context)
{
    (void)parties;
    (void)count;
    (void)context;
    told = each == ft_settle_add;
    strcpy(failed, "/record");
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
    answer_count = nameless_count = asked = nobody_stays = listed = told = forgotten = 0;
    *dropped = *said = 0;
    return 0;
}

static void misfit(int early, int late, double seconds)
{
    answers[answer_count++] = (struct ft_undo_misfit){
        .early = early, .late = late, .time = (uint64_t)(seconds * 1e9), .path = "/log"};
}

static void nothing_shared_nobody_falls(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    assert_int_equal(ft_files_fit(&run), 0);
    assert_int_equal(numbers_asked[0][0], FT_UNDO_STAYS);
    assert_int_equal(numbers_asked[0][1], 31);
}

/* Even if that is behind the change: it may have changed nothing before. */
static void who_shares_goes_back_to_its_newest(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    misfit(1, 0, 25);
    assert_int_equal(ft_files_fit(&run), 1);
    assert_true(clusters[0].fallen);
    assert_false(clusters[2].fallen);
    assert_int_equal(clusters[0].kept_count, 3);
    assert_int_equal(numbers_asked[1][0], 30);
}

static void who_shares_goes_back_to_before_the_change_then(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    misfit(1, 0, 25);
    misfit(1, 0, 25);
    assert_int_equal(ft_files_fit(&run), 1);
    assert_int_equal(clusters[0].kept_count, 2); /* of the moment 20 */
    assert_true(clusters[0].saved == 20);
}

static void who_has_it_without_a_name_goes_back_to_before_the_change(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    nameless[0] = (struct ft_undo_misfit){.early = 1, .late = 0, .time = 25 * 1000000000ULL};
    nameless_count = 1;
    assert_int_equal(ft_files_fit(&run), 1);
    assert_true(clusters[0].fallen);
    assert_int_equal(clusters[0].kept_count, 2);
}

static void a_younger_checkpoint_does_not_do(void **state)
{
    (void)state;
    clusters[0].fallen = clusters[2].fallen = 1;
    misfit(0, 2, 31.5);
    misfit(2, 0, 25);
    assert_int_equal(ft_files_fit(&run), 0); /* both had fallen before */
    assert_int_equal(clusters[2].kept_count, 2);
    assert_int_equal(clusters[0].kept_count, 2);
    assert_false(nobody_stays);
}

static void behind_the_oldest_there_is_only_the_start(void **state)
{
    (void)state;
    clusters[1].fallen = 1;
    misfit(1, 0, 7);
    misfit(1, 0, 7);
    assert_int_equal(ft_files_fit(&run), 1);
    assert_true(nobody_stays);
    assert_int_equal(clusters[0].kept_count, 0);
}

static void a_start_that_is_not_kept_ends_the_run(void **state)
{
    (void)state;
    clusters[1].fallen = clusters[0].dropped = 1;
    misfit(1, 0, 7);
    misfit(1, 0, 7);
    assert_int_equal(ft_files_fit(&run), -1);
    assert_non_null(strstr(said, "/log was changed by ranks of clusters 1 and 0"));
}

static void who_stays_waits_for_who_goes_back(void **state)
{
    (void)state;
    clusters[0].fallen = clusters[1].fallen = 1;
    manifests[1][2].frozen = 30;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(listed && told);
    assert_int_equal(forgotten, 0);
}

static void who_goes_back_less_waits_too(void **state)
{
    (void)state;
    for (int c = 0; c < CLUSTERS; c++)
        clusters[c].fallen = 1;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_true(listed && told);
    assert_int_equal(forgotten, 0);
}

static void all_that_go_back_to_one_moment_do_not_wait(void **state)
{
    (void)state;
    for (int c = 0; c < CLUSTERS; c++) {
        clusters[c].fallen = 1;
        manifests[c][2].frozen = 30;
    }
    assert_int_equal(ft_files_undo(&run), 0);
    assert_false(listed || told);
    assert_int_equal(forgotten, 31);
    for (int c = 0; c < CLUSTERS; c++)
        clusters[c].kept_count = 0;
    assert_int_equal(ft_files_undo(&run), 0);
    assert_false(listed || told);
    assert_int_equal(forgotten, 1);
}

/* Then nothing is offered that would end like this. */
static void records_of_no_use_bar_the_way(void **state)
{
    static const int codes[] = {-EBADMSG, -ESTALE, -ENOENT, -ENOSPC};

    (void)state;
    clusters[1].fallen = 1;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        answer_code = codes[i];
        assert_int_equal(ft_files_undo(&run), codes[i]);
        assert_int_equal(run.barred, codes[i] != -ENOSPC);
        assert_non_null(strstr(said, "/record"));
        assert_int_equal(strstr(said, "is damaged") != NULL, codes[i] == -EBADMSG);
    }
    answer_code = -EBADMSG;
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

/* Cluster 0 keeps what is younger than 20, 1 than 31, 2 than 32: nobody goes back behind 20. What
 * cluster 1 did between its checkpoints at 11 and 21 may have to be undone together with what
 * cluster 0 did since 20. */
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
        CASE(who_shares_goes_back_to_its_newest),
        CASE(who_shares_goes_back_to_before_the_change_then),
        CASE(who_has_it_without_a_name_goes_back_to_before_the_change),
        CASE(a_younger_checkpoint_does_not_do),
        CASE(behind_the_oldest_there_is_only_the_start),
        CASE(a_start_that_is_not_kept_ends_the_run),
        CASE(who_stays_waits_for_who_goes_back),
        CASE(who_goes_back_less_waits_too),
        CASE(all_that_go_back_to_one_moment_do_not_wait),
        CASE(records_of_no_use_bar_the_way),
        CASE(records_last_while_the_start_does),
        CASE(records_last_as_long_as_anybody_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
