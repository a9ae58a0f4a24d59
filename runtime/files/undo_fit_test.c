/* Files that ranks of two clusters change: each rank is a party. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <errno.h>

#include "files/record.h"
#include "files/undo.h"

#define RANKS 2

static char work[64];
static char store[RANKS][96], mine[96], common[96];
static struct ft_rank rank[RANKS];

static void act_as(int r)
{
    ft_self = r < 0 ? NULL : &rank[r];
    ft_depth = r < 0;
    if (r >= 0)
        strcpy(ft_life.boot.undo, store[r]);
}

static void append(int r, const char *path)
{
    act_as(r);
    FILE *stream = fopen(path, "a");

    fputs("line\n", stream);
    fclose(stream);
    act_as(-1);
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Returns its moment. */
static uint64_t checkpoint(int r, uint32_t number)
{
    uint64_t cut = now();

    act_as(r);
    ft_depth = 1;
    assert_int_equal(ft_files_save(&rank[r], number), 0);
    act_as(-1);
    return cut;
}

static int setup(void **state)
{
    (void)state;
    strcpy(work, "/tmp/undo_shared.XXXXXX");
    if (!mkdtemp(work))
        return -1;
    snprintf(mine, sizeof mine, "%s/mine", work);
    snprintf(common, sizeof common, "%s/common", work);
    for (int r = 0; r < RANKS; r++) {
        snprintf(store[r], sizeof store[r], "%s/rank-%d", work, r);
        mkdir(store[r], 0700);
        ft_files_start(&rank[r]);
    }
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static int teardown(void **state)
{
    (void)state;
    return nftw(work, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static struct ft_undo_misfit misfit;

/* Rank 0 goes back to `number`, of the moment `cut`; rank 1 likewise. */
static int fit(int number, uint64_t cut, int other, uint64_t other_cut)
{
    const char *folder[RANKS] = {store[0], store[1]};
    struct ft_undo_party party[RANKS] = {{&folder[0], 1, number, cut},
                                         {&folder[1], 1, other, other_cut}};

    return ft_undo_fit(party, RANKS, -1, &misfit);
}

static void own_files_are_no_matter(void **state)
{
    (void)state;
    append(0, mine);
    append(1, common);
    assert_int_equal(fit(-1, 0, FT_UNDO_STAYS, now()), 0);
}

static void who_stays_is_too_late(void **state)
{
    (void)state;
    append(0, common);
    append(1, common);
    assert_int_equal(fit(-1, 0, FT_UNDO_STAYS, now()), 1);
    assert_string_equal(misfit.path, common);
    assert_int_equal(misfit.early, 0);
    assert_int_equal(misfit.late, 1);
    assert_true(misfit.time <= now());
}

static void all_back_to_the_start_fit(void **state)
{
    (void)state;
    append(0, common);
    append(1, common);
    assert_int_equal(fit(-1, 0, -1, 0), 0);
}

static void what_precedes_the_checkpoint_is_no_matter(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    cut = checkpoint(0, 4);
    append(1, common);
    assert_int_equal(fit(4, cut, FT_UNDO_STAYS, now()), 0);
    append(0, common);
    assert_int_equal(fit(4, cut, FT_UNDO_STAYS, now()), 1);
}

static void checkpoints_of_one_moment_fit(void **state)
{
    uint64_t cut;

    (void)state;
    append(0, common);
    append(1, common);
    cut = now();
    checkpoint(0, 4);
    checkpoint(1, 4);
    append(0, common);
    append(1, common);
    assert_int_equal(fit(4, cut, 4, cut), 0);
}

/* Rank 1's line behind rank 0's is in its checkpoint, and would go with rank 0's. */
static void a_change_between_the_checkpoints_does_not_fit(void **state)
{
    uint64_t cut[3];

    (void)state;
    cut[0] = checkpoint(0, 4);
    cut[1] = checkpoint(1, 5);
    append(0, common);
    append(1, common);
    cut[2] = checkpoint(1, 6);
    assert_int_equal(fit(4, cut[0], 6, cut[2]), 1);
    assert_int_equal(misfit.late, 1);
    assert_true(misfit.time > cut[1] && misfit.time < cut[2]);
    assert_int_equal(fit(4, cut[0], 5, cut[1]), 0);
}

/* Both put back a file to checkpoints of two moments: only rank 1 had changed it between them. */
static void two_go_back_to_two_moments(void **state)
{
    const char *folder[RANKS] = {store[0], store[1]};
    struct ft_undo_party party[RANKS] = {{&folder[0], 1, 4, 0}, {&folder[1], 1, 5, 0}};
    char failed[FT_WIRE_PATH];
    struct stat status;

    (void)state;
    party[0].cut = checkpoint(0, 4);
    append(1, common);
    party[1].cut = checkpoint(1, 5);
    append(0, common);
    append(1, common);
    assert_int_equal(ft_undo_fit(party, RANKS, -1, &misfit), 0);
    assert_int_equal(ft_undo_apply(party, RANKS, failed, NULL, NULL), 0);
    assert_int_equal(stat(common, &status), 0);
    assert_int_equal(status.st_size, strlen("line\n"));
}

static void only_the_one_that_is_asked_for(void **state)
{
    const char *folder[RANKS] = {store[0], store[1]};
    struct ft_undo_party party[RANKS] = {{&folder[0], 1, -1, 0}, {&folder[1], 1, FT_UNDO_STAYS, 0}};

    (void)state;
    append(0, common);
    append(1, common);
    party[1].cut = now();
    assert_int_equal(ft_undo_fit(party, RANKS, 0, &misfit), 0);
    assert_int_equal(ft_undo_fit(party, RANKS, 1, &misfit), 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(own_files_are_no_matter),       CASE(who_stays_is_too_late),
        CASE(all_back_to_the_start_fit),     CASE(what_precedes_the_checkpoint_is_no_matter),
        CASE(checkpoints_of_one_moment_fit), CASE(a_change_between_the_checkpoints_does_not_fit),
        CASE(two_go_back_to_two_moments),    CASE(only_the_one_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
