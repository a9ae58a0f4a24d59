/* ftcc: mpicc's stand-in.
 *
 * The pipeline, top to bottom: arguments become options, options and sources become jobs, a job
 * with edits becomes a copy, the real compiler does the rest, and the facts follow into its result.
 * Where there is nothing to edit and nothing to store, ftcc becomes the compiler by exec and leaves
 * no trace but a few flags. */
#include "ftcc/analyze.h"
#include "ftcc/answer.h"
#include "ftcc/compile.h"
#include "ftcc/faults.h"
#include "ftcc/guard.h"
#include "ftcc/join.h"
#include "ftcc/link.h"
#include "ftcc/whole.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: ftcc [options of mpicc] [--ft-...] file...\n"
    "       ftcxx, ftfort (also ftc++, ftf90, ftf77): the same for mpicxx and mpifort\n"
    "       ftcc --ft-report[=FILE] PROGRAM\n"
    "       ftcc --ft-judge PROGRAM\n"
    "       ftcc --ft-analyze [-p compile_commands.json] [options of mpicc] [file...]\n"
    "Compiles and links like mpicc, with all of its options, so that ftrun can bring\n"
    "the program through the death of a process. Options of its own:\n"
    "\n"
    "  --ft-report        print the determinism report; at a link, of the program\n"
    "  --ft-report=FILE   write it as .txt, .json, .sarif or .html (repeatable)\n"
    "  --ft-verified=FILE put what `ftrun --verify` wrote beside the verdicts\n"
    "  --ft-analyze       judge source files, or a project, and build nothing\n"
    "  --ft-later         link without judging: all sites are logged, until\n"
    "  --ft-judge         judges the linked program, and stores the result in it\n"
    "  --ft-strict        fail where something could not be analysed\n"
    "  --ft-diff          print the annotated source as a diff; compile nothing\n"
    "  --ft-fault-points  put fault points around MPI calls; --ft-list-faults PROGRAM\n"
    "  --ft-no-annotate   insert nothing into the source, and store no facts\n"
    "  --ft-no-lines      do not add -g1 to a command without -g\n"
    "  -cc-mpi=NAME       fail unless this ftcc is built for NAME: mpich, openmpi\n"
    "  --ft-help, --ft-version   print this; print the version\n"
    "\n"
    "Environment: FT_MPICC, FT_MPICXX, FT_MPIFORT name MPI's wrappers (" FT_DEFAULT_MPICC ").\n"
    "Manuals: ftcc(1), ftcc-report(7), ftrun(1). First steps: docs/tutorial.md.\n";

/* One line for each file that was compiled as it is although it should have been analysed. */
static bool problems_print(const struct cc_options *options, const struct cc_job *jobs, bool print)
{
    bool any = false;
    for (unsigned i = 0; i < options->sources; i++) {
        if (!jobs[i].problem || jobs[i].quiet)
            continue;
        if (print)
            fprintf(stderr, "ftcc: %s: compiled without annotation: %s\n", jobs[i].path,
                    jobs[i].problem);
        any = true;
    }
    return any;
}

/* ---- Answers before the compiler runs ---- */

static bool diff_print(const struct cc_options *options, struct cc_job *jobs)
{
    for (unsigned i = 0; options->diff && i < options->sources; i++)
        cc_sources_diff(&jobs[i].files, stdout);
    return cc_answer_flush();
}

/* About the sources of the command, where no link follows that knows more. */
static int sources_answer(const struct cc_options *options, const struct cc_job *jobs)
{
    struct cc_whole *whole = cc_whole_create();
    for (unsigned i = 0; i < options->sources; i++)
        cc_whole_add(whole, &jobs[i].facts, jobs[i].path);
    const struct an_judgement *judgement = cc_whole_judge(whole, false);
    bool good = cc_answer_report(judgement, options, options->sources ? jobs[0].path : "");
    good = cc_answer_strict(judgement, options, true) && good;
    cc_whole_destroy(whole);
    return good ? 0 : 1;
}

static int answers_give(const struct cc_options *options, struct cc_job *jobs)
{
    bool links = options->step == CC_LINK && !options->diff && !options->show;
    if (!diff_print(options, jobs))
        return 1;
    if (links || options->sources == 0 || !cc_answer_wanted(options))
        return 0;
    return sources_answer(options, jobs);
}

/* The flags of a command with a file that is not named, as mpicc tells them. */
static int flags_tell(struct cc_compile *compile)
{
    UT_array command;
    bool good = cc_compile_plain(compile, &command);
    bool links = compile->options->step == CC_LINK;
    const char *separator = "";
    for (char **word = NULL; good && (word = utarray_next(&command, word));) {
        if (!links && (strncmp(*word, "-L", 2) == 0 || strncmp(*word, "-l", 2) == 0 ||
                       strncmp(*word, "-Wl,", 4) == 0))
            continue;
        printf("%s%s", separator, *word);
        separator = " ";
    }
    putchar('\n');
    utarray_done(&command);
    return good && cc_answer_flush() ? 0 : 1;
}

/* ---- Compiling ---- */

/* Is there anything to do behind the compiler? */
static bool leaves_work(const struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    bool quiet = options->sources > 0;
    if (options->show || options->inputs == 0 || options->step < CC_OBJECT)
        return false;
    for (unsigned i = 0; i < options->sources; i++) {
        if (compile->jobs[i].facts.length > 0)
            return true;
        quiet &= compile->jobs[i].quiet;
    }
    return options->step == CC_LINK && !quiet;
}

static int commands_run(struct cc_compile *compile, bool stays)
{
    UT_array command;
    int code = 1;
    for (unsigned i = 0; i < compile->options->sources; i++)
        if (cc_job_is_edited(&compile->jobs[i]))
            return cc_compile_annotated(compile);
    if (cc_compile_plain(compile, &command))
        code = stays ? cc_toolchain_run(&command, CC_MESSAGES_SHOW, NULL)
                     : cc_toolchain_become(&command);
    utarray_done(&command);
    return code;
}

static int jobs_compile(struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    bool work = leaves_work(compile);
    cc_guard_stage(CC_BUILDING);
    if (options->ask_help)
        fputs(help, stdout);
    fflush(stdout);
    int code = commands_run(compile, work || options->ask_version ||
                                         problems_print(options, compile->jobs, false));
    if (code == 0 && options->ask_version)
        fputs("ftcc " FT_VERSION ", in front of this compiler; its own options: ftcc --ft-help\n",
              stdout);
    if (code != 0 || cc_toolchain_signal())
        return code;
    problems_print(options, compile->jobs, true);
    if (!work)
        return 0;
    cc_guard_stage(CC_JOINING);
    if (options->step == CC_LINK)
        code = cc_join_link(compile);
    else
        cc_join_objects(compile);
    if (cc_toolchain_signal())
        cc_join_undo(compile);
    return code;
}

/* ---- Commands ---- */

/* The input of the guarded process. */
struct command {
    const struct cc_options *options;
    struct cc_toolchain toolchain;
    bool again; /* the analysis has crashed: without it */
};

static int command_compile(struct command *command)
{
    const struct cc_options *options = command->options;
    struct cc_job *jobs = calloc(options->sources + 1, sizeof *jobs);
    struct cc_compile compile = {options, &command->toolchain, jobs};
    bool asked = !command->again && (options->diff || cc_answer_wanted(options));
    if (!jobs)
        abort();
    cc_jobs_prepare(options, &command->toolchain.flags, asked, jobs);
    int code = command->again ? 0 : answers_give(options, jobs);
    if (code == 0 && !options->diff)
        code = options->tell ? flags_tell(&compile) : jobs_compile(&compile);
    for (unsigned i = 0; i < options->sources; i++)
        cc_job_release(&jobs[i]);
    free(jobs);
    return code;
}

/* Where nothing is compiled nobody else says that a file is missing; a project's are in its
 * database. 0 or 1. */
static int sources_check(const struct cc_options *options)
{
    int code = 0;
    const struct cc_word *word = NULL;
    while ((word = utarray_next(&options->words, word)))
        if (word->kind == CC_DATABASE)
            return 0;
    while ((word = utarray_next(&options->words, word))) {
        if (word->kind != CC_SOURCE || access(word->text, R_OK) == 0)
            continue;
        fprintf(stderr, "ftcc: error: %s: %s\n", word->text, strerror(errno));
        code = 1;
    }
    return code;
}

static int command_serve(void *context)
{
    struct command *command = context;
    const struct cc_options *options = command->options;
    if ((options->diff || options->analyze) && sources_check(options) != 0)
        return 1;
    cc_guard_stage(CC_ANALYSING);
    if (command->options->analyze) {
        cc_guard_stage(CC_JOINING);
        return cc_analyze(command->options, &command->toolchain);
    }
    if (command->options->inspect) {
        cc_guard_stage(CC_JOINING);
        int code = cc_join_inspect(command->options, &command->toolchain);
        if (code >= 0)
            return code;
    }
    return command_compile(command);
}

static void crash_print(const struct cc_end *end, const char *consequence)
{
    if (end->crash == SIGPROF)
        fprintf(stderr, "ftcc: warning: the analysis takes too much time; %s\n", consequence);
    else
        fprintf(stderr, "ftcc: warning: the analysis crashed (%s); %s\n", strsignal(end->crash),
                consequence);
}

/* Finishes the command when the analysis has crashed: before the compiler ran, the same without
 * it; after it, only the message remains. */
static int crash_serve(struct command *command, struct cc_options *options,
                       const struct cc_end *end)
{
    bool answers = options->diff || options->analyze || options->inspect;
    if (answers || options->strict || (end->stage == CC_JOINING && cc_answer_wanted(options))) {
        crash_print(end, "there is no report");
        return 1;
    }
    if (end->stage == CC_JOINING) {
        crash_print(end, "the sites of this program will count as logged");
        return 0;
    }
    crash_print(end, "compiled without annotation");
    options->annotate = false;
    command->again = true;
    return cc_guard_run(command_serve, command).code;
}

static int toolchain_serve(struct cc_options *options)
{
    struct command command = {.options = options};
    int code = 1;
    if (cc_toolchain_find(options, &command.toolchain)) {
        struct cc_end end = cc_guard_run(command_serve, &command);
        code = end.crash ? crash_serve(&command, options, &end) : end.code;
    }
    cc_toolchain_release(&command.toolchain);
    return code;
}

static int options_serve(struct cc_options *options)
{
    if (options->wrong) {
        fprintf(stderr, "ftcc: error: %s\n", options->wrong);
        return 2;
    }
    if (options->help || options->version) {
        fputs(options->help ? help : "ftcc " FT_VERSION "\n", stdout);
        return cc_answer_flush() ? 0 : 1;
    }
    return cc_link_check(options) ? toolchain_serve(options) : 1;
}

int main(int argc, char **argv)
{
    struct cc_options options;
    int count;
    char **words = cc_faults_arguments(argc, argv, &count);
    if (!words)
        return 1;
    cc_options_parse(count, (const char *const *)words, &options);
    free(words);
    int code = options_serve(&options);
    cc_options_release(&options);
    if (cc_toolchain_signal()) {
        signal(cc_toolchain_signal(), SIG_DFL);
        raise(cc_toolchain_signal());
    }
    return code;
}
