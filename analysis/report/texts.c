/* Idea: a report shows a source only when it is the text that was analysed. The document holds the
 * digest of each unit; a header has none, so it is shown with the remark that it was not compared.
 */
#include "analysis/report/parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { TEXT_LIMIT = 64 << 20 }; /* a longer file is generated, and nobody reads it in a report */

struct an_texts {
    const json_t *document;
    const struct an_report_options *options;
    struct an_text_file *files;
    char **given; /* the names in the document of options->files */
};

struct an_texts *an_texts_create(const json_t *document, const struct an_report_options *options)
{
    struct an_texts *texts = an_must(calloc(1, sizeof *texts));
    texts->document = document;
    texts->options = options;
    texts->given = an_must(calloc(options->file_count + 1, sizeof *texts->given));
    const char *base = an_field(json_object_get(document, "program"), "base");
    char *here = getcwd(NULL, 0);
    for (size_t n = 0; n < options->file_count; n++) {
        char *path = an_path_resolve(here, options->files[n].path);
        const char *name = an_path_relative(base, path);
        texts->given[n] = an_utf8_clean(name, strlen(name));
        free(path);
    }
    free(here);
    return texts;
}

void an_texts_destroy(struct an_texts *texts)
{
    struct an_text_file *file, *next;
    HASH_ITER (hh, texts->files, file, next) {
        HASH_DEL(texts->files, file);
        free(file->owned);
        free(file->starts);
        free(file);
    }
    for (size_t n = 0; n < texts->options->file_count; n++)
        free(texts->given[n]);
    free(texts->given);
    free(texts);
}

/* Reads the regular file at `path`; NULL when it cannot be. */
static char *file_read(const char *path, size_t *length)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char *text = NULL;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size <= TEXT_LIMIT) {
        size_t size = (size_t)status.st_size, got = 0;
        text = an_must(malloc(size + 1));
        for (ssize_t part = 1; got < size && part > 0; got += part > 0 ? (size_t)part : 0)
            part = read(descriptor, text + got, size - got);
        text[got] = '\0';
        *length = got;
    }
    if (descriptor >= 0)
        close(descriptor);
    return text;
}

static void from_disk(struct an_texts *texts, struct an_text_file *file)
{
    const char *base = an_field(json_object_get(texts->document, "program"), "base");
    char *path = an_path_resolve(base, file->name);
    file->owned = file_read(path, &file->length);
    file->text = file->owned;
    if (file->text == NULL)
        file->why = "the source cannot be read";
    free(path);
}

/* A text from the disk counts only when its digest is the unit's. */
static void compare(struct an_texts *texts, struct an_text_file *file)
{
    const json_t *units = json_object_get(json_object_get(texts->document, "coverage"), "files");
    const char *digest = an_field(an_item_with(units, "file", file->name), "digest");
    char own[17];
    snprintf(own, sizeof own, "%016llx", (unsigned long long)XXH64(file->text, file->length, 0));
    file->compared = strcmp(own, digest) == 0;
    if (digest[0] == '\0' || file->compared)
        return;
    file->text = NULL;
    file->length = 0;
    file->why = "the source has changed since it was analysed";
}

static void lines_find(struct an_text_file *file)
{
    unsigned lines = 0;
    for (size_t at = 0; at < file->length; at++)
        lines += at == 0 || file->text[at - 1] == '\n';
    file->starts = an_must(malloc((lines + 1) * sizeof *file->starts));
    for (size_t at = 0; at < file->length; at++)
        if (at == 0 || file->text[at - 1] == '\n')
            file->starts[file->lines++] = at;
    file->starts[file->lines] = file->length;
}

static struct an_text_file *file_create(struct an_texts *texts, const char *name)
{
    struct an_text_file *file = an_must(calloc(1, sizeof *file));
    file->name = name;
    for (size_t n = 0; n < texts->options->file_count && file->given == NULL; n++)
        if (strcmp(texts->given[n], name) == 0)
            file->given = &texts->options->files[n];
    if (file->given != NULL && file->given->text != NULL) {
        file->text = file->given->text;
        file->length = file->given->length;
        file->compared = true;
    } else {
        from_disk(texts, file);
        if (file->text != NULL)
            compare(texts, file);
    }
    lines_find(file);
    HASH_ADD_KEYPTR(hh, texts->files, file->name, strlen(file->name), file);
    return file;
}

struct an_text_file *an_texts_file(struct an_texts *texts, const char *name)
{
    struct an_text_file *file;
    HASH_FIND_STR(texts->files, name, file);
    return file != NULL ? file : file_create(texts, name);
}

struct an_text_file *an_texts_given(struct an_texts *texts, size_t n)
{
    return n < texts->options->file_count ? an_texts_file(texts, texts->given[n]) : NULL;
}

const char *an_text_line(const struct an_text_file *file, unsigned line, size_t *length)
{
    *length = 0;
    if (line == 0 || line > file->lines)
        return "";
    const char *start = file->text + file->starts[line - 1];
    *length = file->starts[line] - file->starts[line - 1];
    while (*length > 0 && (start[*length - 1] == '\n' || start[*length - 1] == '\r'))
        --*length;
    return start;
}

unsigned an_text_column(const struct an_text_file *file, unsigned line, unsigned column)
{
    size_t length;
    const char *text = an_text_line(file, line, &length);
    if (line == 0 || line > file->lines)
        return column;
    unsigned characters = 1;
    for (size_t at = 0; at + 1 < column && at < length; characters++) {
        unsigned size = an_utf8_length(text + at, length - at);
        at += size > 0 ? size : 1;
    }
    return characters;
}

unsigned an_text_line_of(const struct an_text_file *file, size_t offset)
{
    unsigned low = 1, high = file->lines + 1;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (file->starts[middle - 1] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}
