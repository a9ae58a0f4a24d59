/* job_lua_test: job files that are right, that are wrong, and that are noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "ftsim/draw.h"
#include "ftsim/job.h"

static char path[] = "/tmp/job_lua_test.XXXXXX";
static char why[SIM_WHY];

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return remove(path);
}

static int read_text(const char *text, size_t length, struct sim_job *job)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fwrite(text, 1, length, file);
    fclose(file);
    sim_job_default(job);
    return sim_job_read_file(path, job, why, sizeof(why));
}

static void fields_are_taken(void **state)
{
    static const char text[] =
        "local thousand = 1000\n"
        "return { nodes = 20 * thousand, mtbf_years = 2, work_hours = 24, sockets = 2,\n"
        " bytes_per_node = 1e9, interval = 600, distribution = 'weibull', shape = 0.8,\n"
        " cluster_nodes = 16, overhead = { clusters = 0.02 },\n"
        " protections = { 'clusters', 'replication' } }\n";
    struct sim_job job;

    (void)state;
    assert_int_equal(read_text(text, strlen(text), &job), 0);
    assert_true(job.nodes == 20000 && job.mtbf == 2 * SIM_YEAR && job.work == 24 * SIM_HOUR);
    assert_true(job.interval == SIM_GIVEN && job.seconds == 600 && job.distribution == SIM_WEIBULL);
    assert_true(job.overhead[SIM_CLUSTERS] == 0.02 && job.cluster == 16);
    assert_true(job.protections[SIM_CLUSTERS] && job.protections[SIM_REPLICATION]);
    assert_false(job.protections[SIM_COORDINATED] || job.protections[SIM_COMBINED]);
}

/* A text, and what the message must say behind the file's name. */
static const struct {
    const char *text, *said;
} bad[] = {
    {"", ":1: expected `return {field = value, ...}`"},
    {"return 7", ":1: expected `return {field = value, ...}`"},
    {"return {", ":1: unexpected symbol near <eof>"},
    {"return {\nnodes = }", ":2: unexpected symbol near '}'"},
    {"return {7}", ":1: a value without the name of a field"},
    {"return {nodes = 0}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = 2.5}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = -1}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = '10'}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = {}}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = 0/0}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {nodes = math.huge}", ":1: nodes: expected a whole number from 1 to 1e+07"},
    {"return {\n\nnods = 5}", ":3: nods: there is no such field; see ftsim(1)"},
    {"return {\nwork_hours = 0}", ":2: work_hours: expected a number from 1e-06 to 1e+07"},
    {"return {mtbf_years = -5}", ":1: mtbf_years: expected a number from 1e-09 to 1e+06"},
    {"return {shape = 0}", ":1: shape: expected a number from 0.1 to 10"},
    {"return {bytes_per_node = -1}", ":1: bytes_per_node: expected a number from 0 to 1e+16"},
    {"return {node_bandwidth = 0}", ":1: node_bandwidth: expected a number from 1 to 1e+15"},
    {"return {file_system_bandwidth = false}",
     ":1: file_system_bandwidth: expected a number from 1 to 1e+18"},
    {"return {reboot_chance = 1.5}", ":1: reboot_chance: expected a number from 0 to 1"},
    {"return {spares = 5}", ":1: spares: expected a number from 0 to 1"},
    {"return {nodes = 4,\ncluster_nodes = 8}",
     ":2: cluster_nodes: expected at most as many as nodes"},
    {"return {interval = 'hourly'}",
     ":1: interval: expected \"daly\", \"young\", \"search\" or seconds of work, more than 0"},
    {"return {interval = 0}",
     ":1: interval: expected \"daly\", \"young\", \"search\" or seconds of work, more than 0"},
    {"return {distribution = 'normal'}",
     ":1: distribution: expected \"exponential\" or \"weibull\""},
    {"return {failure_log = 7}", ":1: failure_log: expected the path of a file"},
    {"return {protections = {}}", ":1: protections: expected a list of \"coordinated\""},
    {"return {protections = {'none'}}", ":1: protections: expected a list of \"coordinated\""},
    {"return {protections = 'levels'}", ":1: protections: expected a list of \"coordinated\""},
    {"return {level = 'memory'}", ":1: level: expected \"local\", \"partner\" or \"reed-solomon\""},
    {"return {repair_hours = -1}", ":1: repair_hours: expected a number from 0 to 1e+06"},
    {"return {log_growth = -1}", ":1: log_growth: expected a number from 0 to 1e+12"},
    {"return {overhead = 0.1}", ":1: overhead: expected shares from 0 to 10 by protection"},
    {"return {overhead = {levels = -1}}",
     ":1: overhead: expected shares from 0 to 10 by protection"},
    {"return {overhead = {none = 1}}", ":1: overhead: expected shares from 0 to 10 by protection"},
    {"while true do end", "more than 10000000 instructions"},
    {"local t = 'x' while true do t = t .. t end", "not enough memory"},
    {"return io.open('/etc/passwd')", "attempt to index a nil value (global 'io')"},
    {"return os.exit(0)", "attempt to index a nil value (global 'os')"},
    {"return dofile('/etc/passwd')", "attempt to call a nil value (global 'dofile')"},
    {"return load('return {}')()", "attempt to call a nil value (global 'load')"},
    {"error({})", "an error without a message"},
};

static void wrong_jobs_are_refused(void **state)
{
    struct sim_job job;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_text(bad[i].text, strlen(bad[i].text), &job), -1);
        if (!strstr(why, bad[i].said))
            fail_msg("%s: \"%s\" is not in \"%s\"", bad[i].text, bad[i].said, why);
    }
}

static void a_file_that_is_not_there_is_refused(void **state)
{
    struct sim_job job;

    (void)state;
    assert_int_equal(sim_job_read_file("/none/job.lua", &job, why, sizeof(why)), -1);
    assert_string_equal(why, "/none/job.lua: No such file or directory");
}

/* Bytes of right jobs are changed, removed and doubled: each text is taken or refused with a
 * message. */
static void noise_does_no_harm(void **state)
{
    static const char seed[] =
        "return { nodes = 20000, interval = 'search', overhead = { clusters = 0.02 },\n"
        "protections = { 'clusters', 'levels' }, spares = 0.5, shape = 1e0 }";
    struct sim_draw draw = sim_draw_begin(7, 0);
    struct sim_job job;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        char text[2 * sizeof(seed)];
        size_t length = sizeof(seed) - 1;

        memcpy(text, seed, sizeof(seed));
        for (uint64_t j = sim_draw_below(&draw, 6); j-- > 0;) {
            size_t at = sim_draw_below(&draw, length);

            if (sim_draw_below(&draw, 2))
                text[at] = (char)sim_draw_below(&draw, 256);
            else
                memmove(text + at, text + at + 1, --length - at);
        }
        why[0] = 0;
        assert_true(read_text(text, length, &job) == 0 || why[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_taken),
        cmocka_unit_test(wrong_jobs_are_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_refused),
        cmocka_unit_test(noise_does_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
