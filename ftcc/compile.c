/* Idea: the user's command in other shapes: with the copy in the place of the original, or with the
 * objects of copies in the place of several sources. Dependencies are written by the preprocessor
 * from the original. Messages are never the copy's: when its compilation says anything, the
 * original is compiled as well (into the temporary folder), for its messages and its exit code. */
#include "ftcc/compile.h"
#include "ftcc/copies.h"
#include "ftcc/guard.h"
#include "ftcc/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command as a change of the user's. */
struct shape {
    unsigned without;         /* kinds of words to leave out: bits 1 << kind */
    const struct cc_job *job; /* the only source, or NULL for all */
    bool copy;                /* its copy stands for it */
    bool copies;              /* all sources: objects stand for those with edits */
    bool depends;             /* -MD and -MMD become -M and -MM */
};

#define BIT(kind) (1u << (kind))

enum { AROUND = BIT(CC_DEPEND) | BIT(CC_ASIDE) }; /* files beside the result */

static unsigned number_of(const struct cc_compile *compile, const struct cc_job *job)
{
    return (unsigned)(job - compile->jobs);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- Commands ---- */

static bool names_header(const struct cc_compile *compile)
{
    for (unsigned i = 0; i < compile->options->sources; i++)
        if (compile->jobs[i].names_header)
            return true;
    return false;
}

static void array_add(UT_array *command, const UT_array *words)
{
    utarray_concat(command, words);
}

static void source_add(const struct cc_compile *compile, const struct shape *shape,
                       const struct cc_word *word, const struct cc_job *job, UT_array *command)
{
    if (shape->job && shape->job != job)
        return;
    if (shape->copy) {
        cc_copies_name_add(job, number_of(compile, job), command);
    } else if (shape->copies && cc_job_is_edited(job)) {
        if (word->forced)
            cc_command_add(command, "-xnone");
        cc_command_add(command, "%s/%u.o", cc_guard_folder(), number_of(compile, job));
        if (word->forced)
            cc_command_add(command, "-xc");
    } else {
        cc_command_add(command, "%s", word->text);
    }
}

static void words_add(const struct cc_compile *compile, const struct shape *shape,
                      UT_array *command)
{
    const struct cc_job *job = compile->jobs;
    for (struct cc_word *word = NULL; (word = cc_options_next(compile->options, word));) {
        if (word->kind == CC_SOURCE)
            source_add(compile, shape, word, job++, command);
        else if (shape->depends && strcmp(word->text, "-MD") == 0)
            cc_command_add(command, "-M");
        else if (shape->depends && strcmp(word->text, "-MMD") == 0)
            cc_command_add(command, "-MM");
        else if (!(shape->without & BIT(word->kind)) && word->kind != CC_MPICC &&
                 word->kind != CC_TELL)
            cc_command_add(command, "%s", word->text);
    }
}

/* The front part of a command: up to the user's last word. */
static void command_begin(const struct cc_compile *compile, const struct shape *shape, bool links,
                          UT_array *command)
{
    utarray_init(command, &ut_str_icd);
    array_add(command, &compile->toolchain->before);
    cc_link_front(compile->options, names_header(compile), command);
    if (links)
        cc_link_library(compile->options, command);
    if (shape->copy)
        cc_copies_search_add(number_of(compile, shape->job), command);
    words_add(compile, shape, command);
    if (shape->copy)
        cc_copies_maps_add(compile->options, shape->job, number_of(compile, shape->job), command);
}

static int command_run(UT_array *command, enum cc_messages mode, struct rw_text *messages)
{
    int code = cc_toolchain_run(command, mode, messages);
    utarray_done(command);
    return code;
}

/* Runs the user's command in another shape; `output` stands in for -o when it is not NULL. */
static int shape_run(const struct cc_compile *compile, const struct shape *shape,
                     const char *output, enum cc_messages mode, struct rw_text *messages)
{
    UT_array command;
    command_begin(compile, shape, true, &command);
    if (output) {
        cc_command_add(&command, "-o");
        cc_command_add(&command, "%s", output);
    }
    if (!cc_link_back(compile->options, &command)) {
        utarray_done(&command);
        return 1;
    }
    array_add(&command, &compile->toolchain->behind);
    return command_run(&command, mode, messages);
}

/* ---- Dependencies ---- */

static bool has_depend_word(const struct cc_options *options, const char *prefix)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_DEPEND && strncmp(word->text, prefix, 3) == 0)
            return true;
    return false;
}

/* The result's name with another ending: of -o, or of the source, in the current folder. */
static char *result_name(const struct cc_options *options, const struct cc_job *job,
                         const char *ending, bool keep)
{
    const char *name = options->output ? options->output : base_name(job->path);
    if (options->output && keep)
        return strdup(name);
    const char *dot = strrchr(base_name(name), '.');
    char *result = NULL;
    if (asprintf(&result, "%.*s%s", dot ? (int)(dot - name) : (int)strlen(name), name, ending) < 0)
        abort();
    return result;
}

/* Writes the dependency file of one source that is compiled or assembled, from the original. */
static int depends_write(const struct cc_compile *compile, const struct cc_job *job)
{
    struct shape shape = {BIT(CC_OUTPUT) | BIT(CC_STEP) | BIT(CC_INPUT) | BIT(CC_ASIDE), job, false,
                          false, true};
    const struct cc_options *options = compile->options;
    UT_array command;
    command_begin(compile, &shape, false, &command);
    if (!has_depend_word(options, "-MF")) {
        char *file = result_name(options, job, ".d", false);
        cc_command_add(&command, "-MF");
        cc_command_add(&command, "%s", file);
        free(file);
    }
    if (!has_depend_word(options, "-MT") && !has_depend_word(options, "-MQ")) {
        char *target = result_name(options, job, ".o", true);
        cc_command_add(&command, "-MQ");
        cc_command_add(&command, "%s", target);
        free(target);
    }
    cc_command_add(&command, "-w");
    array_add(&command, &compile->toolchain->behind);
    return command_run(&command, CC_MESSAGES_SHOW, NULL);
}

/* ---- One source, or several ---- */

static void give_up(struct cc_job *job)
{
    cc_job_give_up(job, "with its annotation it does not compile");
}

/* Compiles the original into the temporary folder, for its messages. */
static int original_shadow(const struct cc_compile *compile, const struct cc_job *job,
                           unsigned without)
{
    struct shape shape = {without | BIT(CC_OUTPUT), job, false, false, false};
    char output[PATH_MAX + 512];
    snprintf(output, sizeof output, "%s/shadow", cc_guard_folder());
    return shape_run(compile, &shape, output, CC_MESSAGES_SHOW, NULL);
}

/* The original first, with every file that it writes beside the result; then the copy's result in
 * its place. For options whose further files cannot be had in another way. */
static int single_exact(const struct cc_compile *compile, struct cc_job *job)
{
    struct shape original = {0, job, false, false, false};
    struct shape copy = {AROUND, job, true, false, false};
    int code = shape_run(compile, &original, NULL, CC_MESSAGES_SHOW, NULL);
    if (code != 0 || shape_run(compile, &copy, NULL, CC_MESSAGES_DROP, NULL) == 0)
        return code;
    give_up(job);
    return shape_run(compile, &original, NULL, CC_MESSAGES_DROP, NULL);
}

/* Compiles one source, and links it when that is asked for. */
static int single_compile(const struct cc_compile *compile, struct cc_job *job, unsigned without)
{
    const struct cc_options *options = compile->options;
    if (options->aside || (options->depends && options->step == CC_LINK))
        return single_exact(compile, job);
    struct shape copy = {without | AROUND, job, true, false, false};
    struct shape original = {without, job, false, false, false};
    struct rw_text messages;
    int code = shape_run(compile, &copy, NULL, CC_MESSAGES_KEEP, &messages);
    bool silent = messages.length == 0;
    free(messages.text);
    if (cc_toolchain_signal())
        return code;
    if (code != 0) {
        code = shape_run(compile, &original, NULL, CC_MESSAGES_SHOW, NULL);
        if (code == 0)
            give_up(job);
        return code;
    }
    if (!silent)
        code = original_shadow(compile, job, without | AROUND);
    return code == 0 && options->depends ? depends_write(compile, job) : code;
}

/* The length of what the result of a link gives to the names of files beside its objects. */
static int stem_length(const char *result)
{
    size_t length = strlen(result);
    if (length > 4 && strcmp(result + length - 4, ".exe") == 0)
        return (int)length - 4;
    return (int)length - (strcmp(base_name(result), "a.out") == 0 ? 4 : 0);
}

/* Files beside an object are named after the result of the link and the source, not after the
 * object, which is a temporary one: prog-a.gcno. */
static void beside_names_add(const struct cc_compile *compile, const struct cc_job *job,
                             UT_array *command)
{
    const char *name = base_name(job->path), *ending = strrchr(name, '.');
    char *result = cc_compile_result(compile->options, NULL);
    cc_command_add(command, "-dumpdir");
    cc_command_add(command, "%.*s-", stem_length(result), result);
    cc_command_add(command, "-dumpbase");
    cc_command_add(command, "%s", name);
    if (ending) {
        cc_command_add(command, "-dumpbase-ext");
        cc_command_add(command, "%s", ending);
    }
    free(result);
}

/* Compiles the copy of `job` to an object for the link. Returns false when it said anything. */
static bool object_make(const struct cc_compile *compile, struct cc_job *job, int *code)
{
    struct shape shape = {AROUND | BIT(CC_OUTPUT) | BIT(CC_INPUT), job, true, false, false};
    struct rw_text messages;
    UT_array command;
    command_begin(compile, &shape, false, &command);
    cc_command_add(&command, "-c");
    cc_command_add(&command, "-o");
    cc_command_add(&command, "%s/%u.o", cc_guard_folder(), number_of(compile, job));
    if (compile->options->beside)
        beside_names_add(compile, job, &command);
    array_add(&command, &compile->toolchain->behind);
    *code = command_run(&command, CC_MESSAGES_KEEP, &messages);
    bool silent = messages.length == 0;
    free(messages.text);
    return silent;
}

static int several_link(struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    struct shape original = {0}, linked = {AROUND, NULL, false, true, false};
    bool exact = options->depends || options->aside, silent = true;
    int code = exact ? shape_run(compile, &original, NULL, CC_MESSAGES_SHOW, NULL) : 0;
    if (code != 0)
        return code;
    for (unsigned i = 0; i < options->sources; i++) {
        struct cc_job *job = &compile->jobs[i];
        if (cc_job_is_edited(job))
            silent = object_make(compile, job, &code) && silent;
        if (code == 0)
            continue;
        code =
            shape_run(compile, &original, NULL, exact ? CC_MESSAGES_DROP : CC_MESSAGES_SHOW, NULL);
        if (code == 0)
            give_up(job);
        return code;
    }
    if (!silent && !exact)
        code = original_shadow(compile, NULL, AROUND);
    return code ? code
                : shape_run(compile, &linked, NULL,
                            silent && !exact ? CC_MESSAGES_SHOW : CC_MESSAGES_DROP, NULL);
}

/* `-c a.c b.c`: each file with edits by itself, then the others together, as they are. */
static int several_compile(struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    int code = 0;
    for (unsigned i = 0; i < options->sources; i++) {
        struct cc_job *job = &compile->jobs[i];
        struct shape plain = {BIT(CC_INPUT), job, false, false, false};
        int own = cc_job_is_edited(job) ? single_compile(compile, job, BIT(CC_INPUT))
                                        : shape_run(compile, &plain, NULL, CC_MESSAGES_SHOW, NULL);
        code = own ? own : code;
    }
    return code;
}

/* Other inputs of a command with several sources and without a link: assembler files, C++. */
static bool has_other_text(const struct cc_compile *compile)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(compile->options, word));)
        if (word->kind == CC_INPUT && word->text[0] != '-')
            return true;
    return false;
}

static int dispatch(struct cc_compile *compile)
{
    const struct cc_options *options = compile->options;
    struct shape plain = {0};
    if (options->sources == 1)
        return single_compile(compile, compile->jobs, 0);
    if (options->step == CC_LINK)
        return several_link(compile);
    if (options->output || has_other_text(compile))
        return shape_run(compile, &plain, NULL, CC_MESSAGES_SHOW, NULL);
    return several_compile(compile);
}

/* Words for mpicc itself, which the compiler would not understand. */
static bool has_mpicc_word(const struct cc_options *options)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_MPICC || word->kind == CC_TELL)
            return true;
    return false;
}

bool cc_compile_plain(struct cc_compile *compile, UT_array *command)
{
    struct shape plain = {0};
    utarray_init(command, &ut_str_icd);
    array_add(command, &compile->toolchain->before);
    cc_link_front(compile->options, names_header(compile), command);
    cc_link_library(compile->options, command);
    if (has_mpicc_word(compile->options))
        words_add(compile, &plain, command);
    else
        array_add(command, &compile->options->given);
    bool good = cc_link_back(compile->options, command);
    array_add(command, &compile->toolchain->behind);
    return good;
}

static bool copies_write(const struct cc_compile *compile)
{
    for (unsigned i = 0; i < compile->options->sources; i++)
        if (cc_job_is_edited(&compile->jobs[i]) && !cc_copies_write(&compile->jobs[i], i))
            return false;
    return true;
}

int cc_compile_annotated(struct cc_compile *compile)
{
    if (copies_write(compile))
        return dispatch(compile);
    const char *folder = cc_guard_folder();
    fprintf(stderr, "ftcc: error: cannot write a copy in %s: %s\n",
            folder ? folder : "the temporary folder (TMPDIR)", strerror(errno));
    return 1;
}

char *cc_compile_result(const struct cc_options *options, const struct cc_job *job)
{
    if (options->step == CC_LINK)
        return strdup(options->output ? options->output : "a.out");
    return result_name(options, job, ".o", true);
}
