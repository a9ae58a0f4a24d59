/* nameless_test: files without a name that processes have open, of clusters that know nothing of
 * each other. What files/undo.h answers is the test's. */
#include "files/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "putback/putback.h"

#define CLUSTERS 2

static struct ft_member members[CLUSTERS], *member[CLUSTERS] = {&members[0], &members[1]};
static struct ft_cluster clusters[CLUSTERS], *list[CLUSTERS] = {&clusters[0], &clusters[1]};
static int32_t of[CLUSTERS] = {0, 1};
static struct ft_run run = {.clusters = list,
                            .cluster_count = CLUSTERS,
                            .parts = CLUSTERS,
                            .size = CLUSTERS,
                            .members = members,
                            .of = of};
static struct ft_manifest newest[CLUSTERS];
static char name[] = "/tmp/nameless_test-XXXXXX", path[FT_WIRE_PATH];
static int file = -1, answer;       /* of the list of accesses */
static struct ft_undo_access *done; /* what is in it, three times */

struct ft_manifest *ft_cluster_newest(const struct ft_cluster *cluster)
{
    return &newest[cluster == &clusters[1]];
}

int ft_undo_accesses(const struct ft_undo_party *parties, int count, char *failed,
                     ft_undo_access_each *each, void *context)
{
    assert_int_equal(count, 1);
    assert_int_equal(parties->number, 3);
    if (answer) {
        strcpy(failed, "a list");
        return answer;
    }
    done->time = 8;
    each(context, 0, 0, done);
    done->time = 7;
    each(context, 0, 0, done);
    done->time = 9;
    return each(context, 0, 0, done);
}

/* A file that has lost its name, open for reading or for both in this process, and then in a child
 * that waits. */
static void both_open(int flags)
{
    strcpy(name + sizeof(name) - 7, "XXXXXX");
    close(mkostemp(name, O_CLOEXEC));
    file = open(name, flags | O_CLOEXEC);
    assert_true(file >= 0);
    unlink(name);
    members[0].pid = getpid();
    members[1].pid = fork();
    if (members[1].pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    for (int i = 0; i < CLUSTERS; i++)
        clusters[i] = (struct ft_cluster){.run = &run, .count = 1, .members = &member[i]};
}

static void both_close(void)
{
    if (file >= 0)
        close(file);
    kill(members[1].pid, SIGKILL);
    waitpid(members[1].pid, NULL, 0);
}

static void who_shares_a_file_that_is_written_is_a_partner(void **state)
{
    (void)state;
    both_open(O_RDWR);
    assert_ptr_equal(ft_nameless_partner(&clusters[0], path), &clusters[1]);
    assert_string_equal(path, name);
    assert_ptr_equal(ft_nameless_partner(&clusters[1], path), &clusters[0]);
    assert_true(ft_nameless_crosses(&run));
    of[1] = 0;
    assert_false(ft_nameless_crosses(&run));
    of[1] = 1;
    close(file);
    file = -1;
    assert_null(ft_nameless_partner(&clusters[0], path));
    assert_false(ft_nameless_crosses(&run));
    both_close();
}

static void one_that_is_read_is_everybodys_own(void **state)
{
    (void)state;
    both_open(O_RDONLY);
    assert_null(ft_nameless_partner(&clusters[0], path));
    both_close();
}

static void what_has_a_name_is_another_matter(void **state)
{
    (void)state;
    both_open(O_RDWR);
    close(file);
    file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_null(ft_nameless_partner(&clusters[0], path));
    both_close();
}

/* The first cluster stays, the second one goes back. */
static int fit_one(const char *changed, enum ft_access_change change, struct ft_undo_misfit *misfit)
{
    struct ft_undo_party parties[CLUSTERS] = {{.number = FT_UNDO_STAYS}, {.number = 3}};
    int code;

    done = calloc(1, sizeof(*done) + FT_WIRE_PATH);
    done->change = change;
    strcpy(done->path, changed);
    code = ft_nameless_fit(&run, parties, misfit);
    free(done);
    return code;
}

static void who_stays_does_not_keep_what_is_made_again(void **state)
{
    struct ft_undo_misfit misfit;

    (void)state;
    both_open(O_RDONLY);
    assert_int_equal(fit_one(name, FT_ACCESS_CONTENT, &misfit), 1);
    assert_int_equal(misfit.late, 0);
    assert_int_equal(misfit.early, 1);
    assert_int_equal(misfit.time, 7);
    assert_string_equal(misfit.path, name);
    assert_int_equal(fit_one(name, FT_ACCESS_NAME, &misfit), 1);
    assert_int_equal(fit_one(name, FT_ACCESS_READ, &misfit), 0);
    assert_int_equal(fit_one("/tmp/another", FT_ACCESS_CONTENT, &misfit), 0);
    both_close();
}

/* parties: their checkpoints and moments. */
static void expect_fall(struct ft_undo_party first, struct ft_undo_party second, int late,
                        uint64_t time)
{
    const struct ft_undo_party parties[CLUSTERS] = {first, second};
    struct ft_undo_misfit misfit;

    assert_int_equal(ft_nameless_fit(&run, parties, &misfit), 1);
    assert_int_equal(misfit.late, late);
    assert_int_equal(misfit.early, 1 - late);
    assert_int_equal(misfit.time, time);
}

static void where_all_have_one_nobody_goes_back_alone(void **state)
{
    const struct ft_undo_party stays = {.number = FT_UNDO_STAYS, .cut = 90},
                               there = {.number = 4, .cut = 40}, later = {.number = 5, .cut = 50},
                               earlier = {.number = 2, .cut = 20};
    struct ft_undo_misfit misfit;

    (void)state;
    members[0].pid = members[1].pid = 0;
    newest[1].nameless = 1;
    expect_fall(stays, there, 0, 40);
    expect_fall(later, there, 0, 40);
    expect_fall(earlier, there, 1, 39);
    assert_int_equal(ft_nameless_fit(&run, (const struct ft_undo_party[]){there, there}, &misfit),
                     0);
    assert_int_equal(ft_nameless_fit(&run, (const struct ft_undo_party[]){stays, stays}, &misfit),
                     0);
    newest[1].nameless = 0;
    assert_int_equal(ft_nameless_fit(&run, (const struct ft_undo_party[]){stays, stays}, &misfit),
                     0);
}

static void a_list_that_cannot_be_read_is_an_error(void **state)
{
    struct ft_undo_misfit misfit;

    (void)state;
    both_open(O_RDONLY);
    answer = -EBADMSG;
    assert_int_equal(fit_one(name, FT_ACCESS_CONTENT, &misfit), -EBADMSG);
    assert_string_equal(misfit.path, "a list");
    answer = 0;
    both_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_shares_a_file_that_is_written_is_a_partner),
        cmocka_unit_test(one_that_is_read_is_everybodys_own),
        cmocka_unit_test(what_has_a_name_is_another_matter),
        cmocka_unit_test(who_stays_does_not_keep_what_is_made_again),
        cmocka_unit_test(where_all_have_one_nobody_goes_back_alone),
        cmocka_unit_test(a_list_that_cannot_be_read_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
