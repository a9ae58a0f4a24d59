/* The questions and messages of ft_undo_apply about folders that ranks have made. */
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

static char told[256];

static int tell(void *context, const char *path, int party, int place, enum ft_undo_folder fate)
{
    assert_ptr_equal(context, told);
    assert_int_equal(party, 0);
    if (fate == FT_UNDO_GOES)
        return strstr(path, "used") != NULL;
    sprintf(told + strlen(told), "%s of %d ", path + strlen(tree), place);
    return 0;
}

static int undo_all(void)
{
    const char *folder[RANKS] = {store[0], store[1], store[2]};
    struct ft_undo_party party = {.folders = folder, .count = RANKS, .number = -1};
    char failed[FT_WIRE_PATH];

    *told = 0;
    return ft_undo_apply(&party, 1, failed, tell, told);
}

/* Folders that somebody else has filled, or that the caller wants to stay. */
static void test_folders_that_stay_are_told(void **state)
{
    tree_setup(state);
    act_as(0);
    mkdir(tree_path("empty"), 0700);
    mkdir(tree_path("filled"), 0700);
    act_as(2);
    mkdir(tree_path("used"), 0700);
    act_as(-1);
    file_put("filled/x", "w", "other's");
    assert_int_equal(undo_all(), 0);
    assert_string_equal(told, "/used of 2 /filled of 0 ");
    assert_int_equal(access(tree_path("empty"), F_OK), -1);
    assert_int_equal(access(tree_path("used"), F_OK), 0);
}

/* Nothing is told, and nothing changed, when a copy is damaged. */
static void test_damage_is_found_before_anything_is_told(void **state)
{
    char data[600];

    tree_setup(state);
    file_put("a", "w", "alpha");
    act_as(0);
    file_put("a", "w", "other");
    mkdir(tree_path("used"), 0700);
    act_as(-1);
    snprintf(data, sizeof data, "%s/00000000-000000000000.data", store[0]);
    assert_int_equal(truncate(data, 1), 0);
    assert_int_equal(undo_all(), -EBADMSG);
    assert_string_equal(told, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders_that_stay_are_told),
        cmocka_unit_test(test_damage_is_found_before_anything_is_told)};

    setvbuf(stdout, NULL, _IONBF, 0);
    return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
