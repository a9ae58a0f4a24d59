/* advise_test: what is advised, and that results can be read by programs. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ftsim/advise.h"

static struct sim_point point_of(double nodes)
{
    struct sim_point point = {.count = 0};
    struct sim_effort effort;

    sim_effort_default(&effort);
    effort.runs_most = 10;
    sim_job_default(&point.job);
    point.job.nodes = nodes;
    sim_job_settle(&point.job);
    for (int i = 0; i < SIM_PROTECTIONS; i++)
        assert_int_equal(sim_sample_take(&point.job, (enum sim_protection)i, NULL, &effort,
                                         &point.samples[point.count++]),
                         0);
    return point;
}

/* The advice for a job, as text; the caller frees it. */
static char *advice_of(const struct sim_point *point, int *code)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    *code = sim_advise_print(out, point);
    fclose(out);
    return text;
}

static void advice_is_what_ftrun_has(void **state)
{
    struct sim_point point = point_of(10000);
    int code;
    char *text = advice_of(&point, &code);

    (void)state;
    assert_int_equal(code, 0);
    assert_true(strstr(text, "take clusters-levels: ") == text ||
                strstr(text, "take levels: ") == text);
    assert_non_null(strstr(text, " --local FOLDER --levels partner,shared:"));
    assert_non_null(strstr(text, "  ftrun --hostfile NODES --spares "));
    assert_non_null(strstr(text, " -n RANKS PROGRAM\nnext "));
    assert_non_null(strstr(text, "\nthen "));
    free(text);
}

static void hopeless_jobs_get_no_advice(void **state)
{
    struct sim_point point = point_of(1000000);
    int code;

    (void)state;
    point.job.level = SIM_LOCAL; /* ftrun has no such level */
    char *text = advice_of(&point, &code);
    assert_int_equal(code, -1);
    assert_non_null(strstr(text, "no protection of ftrun"));
    free(text);
}

static void results_are_json(void **state)
{
    struct sim_point point = point_of(1000);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(sim_results_write_json(out, &point, 1, 1), 0);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    json_t *first = json_array_get(json_object_get(root, "points"), 0);
    json_t *samples = json_object_get(first, "protections");
    assert_int_equal(json_array_size(samples), SIM_PROTECTIONS);
    for (size_t i = 0; i < json_array_size(samples); i++)
        assert_true(json_is_number(json_object_get(json_array_get(samples, i), "restarts_half")));
    json_decref(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice_is_what_ftrun_has),
        cmocka_unit_test(hopeless_jobs_get_no_advice),
        cmocka_unit_test(results_are_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
