/* Idea: what a reader of the report wants is the place in a file where something stands, also when
 * a macro's body made it: then it is the macro's use, and the argument itself when the macro only
 * passed it on. clang_Location_isFromMainFile is 0 for calls that a macro makes, and is not used.
 *
 * Invariant: `editable` is true only when both ends of a node are spelled where they are expanded,
 * in one file that belongs to the user. */
#include "analysis/source/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_mpi_header(const char *name)
{
    static const char *const headers[] = {"mpi.h", "mpio.h", "mpi_proto.h", "mpicxx.h", NULL};
    const char *slash = strrchr(name, '/');
    for (size_t i = 0; headers[i]; i++)
        if (strcmp(slash ? slash + 1 : name, headers[i]) == 0)
            return true;
    return strncmp(name, "/usr/include/", 13) == 0 || strncmp(name, "/usr/lib/", 9) == 0;
}

/* Whether `name` lies in the folder of `path` or below it. */
static bool is_below(const char *path, const char *name)
{
    char *main_file = realpath(path, NULL), *file = realpath(name, NULL);
    bool below = false;
    if (main_file && file) {
        size_t length = (size_t)(strrchr(main_file, '/') - main_file) + 1;
        below = strncmp(main_file, file, length) == 0;
    }
    free(main_file);
    free(file);
    return below;
}

static struct an_file *file_create(struct an_walk *walk, CXFile handle)
{
    struct an_file *file = an_unit_alloc(walk->unit, sizeof *file);
    file->handle = handle;
    if (handle && walk->main_file && walk->clang->clang_File_isEqual(handle, walk->main_file)) {
        file->name = walk->unit->path;
        file->own = true;
    } else if (handle) {
        file->name = an_walk_string(walk, walk->clang->clang_getFileName(handle));
        CXSourceLocation first = walk->clang->clang_getLocationForOffset(walk->tu, handle, 0);
        file->system =
            walk->clang->clang_Location_isInSystemHeader(first) || is_mpi_header(file->name);
        file->own = !file->system && is_below(walk->unit->path, file->name);
    } else {
        file->name = an_unit_string(walk->unit, "");
        file->system = true;
    }
    file->next = walk->files;
    walk->files = file;
    return file;
}

struct an_file *an_places_file(struct an_walk *walk, CXFile handle)
{
    if (walk->last_file && walk->last_file->handle == handle)
        return walk->last_file;
    struct an_file *file = walk->files;
    while (file && file->handle != handle)
        file = file->next;
    walk->last_file = file ? file : file_create(walk, handle);
    return walk->last_file;
}

const char *an_places_text(struct an_walk *walk, struct an_file *file)
{
    if (!file->asked && file->handle)
        file->text = walk->clang->clang_getFileContents(walk->tu, file->handle, &file->length);
    file->asked = true;
    return file->text;
}

/* clang puts an end that a macro's body made behind the macro's use, so it is plain. */
struct location {
    struct an_file *file;
    struct an_place place;
    bool plain;   /* no macro has to do with it */
    bool by_body; /* it begins what a macro's body makes */
};

static struct location location_of(struct an_walk *walk, CXSourceLocation source)
{
    CXFile file, spelled;
    unsigned spelled_offset;
    struct location location = {.plain = true};
    struct an_place *place = &location.place;
    walk->clang->clang_getExpansionLocation(source, &file, &place->line, &place->column,
                                            &place->offset);
    walk->clang->clang_getSpellingLocation(source, &spelled, NULL, NULL, &spelled_offset);
    if (file != spelled || place->offset != spelled_offset) {
        unsigned expanded = place->offset;
        location.plain = false;
        walk->clang->clang_getFileLocation(source, &file, &place->line, &place->column,
                                           &place->offset);
        location.by_body = place->offset == expanded;
    }
    location.file = an_places_file(walk, file);
    place->file = location.file->name;
    return location;
}

struct an_place an_places_at(struct an_walk *walk, CXSourceLocation location)
{
    return location_of(walk, location).place;
}

const char *an_places_number(struct an_walk *walk, CXSourceLocation location)
{
    CXFile handle;
    unsigned offset;
    walk->clang->clang_getSpellingLocation(location, &handle, NULL, NULL, &offset);
    struct an_file *file = an_places_file(walk, handle);
    const char *text = an_places_text(walk, file);
    if (!text || offset >= file->length)
        return NULL;
    const char *begin = text + offset, *at = begin, *end = text + file->length;
    while (at < end && (isalnum((unsigned char)*at) || *at == '.' ||
                        (at > begin && strchr("+-", *at) && strchr("eEpP", at[-1]))))
        at++;
    return at == begin ? NULL : an_unit_printf(walk->unit, "%.*s", (int)(at - begin), begin);
}

bool an_places_by_macro(struct an_walk *walk, CXSourceLocation location)
{
    CXFile file, spelled;
    unsigned offset, spelled_offset;
    walk->clang->clang_getFileLocation(location, &file, NULL, NULL, &offset);
    walk->clang->clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelled_offset);
    return file != spelled || offset != spelled_offset;
}

bool an_places_is_system(struct an_walk *walk, CXSourceLocation location)
{
    CXFile file;
    walk->clang->clang_getExpansionLocation(location, &file, NULL, NULL, NULL);
    return an_places_file(walk, file)->system;
}

static bool may_have_macro_name(enum an_kind kind)
{
    return kind == AN_NUMBER || kind == AN_UNARY || kind == AN_BINARY || kind == AN_CAST ||
           kind == AN_CHOOSE || kind == AN_SIZEOF || kind == AN_INDEX || kind == AN_OTHER;
}

void an_places_set(struct an_walk *walk, struct an_node *node, CXCursor cursor)
{
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    CXSourceLocation start = walk->clang->clang_getRangeStart(range);
    struct location first = location_of(walk, start);
    struct location last = location_of(walk, walk->clang->clang_getRangeEnd(range));
    node->place = first.place;
    node->end = last.place;
    node->editable = first.plain && last.plain && first.file == last.file && first.file->own;
    node->mark = first.by_body && last.plain && first.file == last.file && first.file->own;
    if (!first.plain && may_have_macro_name(node->kind))
        an_macros_name(walk, node, first.file, start);
}
