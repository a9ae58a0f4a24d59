/* The results of failures of clusters for the patterns that were believed in them, without any
 * run; and the planned failures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "console/say.h"
#include "options/fields.h"
#include "rehearse/rehearse.h"

enum { RANKS = 3 };

const char ft_rehearse_css[] = "";

void ft_say(const char *format, ...)
{
    (void)format;
}

const char *ft_trust_result(enum ft_trust_result result)
{
    static const char *const words[] = {"unsupported", "supported", "contradicted"};

    return words[result];
}

const struct ft_site_entry *ft_sites_find(const struct ft_sites *sites, uint32_t id)
{
    (void)sites, (void)id;
    return NULL;
}

int ft_sites_trusted(const struct ft_sites *sites, uint32_t pattern)
{
    (void)sites, (void)pattern;
    return 1;
}

int ft_sites_triable(const struct ft_sites *sites, uint32_t pattern)
{
    (void)sites, (void)pattern;
    return 1;
}

const struct ft_pattern_entry *ft_sites_patterns(const struct ft_sites *sites, uint32_t *count)
{
    (void)sites;
    *count = 0;
    return NULL;
}

const char *ft_sites_text(const struct ft_sites *sites, uint32_t offset)
{
    (void)sites, (void)offset;
    return "";
}

/* A failure of a cluster of one rank at its end; early: it died before. */
static json_t *trial(const char *result, int back, int ranks, int early)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "kind", "cluster",
                     "moment", "end", "result", result, "detail", "line 1", "cluster", 1, "back",
                     back, "of", RANKS, "ranks", ranks, "members", 1, "occurrence", early ? 1 : 9,
                     "times", 9);
}

/* The result of a pattern with these trials, which it takes, and what its detail says. */
static void judged(const char *result, const char *detail, json_t *first, json_t *second)
{
    json_t *pattern =
        json_pack("{s:b, s:s, s:s}", "proved", 1, "result", "unsupported", "detail", "");
    json_t *old = trial("failed", 1, 1, 0); /* of a step before */
    json_t *document = json_pack("{s:i, s:[o], s:[o,o,o]}", "ranks", RANKS, "patterns", pattern,
                                 "trials", old, first, second);

    assert_int_equal(ft_rehearse_step_begin(json_object_get(document, "patterns"), 1), 1);
    ft_rehearse_step_judge(document, 1);
    assert_string_equal(ft_field_text(pattern, "result"), result);
    assert_non_null(strstr(ft_field_text(pattern, "detail"), detail));
    json_decref(document);
}

static void test_judged(void **state)
{
    (void)state;
    judged("supported", "", trial("survived", 1, 1, 0), trial("survived", 1, 1, 0));
    judged("contradicted", "the run differed: line 1", trial("survived", 1, 1, 0),
           trial("differed", 1, 1, 0));
    judged("contradicted", "the run hung", trial("hung", 3, 3, 0), trial("survived", 1, 1, 0));
    judged("contradicted", "the run failed", trial("failed", 3, 3, 0), trial("survived", 1, 1, 0));
    judged("unsupported", "tried by only 1", trial("survived", 1, 1, 0),
           trial("survived", 1, 1, 1));
    judged("unsupported", "tried by only 1", trial("survived", 2, 2, 0),
           trial("survived", 1, 1, 0));
    judged("unsupported", "tried by only 0", trial("not reached", 0, 0, 0),
           trial("survived", 3, 3, 0));
}

/* If all ranks rolled back, other output may come from another order of messages, so no trusted
 * pattern is blamed. If some rank stayed, the pattern is blamed. */
static void test_all_back(void **state)
{
    (void)state;
    judged("unsupported", "tried by only 1", trial("differed", 3, 3, 0),
           trial("survived", 1, 1, 0));
    judged("contradicted", "the run differed", trial("differed", 2, 2, 0),
           trial("survived", 1, 1, 0));
}

/* A cluster fails in the middle, and once at its end, behind which nothing is left undone. */
static void test_plan(void **state)
{
    struct ft_options options = {.size = RANKS, .clusters = "3"};
    json_t *made = json_pack("{s:i, s:i, s:i, s:i}", "MPI_Init", 1, "MPI_Bcast", 90, "MPI_Recv", 60,
                             "MPI_Finalize", 1);
    json_t *calls = json_pack("[o, O, O]", made, made, made);
    json_t *plan = ft_rehearse_plan(&options, calls), *run;
    size_t i;
    int middles = 0, ends = 0;

    (void)state;
    json_array_foreach (plan, i, run) {
        int middle = ft_field_is(run, "moment", "middle"), end = ft_field_is(run, "moment", "end");

        assert_int_equal(middle || end, ft_field_is(run, "kind", "cluster"));
        if (middle)
            assert_true(ft_field_is(run, "call", "MPI_Bcast") &&
                        ft_field_number(run, "occurrence") == 45);
        if (end)
            assert_true(ft_field_is(run, "call", "MPI_Finalize") &&
                        ft_field_number(run, "occurrence") == ft_field_number(run, "times"));
        middles += middle;
        ends += end;
    }
    assert_int_equal(middles, RANKS);
    assert_int_equal(ends, RANKS);
    assert_int_equal(json_array_size(plan), RANKS * 4 + 2 * RANKS);
    json_decref(plan);
    json_decref(calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judged),
        cmocka_unit_test(test_all_back),
        cmocka_unit_test(test_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
