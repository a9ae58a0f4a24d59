/* Idea: a unit remembers a digest of its file, so offsets are only used in a text that has it. A
 * header has no digest: it is edited while its unit is compiled, and not later. */
#include "ftcc/sources.h"
#include "ftcc/text.h"
#include "rewriters/annotate.h"
#include "rewriters/diff.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FILES = 64 }; /* of one unit that are annotated; further headers are left as they are */

static void source_release(void *element)
{
    struct cc_source *source = element;
    free(source->path);
    free(source->disk);
    free(source->text.text);
    rw_edits_destroy(source->edits);
}

static const UT_icd source_icd = {sizeof(struct cc_source), NULL, NULL, source_release};

static char *disk_path(const struct an_unit *unit, const char *path)
{
    char *disk = NULL;
    if (*path == '/' || !unit->folder || !*unit->folder)
        disk = strdup(path);
    else if (asprintf(&disk, "%s/%s", unit->folder, path) < 0)
        abort();
    return disk;
}

/* In the working folder, clang spells "./a.h" what gcc spells "a.h". */
static const char *plain_name(const struct an_unit *unit, const char *path)
{
    bool dotted = strncmp(path, "./", 2) == 0 && strncmp(unit->path, "./", 2) != 0;
    return dotted ? path + 2 : path;
}

static void file_try(const struct an_judgement *judgement, const struct an_unit *unit,
                     const char *path, UT_array *files)
{
    const char *plain = plain_name(unit, path);
    struct cc_source source = {.path = strdup(plain), .disk = disk_path(unit, plain)};
    bool own = strcmp(path, unit->path) == 0;
    if (cc_text_read(source.disk, &source.text) == 0 &&
        (!own || XXH64(source.text.text, source.text.length, 0) == unit->digest))
        source.edits = rw_annotate(judgement, unit, path, source.text.text, source.text.length);
    if (source.edits && rw_edits_count(source.edits) > 0)
        utarray_push_back(files, &source);
    else
        source_release(&source);
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_beside(const char *path, const char *other)
{
    size_t length = folder_length(path);
    return length == folder_length(other) && memcmp(path, other, length) == 0;
}

void cc_sources_find(const struct an_judgement *judgement, const struct an_unit *unit, bool headers,
                     UT_array *files)
{
    const char *names[FILES];
    unsigned count = rw_annotated_files(judgement, unit, names, FILES);
    utarray_init(files, &source_icd);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(names[i], unit->path) == 0 ||
            (headers && is_beside(plain_name(unit, names[i]), unit->path)))
            file_try(judgement, unit, names[i], files);
}

void cc_sources_diff(UT_array *files, FILE *out)
{
    for (struct cc_source *file = NULL; (file = utarray_next(files, file));)
        rw_diff_print(file->edits, file->path, file->text.text, file->text.length, out);
}

struct cc_sources {
    UT_array *groups; /* of UT_array: the files of one unit each */
    UT_array files;   /* of struct an_report_file */
};

static void files_release(void *element)
{
    utarray_done((UT_array *)element);
}

static void insertions_release(void *element)
{
    free((void *)((struct an_report_file *)element)->insertions);
}

static const UT_icd group_icd = {sizeof(UT_array), NULL, NULL, files_release};
static const UT_icd file_icd = {sizeof(struct an_report_file), NULL, NULL, insertions_release};

static struct an_report_file report_file(const struct cc_source *source)
{
    size_t count = rw_edits_count(source->edits);
    struct an_insertion *insertions = calloc(count, sizeof *insertions);
    if (!insertions)
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct rw_edit *edit = rw_edits_at(source->edits, i);
        insertions[i] = (struct an_insertion){edit->offset, edit->text, edit->own_line};
    }
    return (struct an_report_file){source->disk, source->text.text, source->text.length, insertions,
                                   count};
}

struct cc_sources *cc_sources_create(const struct an_judgement *judgement)
{
    struct cc_sources *sources = calloc(1, sizeof *sources);
    if (!sources)
        abort();
    utarray_new(sources->groups, &group_icd);
    utarray_init(&sources->files, &file_icd);
    for (unsigned i = 0; i < an_program_units(judgement->program); i++) {
        UT_array group;
        cc_sources_find(judgement, an_program_unit(judgement->program, i), false, &group);
        utarray_push_back(sources->groups, &group);
        for (struct cc_source *file = NULL; (file = utarray_next(&group, file));) {
            struct an_report_file entry = report_file(file);
            utarray_push_back(&sources->files, &entry);
        }
    }
    return sources;
}

void cc_sources_destroy(struct cc_sources *sources)
{
    if (!sources)
        return;
    utarray_done(&sources->files);
    utarray_free(sources->groups);
    free(sources);
}

const struct an_report_file *cc_sources_files(const struct cc_sources *sources)
{
    return (const struct an_report_file *)utarray_front(&sources->files);
}

size_t cc_sources_count(const struct cc_sources *sources)
{
    return utarray_len(&sources->files);
}
