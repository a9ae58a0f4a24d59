/* Idea: the copy must look like the original to the compiler.
 *
 *   FOLDER/0/copy/a.c    the edited text; #line gives it the original's name and line numbers
 *   FOLDER/0/beside      a link to the original's folder, for #include "..."
 *   FOLDER/0/none        empty; keeps `beside` from being merged with a -I of the same folder,
 *                        which would change how the headers' names are spelled
 *
 * -fdebug-prefix-map and -fmacro-prefix-map turn both folders into the original's, so the debug
 * information and __BASE_FILE__ agree, too. Dependencies are written by the preprocessor from the
 * original. Messages are never the copy's: when its compilation says anything, the original is
 * compiled as well (into FOLDER), for its messages and its exit code. */
#include "ftcc/compile.h"
#include "ftcc/link.h"
#include "ftcc/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void array_add(UT_array *command, UT_array *words)
{
    utarray_concat(command, words);
}

/* What the user's own prefix maps of that kind make of `path`; of several the last one counts. The
 * caller frees it. */
static char *path_mapped(const struct cc_options *options, const char *option, const char *path)
{
    static const char both[] = "-ffile-prefix-map=";
    char *mapped = strdup(path);
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        const char *map = NULL;
        if (strncmp(word->text, option, strlen(option)) == 0)
            map = word->text + strlen(option);
        else if (strncmp(word->text, both, sizeof both - 1) == 0)
            map = word->text + sizeof both - 1;
        const char *equals = map ? strchr(map, '=') : NULL;
        if (!equals || strncmp(path, map, (size_t)(equals - map)) != 0)
            continue;
        free(mapped);
        if (asprintf(&mapped, "%s%s", equals + 1, path + (equals - map)) < 0)
            abort();
    }
    return mapped;
}

/* One map for the copy itself, one for the folder beside it. The compiler ends the old name at the
 * first '=', so a name with one is mapped by its folder. */
static void map_add(const struct cc_compile *compile, const struct cc_job *job, const char *option,
                    UT_array *command)
{
    unsigned number = number_of(compile, job);
    const char *name = strchr(base_name(job->path), '=') ? "" : base_name(job->path);
    char *original = strndup(job->path, (size_t)(base_name(job->path) - job->path));
    char *folder = path_mapped(compile->options, option, original);
    char *file = *name ? path_mapped(compile->options, option, job->path) : strdup(folder);
    cc_command_add(command, "%s%s/%u/copy/%s=%s", option, compile->folder, number, name, file);
    cc_command_add(command, "%s%s/%u/beside/=%s", option, compile->folder, number, folder);
    free(folder);
    free(original);
    free(file);
}

static void copy_flags(const struct cc_compile *compile, const struct cc_job *job,
                       UT_array *command)
{
    unsigned number = number_of(compile, job);
    cc_command_add(command, "-iquote");
    cc_command_add(command, "%s/%u/beside", compile->folder, number);
    cc_command_add(command, "-iquote");
    cc_command_add(command, "%s/%u/none", compile->folder, number);
    map_add(compile, job, "-fdebug-prefix-map=", command);
    map_add(compile, job, "-fmacro-prefix-map=", command);
}

static void source_add(const struct cc_compile *compile, const struct shape *shape,
                       const struct cc_word *word, const struct cc_job *job, UT_array *command)
{
    if (shape->job && shape->job != job)
        return;
    if (shape->copy) {
        cc_command_add(command, "%s/%u/copy/%s", compile->folder, number_of(compile, job),
                       base_name(job->path));
    } else if (shape->copies && job->edits) {
        if (word->forced)
            cc_command_add(command, "-xnone");
        cc_command_add(command, "%s/%u.o", compile->folder, number_of(compile, job));
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
        else if (!(shape->without & BIT(word->kind)) && word->kind != CC_MPICC)
            cc_command_add(command, "%s", word->text);
    }
}

/* The front part of a command: up to the user's last word. */
static void command_begin(const struct cc_compile *compile, const struct shape *shape,
                          UT_array *command)
{
    utarray_init(command, &ut_str_icd);
    array_add(command, &compile->toolchain->before);
    cc_link_front(compile->options, names_header(compile), command);
    if (shape->copy)
        copy_flags(compile, shape->job, command);
    words_add(compile, shape, command);
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
    command_begin(compile, shape, &command);
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

/* ---- Copies ---- */

static bool copy_write(const struct cc_compile *compile, const struct cc_job *job)
{
    char path[PATH_MAX + 512], target[PATH_MAX];
    unsigned number = number_of(compile, job);
    char *folder = strndup(job->path, (size_t)(base_name(job->path) - job->path));
    bool good = realpath(*folder ? folder : ".", target) != NULL;
    free(folder);
    snprintf(path, sizeof path, "%s/%u", compile->folder, number);
    good = good && mkdir(path, 0700) == 0;
    snprintf(path, sizeof path, "%s/%u/none", compile->folder, number);
    good = good && mkdir(path, 0700) == 0;
    snprintf(path, sizeof path, "%s/%u/beside", compile->folder, number);
    good = good && symlink(target, path) == 0;
    snprintf(path, sizeof path, "%s/%u/copy", compile->folder, number);
    good = good && mkdir(path, 0700) == 0;
    snprintf(path, sizeof path, "%s/%u/copy/%s", compile->folder, number, base_name(job->path));
    struct rw_text edited = rw_edits_apply(job->edits, job->text.text, job->text.length, 0,
                                           job->text.length, job->path);
    good = good && cc_text_write(path, &edited) == 0;
    free(edited.text);
    /* __TIMESTAMP__ is the time of the file. */
    struct stat status;
    if (good && stat(job->path, &status) == 0)
        utimensat(AT_FDCWD, path, (struct timespec[]){status.st_atim, status.st_mtim}, 0);
    return good;
}

static bool copies_write(struct cc_compile *compile)
{
    const char *root = getenv("TMPDIR");
    snprintf(compile->folder, sizeof compile->folder, "%s/ftcc-XXXXXX",
             root && *root ? root : "/tmp");
    if (!mkdtemp(compile->folder)) {
        compile->folder[0] = '\0';
        return false;
    }
    for (unsigned i = 0; i < compile->options->sources; i++)
        if (compile->jobs[i].edits && !copy_write(compile, &compile->jobs[i]))
            return false;
    return true;
}

static int entry_remove(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static void copies_remove(const struct cc_compile *compile)
{
    if (*compile->folder)
        nftw(compile->folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
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
    command_begin(compile, &shape, &command);
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
    job->facts->problem = "with a hook it does not compile";
}

/* Compiles the original into the temporary folder, for its messages. */
static int original_shadow(const struct cc_compile *compile, const struct cc_job *job,
                           unsigned without)
{
    struct shape shape = {without | BIT(CC_OUTPUT), job, false, false, false};
    char output[PATH_MAX + 512];
    snprintf(output, sizeof output, "%s/shadow", compile->folder);
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

/* Compiles the copy of `job` to an object for the link. Returns false when it said anything. */
static bool object_make(const struct cc_compile *compile, struct cc_job *job, int *code)
{
    struct shape shape = {AROUND | BIT(CC_OUTPUT) | BIT(CC_INPUT), job, true, false, false};
    struct rw_text messages;
    UT_array command;
    command_begin(compile, &shape, &command);
    cc_command_add(&command, "-c");
    cc_command_add(&command, "-o");
    cc_command_add(&command, "%s/%u.o", compile->folder, number_of(compile, job));
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
        if (job->edits)
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
        int own = job->edits ? single_compile(compile, job, BIT(CC_INPUT))
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

bool cc_compile_plain(struct cc_compile *compile, UT_array *command)
{
    utarray_init(command, &ut_str_icd);
    array_add(command, &compile->toolchain->before);
    cc_link_front(compile->options, names_header(compile), command);
    for (char **word = NULL; (word = utarray_next(&compile->options->given, word));)
        cc_command_add(command, "%s", *word);
    bool good = cc_link_back(compile->options, command);
    array_add(command, &compile->toolchain->behind);
    return good;
}

int cc_compile_annotated(struct cc_compile *compile)
{
    int code;
    if (copies_write(compile)) {
        code = dispatch(compile);
    } else {
        fprintf(stderr, "ftcc: error: cannot write a copy in %s: %s\n",
                *compile->folder ? compile->folder : "the temporary folder (TMPDIR)",
                strerror(errno));
        code = 1;
    }
    copies_remove(compile);
    return code;
}
