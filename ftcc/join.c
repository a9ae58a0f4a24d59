/* Idea: the linker concatenates the facts of objects and archives by itself. ftcc adds those that
 * it cannot know: the facts of sources in the same command, of objects with intermediate code
 * (whose other sections it drops), and of the user's shared libraries. So an executable holds all
 * of its facts.
 *
 * Code without facts (of another language, or another compiler) may call anything: where some is
 * found, the program is not judged as a whole. */
#include "ftcc/join.h"
#include "analysis/tree/store.h"
#include "ftcc/answer.h"
#include "ftcc/binary.h"
#include "ftcc/callers.h"
#include "ftcc/embed.h"
#include "ftcc/guard.h"
#include "ftcc/inputs.h"
#include "ftcc/layer.h"
#include "ftcc/sites.h"
#include "ftcc/whole.h"
#include "runtime/shared/sites/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void failure_print(const char *path, char *why)
{
    if (!cc_toolchain_signal())
        fprintf(stderr,
                "ftcc: warning: %s: its facts cannot be stored, so that its sites will count as "
                "logged: %s\n",
                path, why);
    free(why);
}

static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

void cc_join_undo(struct cc_compile *compile)
{
    unsigned results = compile->options->step == CC_LINK ? 1 : compile->options->sources;
    for (unsigned i = 0; i < results; i++) {
        char *result = cc_compile_result(compile->options, &compile->jobs[i]);
        if (is_regular(result))
            unlink(result);
        free(result);
    }
}

void cc_join_objects(struct cc_compile *compile)
{
    for (unsigned i = 0; i < compile->options->sources; i++) {
        struct cc_job *job = &compile->jobs[i];
        if (job->facts.length == 0)
            continue;
        char *object = cc_compile_result(compile->options, job), *why;
        struct cc_binary binary;
        cc_binary_read(object, &binary);
        struct cc_part part = {AN_FACTS_SECTION, job->facts, binary.facts.length > 0};
        if (binary.kind == CC_NO_BINARY && is_regular(object))
            failure_print(object, strdup("it is no ELF object"));
        else if (binary.kind != CC_NO_BINARY &&
                 !cc_embed(compile->toolchain, object, &part, 1, &why))
            failure_print(object, why);
        cc_binary_release(&binary);
        free(object);
    }
}

/* ---- Facts of a program ---- */

/* The result of a link, as far as it is known. */
struct joined {
    struct cc_whole *whole;
    struct cc_binary result;
    struct rw_text facts; /* all that belongs into the result */
    FILE *out;            /* makes `facts` */
    unsigned notes;       /* of calls in code without facts */
};

static void facts_add(struct joined *joined, const struct rw_text *facts, const char *origin)
{
    if (facts->length == 0)
        return;
    cc_whole_add(joined->whole, facts, origin);
    fwrite(facts->text, 1, facts->length, joined->out);
}

/* Files that belong to every program, or to those linked with -ffast-math or -mpc64, and those that
 * only the linker knows. */
static bool is_startup(const char *name)
{
    static const char *const names[] = {
        "crtstuff.c", "crtfastmath.c", "crtprec.c",        "offloadstuff.c", "<artificial>",
        "ld-temp.o",  "libgcc2.c",     "asan_preinit.cpp", "atexit.c",       NULL};
    size_t length = strlen(name);
    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return length > 2 && strcmp(name + length - 2, ".o") == 0;
}

static void strangers_find(struct cc_whole *whole, const struct cc_binary *binary,
                           const char *origin)
{
    const char *end = binary->names.text + binary->names.length;
    for (const char *name = binary->names.text; name < end; name += strlen(name) + 1)
        if (!is_startup(name) && !cc_whole_has_file(whole, name)) {
            char *text = NULL;
            if (asprintf(
                    &text,
                    "%s has no facts (compiled by another compiler, or without analysis), so its "
                    "calls are not known",
                    name) < 0)
                abort();
            cc_whole_miss(whole, origin, text);
            free(text);
        }
}

/* ---- Inputs ---- */

static void input_release(void *element)
{
    struct cc_input *input = element;
    free(input->path);
    cc_binary_release(&input->binary);
}

static const UT_icd input_icd = {sizeof(struct cc_input), NULL, NULL, input_release};

static void inputs_read(const struct cc_options *options, UT_array *inputs)
{
    UT_array paths;
    utarray_init(inputs, &input_icd);
    cc_inputs_find(options, &paths);
    for (char **path = NULL; (path = utarray_next(&paths, path));) {
        struct cc_input input = {.path = strdup(*path)};
        cc_binary_read(*path, &input.binary);
        utarray_push_back(inputs, &input);
    }
    utarray_done(&paths);
}

/* Adds the facts that the linker does not bring along. */
static void inputs_join(struct joined *joined, UT_array *inputs)
{
    for (struct cc_input *input = NULL; (input = utarray_next(inputs, input));)
        if (input->binary.lto || input->binary.kind == CC_LIBRARY)
            facts_add(joined, &input->binary.facts, input->path);
}

/* Their source files, as far as the result does not name them: it is stripped, or made anew from
 * intermediate code. Clang's intermediate code is not even an object. */
static void inputs_find_strangers(struct joined *joined, UT_array *inputs)
{
    for (struct cc_input *input = NULL; (input = utarray_next(inputs, input));) {
        bool object = input->binary.kind == CC_RELOCATABLE || input->binary.kind == CC_ARCHIVE;
        if (input->binary.kind == CC_NO_BINARY)
            cc_whole_miss(joined->whole, input->path,
                          "it is no ELF object, so its calls are not "
                          "known");
        if (object && (joined->result.names.length == 0 || input->binary.lto))
            strangers_find(joined->whole, &input->binary, input->path);
    }
}

/* ---- The result ---- */

static void joined_begin(struct joined *joined, const char *path)
{
    *joined = (struct joined){.whole = cc_whole_create()};
    joined->out = open_memstream(&joined->facts.text, &joined->facts.length);
    cc_binary_read(path, &joined->result);
    facts_add(joined, &joined->result.facts, path);
}

static void joined_end(struct joined *joined)
{
    if (joined->out)
        fclose(joined->out);
    free(joined->facts.text);
    cc_binary_release(&joined->result);
    cc_whole_destroy(joined->whole);
}

/* ---- Calls in code without facts ---- */

/* Effect: adds what is to be said of the calls of MPI that no tree holds. */
static void callers_note(struct joined *joined, struct cc_toolchain *toolchain, const char *path)
{
    UT_array callers;
    if (joined->result.kind != CC_EXECUTABLE)
        return;
    cc_callers_find(toolchain, path, &callers);
    for (struct cc_caller *caller = NULL; (caller = utarray_next(&callers, caller));) {
        const char *slash = strrchr(caller->file, '/');
        bool known = !caller->fortran && *caller->file &&
                     cc_whole_has_file(joined->whole, slash ? slash + 1 : caller->file);
        if (known || (!caller->refused && !cc_caller_is_open(caller)))
            continue;
        joined->notes++;
        cc_whole_note(
            joined->whole,
            &(struct an_hole){.kind = caller->refused ? AN_HOLE_CARRIED : AN_HOLE_UNJUDGED,
                              .file = caller->file,
                              .line = caller->line,
                              .name = caller->name,
                              .text = caller->refused ? caller->refused
                                                      : "its arguments are not known, so its "
                                                        "outcome is recorded"});
    }
    utarray_done(&callers);
}

/* Calls at which ftrun ends a run are told when the program is linked. */
static void refused_print(const struct an_judgement *judgement)
{
    for (const struct an_hole *hole = judgement->holes; hole; hole = hole->next)
        if (hole->kind == AN_HOLE_CARRIED)
            fprintf(stderr, "ftcc: warning: %s:%u: ftrun ends the run at %s: %s\n", hole->file,
                    hole->line, hole->name, hole->text);
}

static void joined_gather(struct joined *joined, struct cc_compile *compile, const char *path,
                          UT_array *inputs)
{
    for (unsigned i = 0; i < compile->options->sources; i++)
        facts_add(joined, &compile->jobs[i].facts, compile->jobs[i].path);
    inputs_join(joined, inputs);
    if (cc_whole_units(joined->whole) > 0 && joined->result.kind == CC_EXECUTABLE) {
        strangers_find(joined->whole, &joined->result, path);
        inputs_find_strangers(joined, inputs);
    }
    callers_note(joined, compile->toolchain, path);
    fclose(joined->out);
    joined->out = NULL;
}

static void damage_print(const struct cc_whole *whole)
{
    if (cc_whole_damage(whole))
        fprintf(stderr,
                "ftcc: warning: %s; the sites of those files will count as logged; compile "
                "them again\n",
                cc_whole_damage(whole));
}

/* Stores the sections that the linker does not make. */
static void joined_store(const struct joined *joined, const struct an_judgement *judgement,
                         struct cc_toolchain *toolchain, const char *path)
{
    struct cc_part parts[2];
    unsigned count = 0;
    struct rw_text sites = {NULL, 0};
    char *why;
    if (joined->facts.length > joined->result.facts.length)
        parts[count++] =
            (struct cc_part){AN_FACTS_SECTION, joined->facts, joined->result.facts.length > 0};
    if (joined->result.kind == CC_EXECUTABLE) {
        sites = cc_sites_write(judgement);
        parts[count++] = (struct cc_part){FT_SITES_SECTION, sites, joined->result.sites};
    }
    if (count && !cc_embed(toolchain, path, parts, count, &why))
        failure_print(path, why);
    free(sites.text);
}

static int joined_finish(struct joined *joined, struct cc_compile *compile, const char *path)
{
    const struct cc_options *options = compile->options;
    bool executable = joined->result.kind == CC_EXECUTABLE;
    if (!executable && !cc_answer_wanted(options)) {
        joined_store(joined, NULL, compile->toolchain, path);
        return 0;
    }
    bool later = options->later && !cc_answer_wanted(options);
    const struct an_judgement *judgement = later ? cc_whole_judge_later(joined->whole, executable)
                                                 : cc_whole_judge(joined->whole, executable);
    damage_print(joined->whole);
    refused_print(judgement);
    joined_store(joined, judgement, compile->toolchain, path);
    bool good = cc_answer_report(judgement, options, path);
    if (cc_answer_strict(judgement, options, !executable))
        return good ? 0 : 1;
    unlink(path);
    return 1;
}

static int joined_judge(struct joined *joined, struct cc_compile *compile, const char *path,
                        UT_array *inputs)
{
    joined_gather(joined, compile, path, inputs);
    bool known = cc_whole_units(joined->whole) > 0 || cc_whole_damage(joined->whole);
    if (!known && joined->notes > 0 && !cc_answer_wanted(compile->options))
        refused_print(cc_whole_judge(joined->whole, false));
    if (!known && cc_answer_wanted(compile->options))
        cc_whole_miss(joined->whole, path, "no part of it was compiled by ftcc");
    return known || cc_answer_wanted(compile->options) ? joined_finish(joined, compile, path) : 0;
}

int cc_join_link(struct cc_compile *compile)
{
    struct joined joined;
    UT_array inputs;
    char *path = cc_compile_result(compile->options, NULL);
    int code = 0;
    joined_begin(&joined, path);
    inputs_read(compile->options, &inputs);
    const char *layer = cc_layer_find(compile, path, &joined.result, &inputs);
    if (layer)
        cc_whole_miss(joined.whole, layer,
                      "it is a profiling layer, which may change calls of MPI");
    if (joined.result.kind != CC_NO_BINARY)
        code = joined_judge(&joined, compile, path, &inputs);
    utarray_done(&inputs);
    joined_end(&joined);
    free(path);
    return code;
}

/* Gathers the facts of a program that is linked already. A stripped one does not name the files
 * of which it has code but no facts. */
static void inspected_gather(struct joined *joined, const char *path, bool judge)
{
    if (joined->result.kind != CC_EXECUTABLE)
        return;
    strangers_find(joined->whole, &joined->result, path);
    if (judge && joined->result.names.length == 0)
        cc_whole_miss(joined->whole, path,
                      "it is stripped, so that code without facts may be in it");
}

static int inspected_judge(struct joined *joined, const struct cc_options *options,
                           struct cc_toolchain *toolchain, const char *path)
{
    bool executable = joined->result.kind == CC_EXECUTABLE;
    const struct an_judgement *judgement = cc_whole_judge(joined->whole, executable);
    damage_print(joined->whole);
    if (options->judge)
        joined_store(joined, judgement, toolchain, path);
    bool good = cc_answer_report(judgement, options, path);
    return cc_answer_strict(judgement, options, !executable) && good ? 0 : 1;
}

int cc_join_inspect(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    const char *path = ((struct cc_word *)utarray_front(&options->words))->text;
    struct joined joined;
    int code = -1;
    joined_begin(&joined, path);
    callers_note(&joined, toolchain, path);
    enum cc_binary_kind kind = joined.result.kind;
    if (options->judge && kind != CC_EXECUTABLE) {
        fprintf(stderr, "ftcc: error: %s is no program that is linked\n", path);
        code = 1;
    } else if (kind != CC_NO_BINARY && cc_whole_units(joined.whole) == 0 && joined.notes == 0 &&
               !cc_whole_damage(joined.whole)) {
        fprintf(stderr, "ftcc: error: %s has no facts: no part of it was compiled by ftcc\n", path);
        code = 1;
    } else if (kind != CC_NO_BINARY) {
        inspected_gather(&joined, path, options->judge);
        code = inspected_judge(&joined, options, toolchain, path);
    }
    joined_end(&joined);
    return code;
}
