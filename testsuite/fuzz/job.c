/* Any bytes as a job for ftsim. An accepted one has derived values that are numbers; with
 * exponential failures and few nodes one run of it ends. */
#include "ftsim/sample.h"
#include "testsuite/fuzz/file.h"

#include <assert.h>

enum { WHY = 512, SMALL = 1000 };

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void check(const struct sim_job *job, enum sim_protection protection)
{
    assert(job->nodes >= 1 && job->cluster >= 1 && job->cluster <= job->nodes);
    assert(sim_job_write(job, protection) >= 0 && sim_job_read(job, protection) >= 0);
    assert(sim_job_interval(job, protection) > 0 || sim_job_write(job, protection) == 0);
    assert(sim_job_mtti(job, protection) > 0);
    assert(sim_job_reserved(job, protection) >= job->nodes);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct sim_job job;
    struct sim_result result;
    char why[WHY] = "";

    sim_job_default(&job);
    if (sim_job_read_file(fuzz_file(bytes, length), &job, why, sizeof(why)) != 0) {
        assert(why[0] != '\0');
        return 0;
    }
    sim_job_settle(&job);
    for (int i = 0; i < SIM_PROTECTIONS; i++) {
        check(&job, (enum sim_protection)i);
        if (job.nodes <= SMALL && job.work <= 1e7 && job.distribution == SIM_EXPONENTIAL)
            assert(sim_run(&job, (enum sim_protection)i, 3600, NULL, 1, 1, &result) == 0);
    }
    return 0;
}
