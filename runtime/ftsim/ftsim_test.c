/* ftsim_test: simulations against closed forms, and properties that hold for each job. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ftsim/forms.h"
#include "ftsim/sample.h"

static struct sim_effort effort;

static int set_up(void **state)
{
    (void)state;
    sim_effort_default(&effort);
    effort.runs_most = 400;
    effort.precision = 0.012;
    return 0;
}

static struct sim_job job_of(double nodes)
{
    struct sim_job job;

    sim_job_default(&job);
    job.nodes = nodes;
    job.loggers = 0;
    job.cluster = fmin(64, nodes);
    return job;
}

static double hours_of(const struct sim_job *job, enum sim_protection protection)
{
    struct sim_sample sample;

    assert_int_equal(sim_sample_take(job, protection, NULL, &effort, &sample), 0);
    assert_int_equal(sample.unfinished, 0);
    return sample.time.mean / SIM_HOUR;
}

static void assert_near(double measured, double expected, double share)
{
    if (fabs(measured / expected - 1) > share)
        fail_msg("%g instead of %g", measured, expected);
}

/* The published values of both forms, and the first and last values of eq. 1, which are exact. */
static void forms_have_known_values(void **state)
{
    (void)state;
    assert_near(sim_form_daly_interval(5 * 60, 24 * SIM_HOUR), 117 * 60, 0.02); /* Daly, figure 3 */
    assert_near(sim_form_daly_interval(5 * 60, 6 * SIM_HOUR), 57 * 60, 0.02);   /* figure 4 */
    assert_near(sim_form_daly_interval(5 * 60, 15 * 60), 9.1 * 60, 0.02);       /* figure 5 */
    assert_near(sim_form_ferreira(1), 2, 1e-12);
    assert_near(sim_form_ferreira(2), 2.5, 1e-12);
    assert_near(sim_form_ferreira(365), 24.61659, 1e-5); /* birthdays */
    assert_near(sim_form_riesen(168, 0, 0, 1), 168, 1e-12);
    assert_true(isinf(sim_form_riesen(168, 2, 0, 1)));
}

static void coordinated_follows_daly(void **state)
{
    static const double nodes[] = {1000, 10000, 20000, 30000};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct sim_job job = job_of(nodes[i]);
        double interval = sim_job_interval(&job, SIM_COORDINATED);
        double form =
            sim_form_daly(job.work, interval, sim_job_write(&job, SIM_COORDINATED),
                          sim_job_read(&job, SIM_COORDINATED), sim_job_mtti(&job, SIM_COORDINATED));

        assert_near(hours_of(&job, SIM_COORDINATED), form / SIM_HOUR, 0.04);
    }
}

static void combined_follows_riesen(void **state)
{
    static const double nodes[] = {1000, 10000, 30000, 100000};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct sim_job job = job_of(nodes[i]);
        double form =
            sim_form_riesen(job.work, sim_job_interval(&job, SIM_COMBINED),
                            sim_job_read(&job, SIM_COMBINED), sim_job_mtti(&job, SIM_COMBINED));

        assert_near(hours_of(&job, SIM_COMBINED), form / SIM_HOUR, 0.04);
    }
}

/* Equation 1 gives the mean number of failures up to an interruption; with it Daly gives the time.
 */
static void replication_follows_ferreira(void **state)
{
    static const double nodes[] = {1000, 10000, 50000}; /* pairs */

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct sim_job job = job_of(nodes[i]);
        double mtti = sim_form_ferreira(nodes[i]) * job.mtbf / (2 * nodes[i]);
        double write = sim_job_write(&job, SIM_REPLICATION);
        double interval = sim_form_daly_interval(write, mtti);

        job.interval = SIM_GIVEN;
        job.seconds = interval;
        double form =
            sim_form_daly(job.work, interval, write, sim_job_read(&job, SIM_REPLICATION), mtti);
        assert_near(hours_of(&job, SIM_REPLICATION), form / SIM_HOUR, 0.04);
    }
}

static void without_failures_time_is_exact(void **state)
{
    (void)state;
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        struct sim_job job = job_of(100);
        struct sim_sample sample;

        job.mtbf = 1e15;
        job.interval = SIM_GIVEN;
        job.seconds = SIM_HOUR;
        job.local_every = 1e6;
        assert_int_equal(sim_sample_take(&job, (enum sim_protection)i, NULL, &effort, &sample), 0);
        double exact = job.work + 167 * sim_job_pause(&job, (enum sim_protection)i);
        assert_near(sample.time.mean, exact, 1e-9);
        assert_true(sample.failures.mean == 0 && sample.runs == effort.runs_least);
    }
}

static void more_bandwidth_is_never_slower(void **state)
{
    (void)state;
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        double before = INFINITY;

        for (double bandwidth = 0.25e12; bandwidth < 10e12; bandwidth *= 2) {
            struct sim_job job = job_of(20000);

            job.shared_bandwidth = bandwidth;
            double hours = hours_of(&job, (enum sim_protection)i);
            assert_true(hours <= before * 1.03);
            before = hours;
        }
    }
}

static void one_node_finishes(void **state)
{
    (void)state;
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        struct sim_job job = job_of(1);

        job.spares = 1;
        job.cluster = 1;
        assert_near(hours_of(&job, (enum sim_protection)i), 168, 0.02);
    }
}

static void threads_do_not_change_results(void **state)
{
    struct sim_job job = job_of(20000);
    struct sim_sample samples[3];

    (void)state;
    job.distribution = SIM_WEIBULL;
    for (int i = 0; i < 3; i++) {
        struct sim_effort own = effort;

        own.runs_most = 20;
        own.threads = 1 + 3 * i;
        assert_int_equal(sim_sample_take(&job, SIM_CLUSTERS, NULL, &own, &samples[i]), 0);
    }
    assert_memory_equal(&samples[0], &samples[1], sizeof(samples[0]));
    assert_memory_equal(&samples[0], &samples[2], sizeof(samples[0]));
}

static void another_seed_gives_another_run(void **state)
{
    struct sim_job job = job_of(20000);
    struct sim_result results[3];

    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(sim_run(&job, SIM_COORDINATED, 3000, NULL, i / 2, i % 2, &results[i]), 0);
    assert_true(results[0].time != results[1].time && results[0].time != results[2].time);
}

/* The rate of failures of Weibull nodes that were put into service long ago is that of exponential
 * ones. */
static void weibull_nodes_fail_as_often(void **state)
{
    struct sim_job job = job_of(5000);
    struct sim_sample exponential, weibull;

    (void)state;
    assert_int_equal(sim_sample_take(&job, SIM_CLUSTERS, NULL, &effort, &exponential), 0);
    job.distribution = SIM_WEIBULL;
    assert_int_equal(sim_sample_take(&job, SIM_CLUSTERS, NULL, &effort, &weibull), 0);
    assert_near(weibull.failures.mean, exponential.failures.mean, 0.15);
}

static void a_recorded_log_is_repeated(void **state)
{
    char path[] = "/tmp/ftsim_test.XXXXXX", why[SIM_WHY];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct sim_job job = job_of(100);
    struct sim_sample sample;
    struct sim_log log;

    (void)state;
    fputs("# seconds\n100\n\n50000\n90000\n", file);
    fclose(file);
    assert_int_equal(sim_log_read(path, &log, why, sizeof(why)), 0);
    assert_int_equal(log.count, 3);
    job.distribution = SIM_RECORDED;
    assert_int_equal(sim_sample_take(&job, SIM_COORDINATED, &log, &effort, &sample), 0);
    assert_near(sample.failures.mean, sample.time.mean / (log.length / 3), 0.15);
    free(log.times);
    remove(path);
    assert_int_equal(sim_log_read(path, &log, why, sizeof(why)), -1);
}

static void without_nodes_the_job_does_not_finish(void **state)
{
    struct sim_job job = job_of(20000);
    struct sim_result result;

    (void)state;
    job.spares = job.reboot_chance = 0;
    assert_int_equal(sim_run(&job, SIM_COORDINATED, 3000, NULL, 1, 1, &result), 0);
    assert_false(result.finished);
}

/* A checkpoint that is written while the job goes on protects once it is complete, and the next one
 * waits for that: each failure costs the restart and, in the mean, one and a half writings. */
static void writing_in_the_background_protects_late(void **state)
{
    struct sim_job job = job_of(20000);
    double write = sim_job_write(&job, SIM_COORDINATED), mtbf;

    (void)state;
    job.pause = 0.1;
    mtbf = sim_job_mtti(&job, SIM_COORDINATED);
    assert_near(sim_job_interval(&job, SIM_COORDINATED), write, 1e-9);
    double form = job.work / (1 - (write + 1.5 * write) / mtbf) / SIM_HOUR;
    assert_near(hours_of(&job, SIM_COORDINATED), form, 0.05);
}

/* A job that fails at each moment ends, whatever protects it. */
static void hopeless_jobs_end(void **state)
{
    struct sim_job job = job_of(1e6);

    (void)state;
    job.mtbf = 1;
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        struct sim_result result;

        assert_int_equal(sim_run(&job, (enum sim_protection)i, 60, NULL, 1, 1, &result), 0);
        assert_false(result.finished);
    }
}

static void a_searched_interval_is_no_worse(void **state)
{
    struct sim_job job = job_of(20000);
    double daly = hours_of(&job, SIM_COORDINATED);

    (void)state;
    job.interval = SIM_SEARCH;
    assert_true(hours_of(&job, SIM_COORDINATED) <= daly * 1.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_known_values),
        cmocka_unit_test(coordinated_follows_daly),
        cmocka_unit_test(combined_follows_riesen),
        cmocka_unit_test(replication_follows_ferreira),
        cmocka_unit_test(without_failures_time_is_exact),
        cmocka_unit_test(more_bandwidth_is_never_slower),
        cmocka_unit_test(one_node_finishes),
        cmocka_unit_test(threads_do_not_change_results),
        cmocka_unit_test(another_seed_gives_another_run),
        cmocka_unit_test(weibull_nodes_fail_as_often),
        cmocka_unit_test(a_recorded_log_is_repeated),
        cmocka_unit_test(without_nodes_the_job_does_not_finish),
        cmocka_unit_test(writing_in_the_background_protects_late),
        cmocka_unit_test(hopeless_jobs_end),
        cmocka_unit_test(a_searched_interval_is_no_worse),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
