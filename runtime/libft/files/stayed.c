/* Marks of folders that stayed (stayed.h). */
#include "files/stayed.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/calls.h"
#include "files/resolve.h"

/* Has the rank marks? Not in the image: marks are made for a new process only. */
static enum { UNKNOWN, NONE, SOME } marks;

static int are_marks(void)
{
    char name[FT_WIRE_PATH + 16];

    if (marks == UNKNOWN) {
        snprintf(name, sizeof name, "%s/" FT_UNDO_STAYED_FOLDER, ft_life.boot.undo);
        marks = NEXT(access)(name, F_OK) == 0 ? SOME : NONE;
    }
    return marks == SOME;
}

/* The name of the folder's mark, if it may have one. */
static int mark_name(int folder, const char *path, char name[FT_WIRE_PATH + 64])
{
    char resolved[FT_UNDO_PATH];

    if (files_asks() == NULL || ft_life.boot.undo[0] == 0 || path == NULL || !are_marks() ||
        files_resolve(folder, path, 0, resolved) != 0)
        return 0;
    snprintf(name, FT_WIRE_PATH + 64, "%s/" FT_UNDO_STAYED_FOLDER "/" FT_UNDO_STAYED_NAME,
             ft_life.boot.undo, (unsigned long long)XXH3_64bits(resolved, strlen(resolved)));
    return 1;
}

/* The record is written first: a rank that is killed between the two rolls back, and the folder
 * stays once more. */
int files_stayed_take(int folder, const char *path, const char *call, const void *site)
{
    char name[FT_WIRE_PATH + 64];
    struct stat status;
    int error = errno, taken = 0;

    if (mark_name(folder, path, name) && NEXT(access)(name, F_OK) == 0 &&
        NEXT(fstatat)(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode)) {
        files_require(files_note_made_again(files_asks(), folder, path), call, site);
        taken = NEXT(unlink)(name) == 0;
    }
    errno = error;
    return taken;
}

void files_stayed_forget(int folder, const char *path)
{
    char name[FT_WIRE_PATH + 64];
    int error = errno;

    if (mark_name(folder, path, name))
        NEXT(unlink)(name);
    errno = error;
}
