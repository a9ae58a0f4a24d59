/* Idea: source, facts, choice, edits, each made from the one before. What was edited is parsed
 * again before anybody compiles it: when clang finds an error there, or no hook, the edits are
 * dropped and the file is compiled as it is. */
#include "ftcc/job.h"
#include "analysis/unit.h"
#include "ftcc/scan.h"
#include "ftcc/text.h"
#include "rewriters/hook.h"

#include <stdlib.h>
#include <string.h>

/* The words that clang may need: those of the user and those of mpicc. */
static const char **flags_collect(const struct cc_options *options, UT_array *added)
{
    size_t count = 0;
    const char **flags =
        calloc(utarray_len(&options->words) + utarray_len(added) + 1, sizeof *flags);
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_PLAIN)
            flags[count++] = word->text;
    for (char **word = NULL; (word = utarray_next(added, word));)
        flags[count++] = *word;
    return flags;
}

static void edits_check(struct cc_job *job, const char **flags)
{
    struct rw_text edited = rw_edits_apply(job->edits, job->text.text, job->text.length, 0,
                                           job->text.length, job->path);
    struct an_facts *facts = an_unit_read(job->path, edited.text, edited.length, flags);
    if (facts->problem || !facts->hooked_by_hand) {
        job->facts->problem =
            an_facts_printf(job->facts, "with a hook it would no longer be valid: %s",
                            facts->problem ? facts->problem : "the hook is not seen");
        rw_edits_destroy(job->edits);
        job->edits = NULL;
    }
    an_facts_destroy(facts);
    free(edited.text);
}

static void edits_make(struct cc_job *job, const char **flags)
{
    struct an_choice choice = an_loops_choose(job->facts);
    struct rw_edits *edits = rw_edits_create();
    if (rw_hook_insert(job->facts, &choice, job->text.text, job->text.length, edits) == 0) {
        rw_edits_destroy(edits);
        return;
    }
    job->edits = edits;
    edits_check(job, flags);
}

static bool is_test_of_configure(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "conftest", strlen("conftest")) == 0;
}

static void job_prepare(const struct cc_options *options, const char **flags, bool always,
                        struct cc_job *job)
{
    job->quiet = is_test_of_configure(job->path);
    if (cc_text_read(job->path, &job->text) < 0)
        return;
    job->names_header = strstr(job->text.text, "ft.h") != NULL;
    bool compiled = options->step != CC_PREPROCESS && !job->quiet;
    bool wanted = options->annotate && compiled && cc_scan_has_loop(&job->text) &&
                  cc_scan_includes_mpi(job->path, &job->text, options);
    if (!always && !wanted)
        return;
    job->facts = an_unit_read(job->path, NULL, 0, flags);
    if (!job->facts->problem && options->annotate)
        edits_make(job, flags);
}

void cc_jobs_prepare(const struct cc_options *options, UT_array *added, bool always,
                     struct cc_job *jobs)
{
    const char **flags = flags_collect(options, added);
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        if (word->kind != CC_SOURCE)
            continue;
        *jobs = (struct cc_job){.path = word->text};
        job_prepare(options, flags, always, jobs++);
    }
    free(flags);
}

void cc_job_release(struct cc_job *job)
{
    free(job->text.text);
    an_facts_destroy(job->facts);
    rw_edits_destroy(job->edits);
}
