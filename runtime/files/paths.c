/* The calls that make, remove, link and rename what a path stands for, in front of libc's: each
 * makes sure that an undo record exists before it acts (changes.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/settle_list.h"
#include "files/stayed.h"

static void name_note(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files != NULL)
        files_require(files_note(files, folder, path, FILES_OVERWRITE, 0), call, site);
}

/* The wait before a name goes away. 1: libc is not to be asked, it is gone, which is noted. */
static int name_is_gone(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_shares();

    ft_outside_point(site);
    if (files == NULL || files_is_null(path) ||
        !files_settle_removal(ft_self, folder, path, call, site))
        return 0;
    files_require(files_note(files, folder, path, FILES_READ, 0), call, site);
    errno = ENOENT;
    return 1;
}

/* A folder goes away when it is empty: the wait for who takes a name out of it before, unless the
 * path is something else. */
static void folder_settle(int folder, const char *path, const char *call, const void *site)
{
    struct stat status;

    ft_outside_point(site);
    if (files_shares() == NULL || files_unsettled(ft_self) == 0 || files_is_null(path) ||
        path[0] == 0 ||
        (NEXT(fstatat)(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         !S_ISDIR(status.st_mode)))
        return;
    files_settle(ft_self, folder, path, FILES_FOLDER, call, site);
    files_settle_names(ft_self, folder, path, call, site);
}

/* Before a name goes away. One that is not there stays so: others need not know of it. Whether a
 * folder goes depends on the names in it. Answers 0, or -1 when libc is not to be asked. */
static int name_goes(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_is_null(path) ? NULL : files_shares();
    struct stat status = {0};

    folder_settle(folder, path, call, site);
    if (name_is_gone(folder, path, call, site))
        return -1;
    if (files != NULL && NEXT(fstatat)(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0 &&
        errno == ENOENT) {
        files_require(files_note(files, folder, path, FILES_READ, 0), call, site);
        return 0;
    }
    if (S_ISDIR(status.st_mode))
        files_require(files_note_names(files, folder, path), call, site);
    name_note(folder, path, call, site);
    return 0;
}

#define REMOVES(name, parameters, arguments, folder)                                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        if (name_goes(folder, path, #name, SITE) != 0)                                             \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

REMOVES(unlink, (const char *path), (path), AT_FDCWD)
REMOVES(remove, (const char *path), (path), AT_FDCWD)
REMOVES(rmdir, (const char *path), (path), AT_FDCWD)
REMOVES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder)

#define MAKES(name, parameters, arguments, folder)                                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code = -1;                                                                             \
                                                                                                   \
        if (files_path_is_made(folder, path, #name, SITE) == FILES_TAKEN)                          \
            return code;                                                                           \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

MAKES(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES(mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)
MAKES(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD)
MAKES(mknodat, (int folder, const char *path, mode_t mode, dev_t device),
      (folder, path, mode, device), folder)
MAKES(symlink, (const char *target, const char *path), (target, path), AT_FDCWD)
MAKES(symlinkat, (const char *target, int folder, const char *path), (target, folder, path), folder)

/* A folder that others have filled meanwhile could not be put away: who makes it again has made it.
 */
#define MAKES_FOLDER(name, parameters, arguments, folder)                                          \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        enum files_place place = files_path_is_made(folder, path, #name, SITE);                    \
        int code;                                                                                  \
                                                                                                   \
        if (place == FILES_TAKEN)                                                                  \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        if (code == 0)                                                                             \
            files_stayed_forget(folder, path);                                                     \
        else if (errno == EEXIST &&                                                                \
                 (place == FILES_OURS || files_stayed_take(folder, path, #name, SITE)))            \
            code = 0;                                                                              \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

MAKES_FOLDER(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES_FOLDER(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)

/* Where something is done with two names, waiting is a safe point, behind which nothing is on
 * record: so both are waited for first. Answers 0, or -1 when libc is not to be asked. */
static int link_begins(int from_folder, const char *from, int to_folder, const char *to,
                       const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    enum files_place place = FILES_FREE;
    struct stat status;

    if (files == NULL || from == NULL || to == NULL)
        return 0;
    files_path_begins(from_folder, from, FILES_CHANGE, call, site);
    if (files_shares() != NULL)
        place = files_settle_make(ft_self, to_folder, to, call, site);
    files_require(files_note(files, from_folder, from, FILES_OVERWRITE, 1), call, site);
    files_require(files_note_make(files, to_folder, to, place), call, site);
    if (place != FILES_TAKEN)
        return 0;
    if (from[0] == 0 || NEXT(fstatat)(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) == 0)
        errno = EEXIST; /* what is missing tells libc first */
    return -1;
}

#define LINKS(name, parameters, arguments, from_folder, to_folder)                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        if (link_begins(from_folder, from, to_folder, to, #name, SITE) != 0)                       \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(to_folder, to, code == 0, #name, SITE);                               \
        return code;                                                                               \
    }

LINKS(link, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
LINKS(linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
      (from_folder, from, to_folder, to, flags), from_folder, to_folder)

/* Before a rename. What lies in a folder would change its path unseen, so folders stay. Answers 0
 * where nothing is there to be renamed: then nothing changes; or -1 when libc is not to be asked.
 */
static int rename_begins(int from_folder, const char *from, int to_folder, const char *to,
                         const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;

    if (files == NULL || from == NULL || to == NULL)
        return 0;
    if (name_is_gone(from_folder, from, call, site))
        return -1;
    files_path_begins(to_folder, to, FILES_REPLACE, call, site);
    if (NEXT(fstatat)(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        files_require(files_note_unused(files, to_folder, to), call, site);
        if (files_shares() != NULL)
            files_require(files_note(files, from_folder, from, FILES_READ, 0), call, site);
        return 0;
    }
    if (S_ISDIR(status.st_mode))
        ft_refuse(call, site, "the rename of a folder cannot be undone: rename its files");
    name_note(from_folder, from, call, site);
    files_require(files_note_replaced(files, to_folder, to), call, site);
    return 1;
}

/* Of several ranks that rename one file one has done it. noted: as rename_begins has answered. */
static void rename_ends(int from_folder, const char *from, int to_folder, const char *to, int noted,
                        int code, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    enum files_answer answer = code == 0 ? FILES_NAMED : FILES_KEPT;
    int error = errno;

    if (files == NULL || from == NULL || to == NULL)
        return;
    files_require(files_note_named(files, from_folder, from, answer), call, site);
    if (noted)
        files_require(files_note_named(files, to_folder, to, answer), call, site);
    else if (code == 0)
        files_require(files_note_replaced(files, to_folder, to), call, site);
    errno = error;
}

#define RENAMES(name, parameters, arguments, from_folder, to_folder)                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int noted = rename_begins(from_folder, from, to_folder, to, #name, SITE), code;            \
                                                                                                   \
        if (noted < 0)                                                                             \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        rename_ends(from_folder, from, to_folder, to, noted, code, #name, SITE);                   \
        return code;                                                                               \
    }

RENAMES(rename, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
RENAMES(renameat, (int from_folder, const char *from, int to_folder, const char *to),
        (from_folder, from, to_folder, to), from_folder, to_folder)
RENAMES(renameat2,
        (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
        (from_folder, from, to_folder, to, flags), from_folder, to_folder)
