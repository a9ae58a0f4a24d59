/* Files that ranks of two clusters change: rank 0 is the one that goes back. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void checkpoint(int r, uint32_t number)
{
    act_as(r);
    ft_depth = 1;
    assert_int_equal(ft_files_save(&rank[r], number), 0);
    act_as(-1);
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

/* What going back to `number` alone would meet. */
static int shared(int number, char *failed)
{
    const char *folder[] = {store[0]}, *other[] = {store[1]};

    return ft_undo_shared(folder, 1, number, other, 1, failed);
}

static void own_files_are_no_matter(void **state)
{
    char failed[FT_WIRE_PATH];

    (void)state;
    append(0, mine);
    append(1, common);
    assert_int_equal(shared(-1, failed), 0);
}

static void a_common_file_is_named(void **state)
{
    char failed[FT_WIRE_PATH];

    (void)state;
    append(0, common);
    append(1, common);
    assert_int_equal(shared(-1, failed), -EBUSY);
    assert_string_equal(failed, common);
}

static void what_precedes_the_checkpoint_is_no_matter(void **state)
{
    char failed[FT_WIRE_PATH];

    (void)state;
    append(0, common);
    checkpoint(0, 4);
    append(1, common);
    assert_int_equal(shared(4, failed), 0);
    append(0, common);
    assert_int_equal(shared(4, failed), -EBUSY);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(own_files_are_no_matter),
        CASE(a_common_file_is_named),
        CASE(what_precedes_the_checkpoint_is_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
