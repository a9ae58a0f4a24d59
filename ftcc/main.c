/* ftcc: mpicc's stand-in.
 *
 * The pipeline, top to bottom: arguments become options, options and sources become jobs, a job
 * with edits becomes a copy, and the real compiler does the rest. Where nothing is edited, ftcc
 * becomes the compiler by exec and leaves no trace but a few flags. */
#include "analysis/report.h"
#include "ftcc/compile.h"
#include "ftcc/link.h"
#include "rewriters/diff.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: ftcc [options of mpicc] [--ft-...] file...\n"
    "Compiles and links an MPI program like mpicc, so that ftrun can bring it through the death\n"
    "of a process. Every option of mpicc and of the compiler works as there. Options of its own:\n"
    "\n"
    "  --ft-diff          print the annotated source as a unified diff; compile nothing\n"
    "  --ft-report        print hooks and time-dependent MPI calls, and compile\n"
    "  --ft-report=FILE   write the same to FILE, as JSON when its name ends in .json\n"
    "  --ft-no-annotate   insert nothing into the source\n"
    "  --ft-no-lines      do not add -g1 to a command without -g\n"
    "  --ft-help          print this\n"
    "  --ft-version       print the version\n"
    "\n"
    "Environment: FT_MPICC names the mpicc to use (default: " FT_DEFAULT_MPICC ").\n"
    "See ftcc(1), ftrun(1).\n";

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

static bool report_json_write(const char *path, struct cc_job *jobs, unsigned count)
{
    json_t *files = json_array();
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].facts)
            json_array_append_new(files, an_report_json(jobs[i].facts));
    json_t *report =
        json_pack("{s:s, s:s, s:o}", "tool", "ftcc", "version", FT_VERSION, "files", files);
    bool good = json_dump_file(report, path, JSON_INDENT(2)) == 0;
    json_decref(report);
    return good;
}

static void report_print(struct cc_job *jobs, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++)
        if (jobs[i].facts)
            an_report_text(jobs[i].facts, out);
}

static bool report_text_write(const char *path, struct cc_job *jobs, unsigned count)
{
    FILE *out = fopen(path, "we");
    if (!out)
        return false;
    report_print(jobs, count, out);
    return fclose(out) == 0;
}

/* What --ft-diff and --ft-report ask for. Returns 0, or 1 after a message. */
static int answers_print(const struct cc_options *options, struct cc_job *jobs)
{
    const char *path = options->report_file;
    if (options->diff)
        for (unsigned i = 0; i < options->sources; i++)
            if (jobs[i].edits)
                rw_diff_print(jobs[i].edits, jobs[i].path, jobs[i].text.text, jobs[i].text.length,
                              stdout);
    if (options->report)
        report_print(jobs, options->sources, stdout);
    if (!path || (ends_in(path, ".json") ? report_json_write(path, jobs, options->sources)
                                         : report_text_write(path, jobs, options->sources)))
        return 0;
    fprintf(stderr, "ftcc: error: cannot write the report %s: %s\n", path, strerror(errno));
    return 1;
}

/* One line for each file that was compiled as it is although it should have been analysed. */
static bool problems_print(const struct cc_options *options, const struct cc_job *jobs, bool print)
{
    bool any = false;
    for (unsigned i = 0; i < options->sources; i++) {
        if (!jobs[i].facts || !jobs[i].facts->problem || jobs[i].quiet)
            continue;
        if (print)
            fprintf(stderr, "ftcc: %s: compiled without annotation: %s\n", jobs[i].path,
                    jobs[i].facts->problem);
        any = true;
    }
    return any;
}

static int jobs_compile(struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    bool edited = false;
    for (unsigned i = 0; i < options->sources; i++)
        edited |= compile->jobs[i].edits != NULL;
    if (edited)
        return cc_compile_annotated(compile);
    UT_array command;
    int code = 1;
    if (cc_compile_plain(compile, &command))
        code = problems_print(options, compile->jobs, false)
                   ? cc_toolchain_run(&command, CC_MESSAGES_SHOW, NULL)
                   : cc_toolchain_become(&command);
    utarray_done(&command);
    return code;
}

static int command_serve(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    bool asked = options->diff || options->report || options->report_file;
    struct cc_job *jobs = calloc(options->sources + 1, sizeof *jobs);
    struct cc_compile compile = {options, toolchain, jobs, ""};
    cc_jobs_prepare(options, &toolchain->flags, asked, jobs);
    int code = answers_print(options, jobs);
    if (code == 0 && !options->diff) {
        fflush(stdout);
        code = jobs_compile(&compile);
        if (code == 0)
            problems_print(options, jobs, true);
    }
    for (unsigned i = 0; i < options->sources; i++)
        cc_job_release(&jobs[i]);
    free(jobs);
    return code;
}

static int options_serve(const struct cc_options *options)
{
    struct cc_toolchain toolchain;
    if (options->wrong) {
        fprintf(stderr, "ftcc: error: %s\n", options->wrong);
        return 2;
    }
    if (options->help || options->version) {
        fputs(options->help ? help : "ftcc " FT_VERSION "\n", stdout);
        return 0;
    }
    if (!cc_link_check(options))
        return 1;
    int code = cc_toolchain_find(options, &toolchain) ? command_serve(options, &toolchain) : 1;
    cc_toolchain_release(&toolchain);
    return code;
}

int main(int argc, char **argv)
{
    struct cc_options options;
    cc_options_parse(argc, (const char *const *)argv, &options);
    int code = options_serve(&options);
    cc_options_release(&options);
    if (cc_toolchain_signal()) {
        signal(cc_toolchain_signal(), SIG_DFL);
        raise(cc_toolchain_signal());
    }
    return code;
}
