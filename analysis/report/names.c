/* Idea: a compiler spells a file as it was told, relative to a working folder that differs from
 * unit to unit ("util.c" in twenty folders). A report needs one name per file, and short ones:
 * resolved names, relative to one base. */
#include "analysis/report/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Removes the last component of `path` of `length` bytes, which begins with a slash. */
static size_t up(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

char *an_path_resolve(const char *folder, const char *path)
{
    char *whole = path[0] == '/' ? an_format("%s", path)
                                 : an_format("%s/%s", folder != NULL ? folder : "", path);
    char *result = an_must(calloc(1, strlen(whole) + 2));
    size_t length = 0;
    for (const char *at = whole; *at != '\0';) {
        size_t part = strcspn(at, "/");
        if (part == 2 && strncmp(at, "..", 2) == 0) {
            length = up(result, length);
        } else if (part > 0 && !(part == 1 && *at == '.')) {
            result[length++] = '/';
            memcpy(result + length, at, part);
            length += part;
        }
        at += part + (at[part] == '/');
    }
    if (length == 0)
        result[length++] = '/';
    result[length] = '\0';
    free(whole);
    return result;
}

const char *an_path_relative(const char *base, const char *path)
{
    size_t length = strlen(base);
    if (strcmp(base, "/") == 0)
        return path[1] != '\0' ? path + 1 : path;
    if (strncmp(base, path, length) != 0 || path[length] != '/')
        return path;
    return path + length + 1;
}

/* The folder that `common` (a folder, or NULL for none yet) and the file `path` have in common. */
static char *share(char *common, char *path)
{
    size_t length = up(path, strlen(path));
    path[length] = '\0';
    if (common == NULL)
        return path;
    while (length > 0 && !(strncmp(common, path, length) == 0 &&
                           (common[length] == '/' || common[length] == '\0')))
        length = up(path, length);
    common[length] = '\0';
    free(path);
    return common;
}

char *an_path_base(const struct an_program *program, const char *wanted)
{
    char *here = getcwd(NULL, 0);
    if (wanted != NULL) {
        char *base = an_path_resolve(here, wanted);
        free(here);
        return base;
    }
    char *common = NULL;
    for (unsigned n = 0; n < an_program_units(program); n++) {
        const struct an_unit *unit = an_program_unit(program, n);
        common = share(common, an_path_resolve(unit->folder, unit->path));
    }
    bool below = here != NULL && (common == NULL || strcmp(common, here) == 0 ||
                                  an_path_relative(here, common) != common);
    char *base = an_path_resolve("/", below ? here : common != NULL ? common : "/");
    free(common);
    free(here);
    return base;
}
