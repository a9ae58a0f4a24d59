/* Idea: each file is parsed in a process of its own, in the folder and with the words of its
 * command, and comes back as the bytes that would lie in its object. So files are parsed side by
 * side, and one that makes the parser crash is a hole in the report. */
#include "ftcc/analyze.h"
#include "analysis/source/source.h"
#include "analysis/tree/store.h"
#include "ftcc/answer.h"
#include "ftcc/database.h"
#include "ftcc/guard.h"
#include "ftcc/job.h"
#include "ftcc/whole.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One file to parse. */
struct task {
    char *folder; /* "." for files of the command line */
    char *file;
    struct cc_options options; /* of its command */
    const char *foreign;       /* why it is not parsed, or NULL */
};

struct tasks {
    UT_array list; /* of struct task */
    UT_array *added;
};

static void task_release(void *element)
{
    struct task *task = element;
    free(task->folder);
    free(task->file);
    cc_options_release(&task->options);
}

static const UT_icd task_icd = {sizeof(struct task), NULL, NULL, task_release};

/* ---- Which files ---- */

/* The first source of the command; NULL: it is in another language. */
static const struct cc_word *source_of(const struct cc_options *options)
{
    const struct cc_word *word = NULL;
    while ((word = utarray_next(&options->words, word)))
        if (word->kind == CC_SOURCE)
            return word;
    return NULL;
}

static void entry_add(struct tasks *tasks, const struct cc_entry *entry)
{
    unsigned count = utarray_len(&entry->words);
    const char **words = calloc(count + 1, sizeof *words);
    if (!words)
        abort();
    for (unsigned i = 0; i < count; i++)
        words[i] = *(char **)utarray_eltptr(&entry->words, i);
    struct task task = {.folder = strdup(entry->folder), .file = strdup(entry->file)};
    cc_options_parse((int)count, words, &task.options);
    task.foreign = source_of(&task.options) ? NULL : "it is neither C nor C++";
    utarray_push_back(&tasks->list, &task);
    free(words);
}

static bool is_same_file(const char *folder, const char *file, const char *other)
{
    char path[PATH_MAX], first[PATH_MAX], second[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", *file == '/' ? "" : folder, *file == '/' ? "" : "/",
             file);
    return realpath(path, first) && realpath(other, second) && strcmp(first, second) == 0;
}

/* The entries of one source of the command line. */
static bool entries_match(struct tasks *tasks, UT_array *entries, const char *file)
{
    bool found = false;
    for (struct cc_entry *entry = NULL; (entry = utarray_next(entries, entry));)
        if (is_same_file(entry->folder, entry->file, file)) {
            entry_add(tasks, entry);
            found = true;
        }
    if (!found)
        fprintf(stderr, "ftcc: error: %s is not in the compilation database\n", file);
    return found;
}

static bool database_add(struct tasks *tasks, const struct cc_options *options)
{
    UT_array entries;
    bool good = cc_database_read(options->database, &entries);
    if (good && options->inputs == 0)
        for (struct cc_entry *entry = NULL; (entry = utarray_next(&entries, entry));)
            entry_add(tasks, entry);
    for (struct cc_word *word = NULL; good && (word = cc_options_next(options, word));)
        if (word->kind == CC_SOURCE)
            good = entries_match(tasks, &entries, word->text);
    utarray_done(&entries);
    return good;
}

/* A file of the command line, with all the other words of it. */
static void file_add(struct tasks *tasks, const struct cc_options *options, const char *file)
{
    struct task task = {.folder = strdup("."), .file = strdup(file)};
    unsigned count = utarray_len(&options->words);
    const char **words = calloc(count + 1, sizeof *words);
    if (!words)
        abort();
    words[0] = options->program;
    for (unsigned i = 0; i < count; i++)
        words[i + 1] = ((struct cc_word *)utarray_eltptr(&options->words, i))->text;
    cc_options_parse((int)count + 1, words, &task.options);
    utarray_push_back(&tasks->list, &task);
    free(words);
}

static bool files_add(struct tasks *tasks, const struct cc_options *options)
{
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));) {
        if (word->kind == CC_INPUT && word->text[0] != '-') {
            fprintf(stderr, "ftcc: error: %s is not a file of C or C++\n", word->text);
            return false;
        }
        if (word->kind == CC_SOURCE)
            file_add(tasks, options, word->text);
    }
    return true;
}

/* ---- Parsing ---- */

static struct an_unit *foreign_unit(const struct task *task, const char *problem)
{
    struct an_unit *unit = an_unit_create(task->file);
    unit->folder = an_unit_string(unit, task->folder);
    unit->problem = an_unit_string(unit, problem);
    return unit;
}

/* In a process of its own. */
static void task_run(void *context, unsigned number, FILE *out)
{
    struct tasks *tasks = context;
    const struct task *task = (struct task *)utarray_eltptr(&tasks->list, number);
    struct an_unit *unit;
    void *bytes;
    size_t length;
    if (task->foreign) {
        unit = foreign_unit(task, task->foreign);
    } else if (chdir(task->folder) != 0) {
        unit = foreign_unit(task, "its folder is not there");
    } else {
        const char **flags =
            cc_job_flags(&task->options, tasks->added, source_of(&task->options)->cxx);
        unit = an_source_read(task->file, NULL, 0, flags);
        free(flags);
    }
    an_store_write(unit, &bytes, &length);
    fwrite(bytes, 1, length, out);
    free(bytes);
    an_unit_destroy(unit);
}

static void result_add(struct cc_whole *whole, const struct task *task,
                       const struct cc_share *share)
{
    if (share->crash == 0) {
        cc_whole_add(whole, &share->bytes, task->file);
        return;
    }
    char problem[128];
    snprintf(problem, sizeof problem, "the parser %s",
             share->crash == SIGPROF ? "needed too much time" : strsignal(share->crash));
    cc_whole_add_unit(whole, foreign_unit(task, problem));
}

static void tasks_run(struct tasks *tasks, struct cc_whole *whole)
{
    unsigned count = utarray_len(&tasks->list);
    struct cc_share *shares = calloc(count + 1, sizeof *shares);
    if (!shares)
        abort();
    cc_guard_each(count, task_run, tasks, shares);
    for (unsigned i = 0; i < count; i++) {
        result_add(whole, (struct task *)utarray_eltptr(&tasks->list, i), &shares[i]);
        free(shares[i].bytes.text);
    }
    free(shares);
}

/* ---- Answers ---- */

static const char *program_name(const struct cc_options *options, const struct tasks *tasks)
{
    if (options->database)
        return options->database;
    return ((struct task *)utarray_front(&tasks->list))->file;
}

static bool diffs_print(const struct an_judgement *judgement)
{
    for (unsigned i = 0; i < an_program_units(judgement->program); i++) {
        UT_array files;
        cc_sources_find(judgement, an_program_unit(judgement->program, i), true, &files);
        cc_sources_diff(&files, stdout);
        utarray_done(&files);
    }
    return cc_answer_flush();
}

static int judge_and_answer(struct cc_whole *whole, const struct cc_options *options,
                            const char *name)
{
    struct cc_options asked = *options;
    asked.report |= utarray_len(&options->reports) == 0 && !options->diff;
    const struct an_judgement *judgement =
        cc_whole_judge(whole, options->database || cc_whole_is_closed(whole));
    bool good = !options->diff || diffs_print(judgement);
    good = good && cc_answer_report(judgement, &asked, name);
    return cc_answer_strict(judgement, options, !an_program_is_whole(judgement->program)) && good
               ? 0
               : 1;
}

int cc_analyze(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    struct tasks tasks = {.added = &toolchain->flags};
    utarray_init(&tasks.list, &task_icd);
    int code = 1;
    bool good = options->database ? database_add(&tasks, options) : files_add(&tasks, options);
    if (good && utarray_len(&tasks.list) == 0) {
        fputs("ftcc: error: --ft-analyze needs files of C or C++, or -p compile_commands.json\n",
              stderr);
        code = 2;
    } else if (good) {
        struct cc_whole *whole = cc_whole_create();
        tasks_run(&tasks, whole);
        code = judge_and_answer(whole, options, program_name(options, &tasks));
        cc_whole_destroy(whole);
    }
    utarray_done(&tasks.list);
    return code;
}
