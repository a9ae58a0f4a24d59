/* Idea: the format of ar, in which only the tables have content:
 *
 *     "!<thin>\n" | header, "/", symbols | header, "//", names | header, "/12" | header, "/40" ...
 *
 * "/12" is the name at offset 12 of the names, which ends with "/\n" and is relative to the
 * archive's folder; ":345" behind it is a place in an archive of that name, whose members follow
 * each other. */
#include "ftcc/thin.h"
#include "ftcc/text.h"

#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "!<thin>\n";

struct thin {
    const char *path;
    struct rw_text text, names; /* `names` is a part of `text` */
    UT_array *members;
};

/* A number in a field of a header, which ends with blanks. */
static size_t number_read(const char *field, size_t size)
{
    char digits[24] = "";
    memcpy(digits, field, size < sizeof digits ? size : sizeof digits - 1);
    return strtoul(digits, NULL, 10);
}

static bool is_named(const struct ar_hdr *header, const char *name)
{
    size_t length = strlen(name);
    return memcmp(header->ar_name, name, length) == 0 && header->ar_name[length] == ' ';
}

static void member_add(struct thin *thin, size_t offset)
{
    if (offset >= thin->names.length)
        return;
    const char *name = thin->names.text + offset, *slash = strrchr(thin->path, '/');
    const char *end = memchr(name, '\n', thin->names.length - offset);
    size_t length = end ? (size_t)(end - name) : thin->names.length - offset;
    length -= length > 0 && name[length - 1] == '/';
    int folder = *name == '/' || !slash ? 0 : (int)(slash - thin->path + 1);
    char *path = NULL;
    if (asprintf(&path, "%.*s%.*s", folder, thin->path, (int)length, name) < 0)
        abort();
    char **last = (char **)utarray_back(thin->members);
    if (!last || strcmp(*last, path) != 0)
        utarray_push_back(thin->members, &path);
    free(path);
}

static void members_read(struct thin *thin)
{
    struct ar_hdr header;
    size_t offset = SARMAG;
    while (offset < thin->text.length && thin->text.length - offset >= sizeof header) {
        memcpy(&header, thin->text.text + offset, sizeof header);
        offset += sizeof header;
        size_t size = number_read(header.ar_size, sizeof header.ar_size);
        bool names = is_named(&header, "//");
        bool table = names || is_named(&header, "/") || is_named(&header, "/SYM64/");
        if (memcmp(header.ar_fmag, ARFMAG, 2) != 0 || (table && size > thin->text.length - offset))
            return;
        if (names)
            thin->names = (struct rw_text){thin->text.text + offset, size};
        else if (!table && header.ar_name[0] == '/')
            member_add(thin, number_read(header.ar_name + 1, sizeof header.ar_name - 1));
        offset += table ? size + size % 2 : 0;
    }
}

bool cc_thin_read(const char *path, UT_array *paths)
{
    struct thin thin = {.path = path, .members = paths};
    if (cc_text_read(path, &thin.text) < 0)
        return false;
    bool is_thin = thin.text.length >= SARMAG && memcmp(thin.text.text, magic, SARMAG) == 0;
    if (is_thin)
        members_read(&thin);
    free(thin.text.text);
    return is_thin;
}
