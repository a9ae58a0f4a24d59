/* The calls that make, remove, link and rename what a path stands for, in front of libc's: each
 * makes sure that an undo record exists before it acts (changes.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/stayed.h"

/* Is nothing there that could be removed or renamed? */
static int is_missing(int folder, const char *path)
{
    struct stat status;

    return NEXT(fstatat)(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
}

/* Before a name is removed. Where there is none the call fails: it is a read. */
static void name_goes(int folder, const char *path, const char *call, const void *site)
{
    int missing = files_is_null(path) || is_missing(folder, path);

    files_path_begins(folder, path, missing ? FILES_READ : FILES_OVERWRITE, 0, call, site);
}

#define REMOVES(name, parameters, arguments, folder)                                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        name_goes(folder, path, #name, SITE);                                                      \
        code = FILES_ONCE(FILES_ONCE_REMOVE, folder, path, #name, SITE, NULL, 0,                   \
                          NEXT(name) arguments);                                                   \
        files_folder_was(code == 0, folder, path, #name, SITE);                                    \
        return code;                                                                               \
    }

REMOVES(unlink, (const char *path), (path), AT_FDCWD)
REMOVES(remove, (const char *path), (path), AT_FDCWD)
REMOVES(rmdir, (const char *path), (path), AT_FDCWD)
REMOVES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder)

#define MAKES(name, parameters, arguments, folder)                                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        files_path_is_made(folder, path, FILES_GROW, #name, SITE);                                 \
        return FILES_ONCE(FILES_ONCE_MAKE, folder, path, #name, SITE, NULL, 0,                     \
                          NEXT(name) arguments);                                                   \
    }

MAKES(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES(mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)
MAKES(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD)
MAKES(mknodat, (int folder, const char *path, mode_t mode, dev_t device),
      (folder, path, mode, device), folder)
MAKES(symlink, (const char *target, const char *path), (target, path), AT_FDCWD)
MAKES(symlinkat, (const char *target, int folder, const char *path), (target, folder, path), folder)

/* A folder that was still there when its rank rolled back is made when that rank makes it again. */
#define MAKES_FOLDER(name, parameters, arguments, folder)                                          \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        files_path_is_made(folder, path, FILES_MAKE_FOLDER, #name, SITE);                          \
        code =                                                                                     \
            FILES_ONCE(FILES_ONCE_MAKE, folder, path, #name, SITE, NULL, 0, NEXT(name) arguments); \
        if (code == 0)                                                                             \
            files_stayed_forget(folder, path);                                                     \
        else if (errno == EEXIST && files_stayed_take(folder, path, #name, SITE))                  \
            code = 0;                                                                              \
        files_folder_was(code == 0, folder, path, #name, SITE);                                    \
        return code;                                                                               \
    }

MAKES_FOLDER(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES_FOLDER(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)

/* The file gets one more name, by which its content may be changed then. There is no safe point
 * between the two records: a checkpoint would forget the first. */
static void link_begins(int from_folder, const char *from, int to_folder, const char *to,
                        const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    files_path_begins(from_folder, from, FILES_OVERWRITE, 1, call, site);
    if (files != NULL)
        files_require(files_note_make(files, to_folder, to, FILES_GROW), call, site);
}

#define LINKS(name, parameters, arguments, from_folder, to_folder)                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        link_begins(from_folder, from, to_folder, to, #name, SITE);                                \
        return FILES_ONCE(FILES_ONCE_MAKE, to_folder, to, #name, SITE, NULL, 0,                    \
                          NEXT(name) arguments);                                                   \
    }

LINKS(link, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
LINKS(linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
      (from_folder, from, to_folder, to, flags), from_folder, to_folder)

/* Before a rename. The files in a folder would change their paths unseen, so folders stay. There
 * is no safe point between the two records. */
static void rename_begins(int from_folder, const char *from, int to_folder, const char *to,
                          const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;

    if (files == NULL || files_is_null(from) || files_is_null(to))
        return;
    if (NEXT(fstatat)(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode))
        ft_refuse(call, site, "the rename of a folder cannot be undone: rename its files");
    name_goes(from_folder, from, call, site);
    files_require(files_note(files, to_folder, to, FILES_OVERWRITE, 0), call, site);
}

#define RENAMES(name, parameters, arguments, from_folder, to_folder)                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        rename_begins(from_folder, from, to_folder, to, #name, SITE);                              \
        return FILES_ONCE(FILES_ONCE_REMOVE, from_folder, from, #name, SITE, NULL, 0,              \
                          NEXT(name) arguments);                                                   \
    }

RENAMES(rename, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
RENAMES(renameat, (int from_folder, const char *from, int to_folder, const char *to),
        (from_folder, from, to_folder, to), from_folder, to_folder)
RENAMES(renameat2,
        (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
        (from_folder, from, to_folder, to, flags), from_folder, to_folder)
