/* Which paths ft_undo_apply tells of: before it puts anything back, and what became of folders. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/undo_tree.h"

static char told[256], *tree_when_told;

static int tell(void *context, const char *path, enum ft_undo_fate fate)
{
    static const char *const mark[] = {
        [FT_UNDO_PENDING] = " ", [FT_UNDO_STAYED] = "! ", [FT_UNDO_LENT] = "? "};
    char *now;

    assert_ptr_equal(context, told);
    if (fate == FT_UNDO_NEEDED)
        return 1;
    if (fate == FT_UNDO_GOES)
        return strstr(path, "used") != NULL;
    now = tree_snapshot();
    if (fate == FT_UNDO_PENDING)
        assert_string_equal(now, tree_when_told);
    free(now);
    strcat(strcat(told, path + strlen(tree)), mark[fate]);
    return 0;
}

/* Each path once, whoever changed it how often, while all is as it was; nothing when it cannot be
 * put back. */
static void test_paths_are_told(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH], data[600];

    tree_setup(state);
    file_put("a", "w", "alpha");
    act_as(0);
    file_put("b", "w", "new");
    file_put("a", "w", "other");
    act_as(1);
    file_put("a", "a", "more");
    act_as(-1);
    tree_when_told = tree_snapshot();
    snprintf(data, sizeof data, "%s/00000000-000000000001.data", store[0]);
    assert_int_equal(truncate(data, 1), 0);
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), -EBADMSG);
    assert_string_equal(told, "");
    file_put("../undo0/00000000-000000000001.data", "w", "alpha");
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/a /b ");
    free(tree_when_told);
}

/* Those that somebody else has filled, or uses, once they have stayed. */
static void test_folders_that_stay_are_told(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH];

    tree_setup(state);
    act_as(0);
    mkdir(tree_path("empty"), 0700);
    mkdir(tree_path("filled"), 0700);
    mkdir(tree_path("used"), 0700);
    act_as(-1);
    file_put("filled/x", "w", "other's");
    tree_when_told = tree_snapshot();
    *told = 0;
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/empty /filled /used /used! /filled! ");
    free(tree_when_told);
}

/* Somebody else has removed them, and keeps that. */
static void test_folders_that_are_gone_are_lent(void **state)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {folder, RANKS, -1, 0};
    char failed[FT_WIRE_PATH], *before, *after;

    tree_setup(state);
    mkdir(tree_path("d"), 0700);
    mkdir(tree_path("d/e"), 0700);
    file_put("d/e/x", "w", "alpha");
    mkdir(tree_path("f"), 0700);
    before = tree_snapshot();
    act_as(0);
    unlink(tree_path("d/e/x"));
    file_put("f/new", "w", "to be made again");
    unlink(tree_path("f/new"));
    mkdir(tree_path("g"), 0700);
    file_put("g/new", "w", "to be made again, behind the folder");
    unlink(tree_path("g/new"));
    rmdir(tree_path("g"));
    act_as(-1);
    rmdir(tree_path("d/e"));
    rmdir(tree_path("d"));
    rmdir(tree_path("f"));
    *told = 0;
    tree_when_told = tree_snapshot();
    assert_int_equal(ft_undo_apply(&party, 1, failed, tell, told), 0);
    assert_string_equal(told, "/d/e/x /f/new /g /g/new /d? /d/e? /f? ");
    after = tree_snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
    free(tree_when_told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths_are_told),
                                       cmocka_unit_test(test_folders_that_stay_are_told),
                                       cmocka_unit_test(test_folders_that_are_gone_are_lent)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
