/* mkstemp and its family, instead of libc's. The name has to be recorded before the file exists, so
 * that a rollback can remove the file; libc chooses the name and makes the file in one step. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "files/calls.h"
#include "files/claim.h"

/* Replaces the six X of a mkstemp template by random letters and digits. The caller finds out
 * whether the name is taken. 0, or -1 with errno. */
static int template_fill(char *place)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[6];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return -1;
    for (int i = 0; i < 6; i++)
        place[i] = letters[random[i] % 62];
    return 0;
}

/* folder: 1 for mkdtemp. Returns the descriptor, or 0 for a folder; -1 with errno. */
static int temporary_make(char *name, int suffix, int flags, int folder, const void *site)
{
    size_t length = strlen(name);
    int opened = (flags & ~O_ACCMODE) | O_RDWR;
    struct stat status;
    char *place;

    if (suffix < 0 || length < 6 + (size_t)suffix ||
        strncmp(place = name + length - 6 - (size_t)suffix, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int tries = 0; tries < 1000 && template_fill(place) == 0; tries++) {
        int made;

        if (!files_is_paired() && NEXT(lstat)(name, &status) == 0)
            continue; /* not with --replicas: the rank's other copy has made it by now */
        files_path_is_made(AT_FDCWD, name, folder ? FILES_MAKE_FOLDER : FILES_GROW, "mkstemp",
                           site);
        made = folder ? FILES_ONCE(FILES_ONCE_MAKE, AT_FDCWD, name, "mkdtemp", site, NULL, 0,
                                   NEXT(mkdir)(name, 0700))
                      : FILES_ONCE_OPEN(AT_FDCWD, name, O_CREAT | O_EXCL, site,
                                        NEXT(open)(name, opened | O_CREAT | O_EXCL, 0600),
                                        NEXT(open)(name, opened));
        if (folder)
            files_folder_was(made >= 0, AT_FDCWD, name, "mkdtemp", site);
        else
            files_claim(files_asks(), made, NULL);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    errno = EEXIST;
    return -1;
}

#define MKSTEMP(name, parameters, arguments, suffix, flags)                                        \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        if (files_asks() == NULL)                                                                  \
            return NEXT(name) arguments;                                                           \
        return temporary_make(template, suffix, flags, 0, SITE);                                   \
    }

MKSTEMP(mkstemp, (char *template), (template), 0, 0)
MKSTEMP(mkstemp64, (char *template), (template), 0, 0)
MKSTEMP(mkostemp, (char *template, int flags), (template, flags), 0, flags)
MKSTEMP(mkostemp64, (char *template, int flags), (template, flags), 0, flags)
MKSTEMP(mkstemps, (char *template, int suffix), (template, suffix), suffix, 0)
MKSTEMP(mkstemps64, (char *template, int suffix), (template, suffix), suffix, 0)
MKSTEMP(mkostemps, (char *template, int suffix, int flags), (template, suffix, flags), suffix,
        flags)
MKSTEMP(mkostemps64, (char *template, int suffix, int flags), (template, suffix, flags), suffix,
        flags)

FT_EXPORT char *mkdtemp(char *template)
{
    if (files_asks() == NULL)
        return NEXT(mkdtemp)(template);
    return temporary_make(template, 0, 0, 1, SITE) == 0 ? template : NULL;
}
