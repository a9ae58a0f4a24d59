/* Idea: the copy must look like the original to the compiler.
 *
 *   FOLDER/0/copy/a.c    the edited text; #line gives it the original's name and line numbers
 *   FOLDER/0/copy/a.h    an edited header of the original's folder: #include "a.h" finds it first
 *   FOLDER/0/beside      a link to the original's folder, for all other #include "..."
 *   FOLDER/0/none        empty; keeps `beside` from being merged with a -I of the same folder,
 *                        which would change how the headers' names are spelled
 *
 * -ffile-prefix-map and -fdebug-prefix-map turn both folders into the original's, so the debug
 * information, __BASE_FILE__ and the names in coverage data agree, too. gcc looks at
 * -ffile-prefix-map when it has seen all of -fmacro-prefix-map, so that the latter could not
 * overrule the user's. */
#include "ftcc/copies.h"
#include "analysis/source/source.h"
#include "ftcc/guard.h"
#include "ftcc/link.h"
#include "ftcc/text.h"
#include "ftcc/toolchain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder's path with its slash, "" for the working folder; the caller frees it. */
static char *folder_of(const char *path)
{
    return strndup(path, (size_t)(base_name(path) - path));
}

static bool copy_put(const char *folder, unsigned number, const char *original,
                     const struct rw_text *text)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/%u/copy/%s", folder, number, base_name(original));
    if (cc_text_write(path, text) < 0)
        return false;
    /* __TIMESTAMP__ is the time of the file. */
    if (stat(original, &status) == 0)
        utimensat(AT_FDCWD, path, (struct timespec[]){status.st_atim, status.st_mtim}, 0);
    return true;
}

/* The text with its edits, for the compiler. */
static bool edited_put(const char *folder, unsigned number, struct rw_edits *edits,
                       const char *path, const struct rw_text *text)
{
    char header[PATH_MAX];
    struct rw_compiled compiled = {path, cc_link_header(header, sizeof header) ? header : NULL};
    struct rw_text edited =
        rw_edits_apply(edits, text->text, text->length, 0, text->length, &compiled);
    bool good = copy_put(folder, number, path, &edited);
    free(edited.text);
    return good;
}

/* When only headers are edited, the file itself is copied as it is. */
static bool plain_put(const char *folder, unsigned number, const struct cc_job *job)
{
    struct rw_text text;
    struct rw_edits *none = rw_edits_create();
    bool good = cc_text_read(job->path, &text) == 0;
    if (good) {
        good = edited_put(folder, number, none, job->path, &text);
        free(text.text);
    }
    rw_edits_destroy(none);
    return good;
}

static bool folders_make(const char *folder, unsigned number, const char *original)
{
    static const char *const names[] = {"", "/copy", "/none"};
    char path[PATH_MAX], target[PATH_MAX];
    char *where = folder_of(original);
    bool good = realpath(*where ? where : ".", target) != NULL;
    free(where);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%u%s", folder, number, names[i]);
        good = good && mkdir(path, 0700) == 0;
    }
    snprintf(path, sizeof path, "%s/%u/beside", folder, number);
    return good && symlink(target, path) == 0;
}

static bool is_written(const char *folder, unsigned number)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%u/beside", folder, number);
    return access(path, F_OK) == 0;
}

bool cc_copies_write(const struct cc_job *job, unsigned number)
{
    const char *folder = cc_guard_folder();
    if (!folder)
        return false;
    if (is_written(folder, number))
        return true;
    const struct cc_source *first = (struct cc_source *)utarray_front(&job->files);
    bool good = folders_make(folder, number, job->path);
    if (good && strcmp(first->path, job->path) != 0)
        good = plain_put(folder, number, job);
    for (struct cc_source *source = NULL; (source = utarray_next(&job->files, source));)
        good = good && edited_put(folder, number, source->edits, source->path, &source->text);
    return good;
}

void cc_copies_name_add(const struct cc_job *job, unsigned number, UT_array *command)
{
    cc_command_add(command, "%s/%u/copy/%s", cc_guard_folder(), number, base_name(job->path));
}

void cc_copies_search_add(unsigned number, UT_array *command)
{
    cc_command_add(command, "-iquote");
    cc_command_add(command, "%s/%u/beside", cc_guard_folder(), number);
    cc_command_add(command, "-iquote");
    cc_command_add(command, "%s/%u/none", cc_guard_folder(), number);
}

struct an_unit *cc_copies_parse(const struct cc_job *job, unsigned number, const char *const *flags)
{
    UT_array command;
    if (!cc_copies_write(job, number))
        return NULL;
    utarray_init(&command, &ut_str_icd);
    cc_copies_search_add(number, &command);
    for (; *flags; flags++)
        cc_command_add(&command, "%s", *flags);
    cc_copies_name_add(job, number, &command);
    size_t count = utarray_len(&command) - 1;
    const char **words = calloc(count + 1, sizeof *words);
    if (!words)
        abort();
    for (unsigned i = 0; i < count; i++)
        words[i] = *(char **)utarray_eltptr(&command, i);
    struct an_unit *unit = an_source_read(*(char **)utarray_back(&command), NULL, 0, words);
    free(words);
    utarray_done(&command);
    return unit;
}

char *cc_path_mapped(const struct cc_options *options, const char *option, const char *path)
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

/* One map for the folder of the copies, one for the copy itself, one for the folder beside it; of
 * several that fit, the compiler takes the last. It ends the old name at the first '=', so a name
 * with one is mapped by its folder. `users` is the option by which the user maps the same names. */
static void map_add(const struct cc_options *options, const struct cc_job *job, unsigned number,
                    const char *users, const char *option, UT_array *command)
{
    const char *name = strchr(base_name(job->path), '=') ? "" : base_name(job->path);
    char *original = folder_of(job->path);
    char *folder = cc_path_mapped(options, users, original);
    char *file = *name ? cc_path_mapped(options, users, job->path) : strdup(folder);
    if (*name && utarray_len(&job->files) > 1)
        cc_command_add(command, "%s%s/%u/copy/=%s", option, cc_guard_folder(), number, folder);
    cc_command_add(command, "%s%s/%u/copy/%s=%s", option, cc_guard_folder(), number, name, file);
    cc_command_add(command, "%s%s/%u/beside/=%s", option, cc_guard_folder(), number, folder);
    free(folder);
    free(original);
    free(file);
}

void cc_copies_maps_add(const struct cc_options *options, const struct cc_job *job, unsigned number,
                        UT_array *command)
{
    map_add(options, job, number, "-fmacro-prefix-map=", "-ffile-prefix-map=", command);
    map_add(options, job, number, "-fdebug-prefix-map=", "-fdebug-prefix-map=", command);
}
