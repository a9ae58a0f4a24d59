/* Idea: source, unit, judgement, edits, each made from the one before; only the unit's bytes and
 * the edits stay. The edited copy is parsed again before it is compiled: when clang finds an
 * error there, the edits are dropped and the file is compiled as it is. */
#include "ftcc/job.h"
#include "analysis/judge/judge.h"
#include "analysis/source/source.h"
#include "analysis/tree/store.h"
#include "ftcc/copies.h"
#include "ftcc/scan.h"
#include "ftcc/text.h"

#include <stdlib.h>
#include <string.h>

const char **cc_job_flags(const struct cc_options *options, UT_array *added, bool cxx)
{
    size_t count = 0;
    const char **flags =
        calloc(utarray_len(&options->words) + utarray_len(added) + 2, sizeof *flags);
    if (!flags)
        abort();
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_PLAIN)
            flags[count++] = word->text;
    for (char **word = NULL; (word = utarray_next(added, word));)
        flags[count++] = *word;
    if (cxx)
        flags[count] = "-xc++";
    return flags;
}

bool cc_job_is_edited(const struct cc_job *job)
{
    return utarray_len(&job->files) > 0;
}

void cc_job_give_up(struct cc_job *job, const char *problem)
{
    utarray_clear(&job->files);
    free(job->problem);
    job->problem = strdup(problem);
}

/* Parses the copy as it will be compiled, headers included. */
static void edits_check(struct cc_job *job, unsigned number, const char *const *flags)
{
    struct an_unit *unit = cc_copies_parse(job, number, flags);
    if (unit && unit->problem) {
        char *problem = NULL;
        if (asprintf(&problem, "with its annotation it would no longer be valid: %s",
                     unit->problem) < 0)
            abort();
        cc_job_give_up(job, problem);
        free(problem);
    }
    an_unit_destroy(unit);
}

static void unit_judge(struct cc_job *job, struct an_unit *unit)
{
    struct an_program *program = an_program_create();
    an_program_add(program, unit);
    an_program_join(program, false);
    struct an_judgement *judgement = an_judge(program);
    utarray_done(&job->files);
    cc_sources_find(judgement, unit, true, &job->files);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
}

/* A folder that must not be seen in the result is not seen in its facts either. */
static void facts_take(const struct cc_options *options, struct cc_job *job, struct an_unit *unit)
{
    void *bytes = NULL;
    const char *folder = unit->folder;
    char *mapped = cc_path_mapped(options, "-fdebug-prefix-map=", folder ? folder : "");
    unit->folder = an_unit_string(unit, mapped);
    an_store_write(unit, &bytes, &job->facts.length);
    job->facts.text = bytes;
    unit->folder = folder;
    free(mapped);
}

static void unit_take(const struct cc_options *options, struct cc_job *job, unsigned number,
                      const char *const *flags, struct an_unit *unit)
{
    facts_take(options, job, unit);
    if (unit->problem || !options->annotate) {
        job->problem = unit->problem ? strdup(unit->problem) : NULL;
        an_unit_destroy(unit);
        return;
    }
    unit_judge(job, unit);
    if (cc_job_is_edited(job))
        edits_check(job, number, flags);
    job->names_header |= cc_job_is_edited(job);
}

static bool is_test_of_configure(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "conftest", strlen("conftest")) == 0;
}

static void job_prepare(const struct cc_options *options, const char *const *flags, bool always,
                        struct cc_job *job, unsigned number)
{
    struct rw_text text;
    job->quiet = is_test_of_configure(job->path);
    if (cc_text_read(job->path, &text) < 0)
        return;
    job->names_header = strstr(text.text, "ft.h") || strstr(text.text, "ft_saver.h") ||
                        strstr(text.text, "mpi-ext.h");
    if (always || (options->annotate && options->step != CC_PREPROCESS && !job->quiet)) {
        unit_take(options, job, number, flags, an_source_read(job->path, NULL, 0, flags));
        job->quiet |= job->problem && !cc_scan_includes_mpi(job->path, &text, options);
    }
    free(text.text);
}

void cc_jobs_prepare(const struct cc_options *options, UT_array *added, bool always,
                     struct cc_job *jobs)
{
    unsigned number = 0;
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        if (word->kind != CC_SOURCE)
            continue;
        jobs[number] = (struct cc_job){.path = word->text};
        utarray_init(&jobs[number].files, &ut_str_icd);
        const char **flags = cc_job_flags(options, added, word->cxx);
        job_prepare(options, flags, always, &jobs[number], number);
        free(flags);
        number++;
    }
}

void cc_job_release(struct cc_job *job)
{
    free(job->facts.text);
    utarray_done(&job->files);
    free(job->problem);
}
