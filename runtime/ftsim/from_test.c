/* from_test: costs taken from the events and the profile of a run, from damaged ones, and from
 * noise. */
#include <math.h>
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
#include "ftsim/from.h"

static const char events[] =
    "{\"t\": 0, \"event\": \"job\", \"program\": \"./app\", \"ranks\": 2}\n"
    "{\"t\": 0.1, \"event\": \"start\", \"rank\": 1, \"pid\": 7, \"epoch\": 0}\n"
    "{\"t\": 0.2, \"event\": \"epoch\", \"epoch\": 0, \"ranks\": 2, \"seconds\": 0.2}\n"
    "{\"t\": 1, \"event\": \"checkpoint-commit\", \"ranks\": 2, \"bytes\": 8000000, \"pause\": "
    "0.25, "
    "\"write\": 2}\n"
    "{\"t\": 5, \"event\": \"epoch\", \"epoch\": 1, \"ranks\": 2, \"seconds\": 0.5}\n"
    "{\"t\": 9, \"event\": \"end\", \"code\": 0, \"failures\": 1}\n";
static const char profile[] =
    "{\"format\": \"ftcc-profile\", \"version\": 1, \"program\": \"./app\", \"ranks\": 4, "
    "\"seconds\": 2, \"traffic\": [[0, 1, 5, 8000000], [1, 2, 5, 80000000], [2, 3, 5, 8000000]]}";

static char path[] = "/tmp/from_test.XXXXXX";
static char told[2 * SIM_PATH], why[SIM_WHY + SIM_PATH];

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

static void write_text(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fwrite(text, 1, length, file);
    fclose(file);
}

static int read_events(const char *text, size_t length, struct sim_job *job)
{
    write_text(text, length);
    sim_job_default(job);
    return sim_from_events(path, job, told, sizeof(told), why, sizeof(why));
}

static void costs_are_taken_from_events(void **state)
{
    struct sim_job job;

    (void)state;
    assert_int_equal(read_events(events, strlen(events), &job), 0);
    assert_true(job.nodes == 2 && job.bytes == 4e6 && job.pause == 0.25);
    assert_true(job.node_bandwidth == 2e6 && job.restart == 0.5 && job.work == 9);
    assert_non_null(strstr(told, "2 ranks, 4 MB a checkpoint"));
}

static void events_without_a_checkpoint_are_refused(void **state)
{
    static const char text[] = "{\"t\": 9, \"event\": \"end\", \"code\": 0}\n";
    static const char wrong[] =
        "{\"event\": \"checkpoint-commit\", \"ranks\": 2, \"bytes\": -8, \"write\": 1}\n";
    struct sim_job job;

    (void)state;
    assert_int_equal(read_events(text, strlen(text), &job), -1);
    assert_non_null(strstr(why, "the run took no checkpoint"));
    assert_int_equal(read_events(wrong, strlen(wrong), &job), -1);
    assert_non_null(strstr(why, "are not those of a run"));
    assert_int_equal(read_events("{}\n[1]\n", 7, &job), -1);
    assert_non_null(strstr(why, ":2: expected an event"));
    assert_int_equal(sim_from_events("/none/run", &job, told, sizeof(told), why, sizeof(why)), -1);
    assert_string_equal(why, "/none/run: No such file or directory");
}

static void logs_grow_by_what_goes_between_clusters(void **state)
{
    struct sim_job job;

    (void)state;
    write_text(profile, strlen(profile));
    sim_job_default(&job);
    job.cluster = 1;
    assert_int_equal(sim_from_profile(path, &job, told, sizeof(told), why), 0);
    assert_true(job.log_growth == 96e6 / 4 / 2);
    job.cluster = 64; /* larger than the run: half of its ranks */
    assert_int_equal(sim_from_profile(path, &job, told, sizeof(told), why), 0);
    assert_true(job.log_growth == 80e6 / 4 / 2);
    assert_true(sim_job_slowness(&job, SIM_CLUSTERS) > 1);
    assert_true(sim_job_slowness(&job, SIM_COORDINATED) == 1);
}

/* Bytes of `text` are changed and removed; it must be read or refused with a message. */
static void make_noise(const char *text, bool is_profile)
{
    struct sim_draw draw = sim_draw_begin(11, is_profile);
    struct sim_job job;
    char copy[1024];

    assert_true(strlen(text) < sizeof(copy));
    for (int i = 0; i < 3000; i++) {
        size_t length = strlen(text);

        memcpy(copy, text, length);
        for (uint64_t j = sim_draw_below(&draw, 6); j-- > 0;) {
            size_t at = sim_draw_below(&draw, length);

            if (sim_draw_below(&draw, 2))
                copy[at] = (char)sim_draw_below(&draw, 256);
            else
                memmove(copy + at, copy + at + 1, --length - at);
        }
        why[0] = 0;
        if (!is_profile) {
            assert_true(read_events(copy, length, &job) == 0 || why[0]);
            continue;
        }
        write_text(copy, length);
        sim_job_default(&job);
        job.cluster = 2;
        assert_true(sim_from_profile(path, &job, told, sizeof(told), why) == 0 || why[0]);
    }
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    make_noise(events, false);
    make_noise(profile, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_taken_from_events),
        cmocka_unit_test(events_without_a_checkpoint_are_refused),
        cmocka_unit_test(logs_grow_by_what_goes_between_clusters),
        cmocka_unit_test(noise_does_no_harm),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
