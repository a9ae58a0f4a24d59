/* The calls that tell what the file system holds, in front of libc's. With clusters each makes sure
 * that what it tells is on record, because a rank that goes back must be told the same; and none
 * tells what another rank has still to do again (settle.h). A list of names is that of the moment.
 * open is in changes.c, fopen in streams.c, read and fread in chance/entropy.c. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/claim.h"

#define READS(type, name, parameters, arguments, folder, follow)                                   \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        type found;                                                                                \
                                                                                                   \
        files_path_is_read(folder, path, follow, #name, SITE);                                     \
        found = NEXT(name) arguments;                                                              \
        files_path_was_read(folder, path, follow, found >= 0, #name, SITE);                        \
        return found;                                                                              \
    }

READS(int, stat, (const char *restrict path, struct stat *restrict status), (path, status),
      AT_FDCWD, 1)
READS(int, stat64, (const char *restrict path, struct stat64 *restrict status), (path, status),
      AT_FDCWD, 1)
READS(int, lstat, (const char *restrict path, struct stat *restrict status), (path, status),
      AT_FDCWD, 0)
READS(int, lstat64, (const char *restrict path, struct stat64 *restrict status), (path, status),
      AT_FDCWD, 0)
READS(int, fstatat,
      (int folder, const char *restrict path, struct stat *restrict status, int flags),
      (folder, path, status, flags), folder, !(flags & AT_SYMLINK_NOFOLLOW))
READS(int, fstatat64,
      (int folder, const char *restrict path, struct stat64 *restrict status, int flags),
      (folder, path, status, flags), folder, !(flags & AT_SYMLINK_NOFOLLOW))
READS(int, statx,
      (int folder, const char *restrict path, int flags, unsigned mask,
       struct statx *restrict status),
      (folder, path, flags, mask, status), folder, !(flags & AT_SYMLINK_NOFOLLOW))
READS(int, access, (const char *path, int mode), (path, mode), AT_FDCWD, 1)
READS(int, euidaccess, (const char *path, int mode), (path, mode), AT_FDCWD, 1)
READS(int, eaccess, (const char *path, int mode), (path, mode), AT_FDCWD, 1)
READS(int, faccessat, (int folder, const char *path, int mode, int flags),
      (folder, path, mode, flags), folder, !(flags & AT_SYMLINK_NOFOLLOW))
READS(int, chdir, (const char *path), (path), AT_FDCWD, 1)
READS(ssize_t, readlink, (const char *restrict path, char *restrict target, size_t room),
      (path, target, room), AT_FDCWD, 0)
READS(ssize_t, readlinkat,
      (int folder, const char *restrict path, char *restrict target, size_t room),
      (folder, path, target, room), folder, 0)

/* The read before this one. Many small reads of one file, one behind the other, cost a few
 * comparisons each; but who has met the end of it waits for more. */
static __thread struct {
    int fd, first;
    uint32_t interval, unsettled;
    uint64_t calls;
} last = {.fd = -1};

void ft_files_read_begins(int fd, const char *call, const void *site)
{
    const struct ft_files *files = files_shares();

    ft_outside_point(site);
    if (files == NULL ||
        (fd == last.fd && ft_self->calls == last.calls && files->interval == last.interval &&
         ft_self->recorder->unsettled == last.unsettled))
        return;
    last.unsettled = ft_self->recorder->unsettled;
    files_open_is_read(fd, call, site);
    last.fd = fd;
    last.first = 1;
    last.calls = ft_self->calls;
    last.interval = files->interval;
}

void ft_files_read_ends(ssize_t got, const char *call, const void *site)
{
    if (last.first)
        files_open_was_read(last.fd, call, site);
    last.first = 0;
    if (got <= 0)
        last.fd = -1;
}

#define READS_OPEN(name, parameters, arguments)                                                    \
    FT_EXPORT ssize_t name parameters                                                              \
    {                                                                                              \
        ssize_t got;                                                                               \
                                                                                                   \
        ft_files_read_begins(fd, #name, SITE);                                                     \
        got = NEXT(name) arguments;                                                                \
        ft_files_read_ends(got, #name, SITE);                                                      \
        return got;                                                                                \
    }

READS_OPEN(readv, (int fd, const struct iovec *part, int count), (fd, part, count))
READS_OPEN(pread, (int fd, void *bytes, size_t length, off_t at), (fd, bytes, length, at))
READS_OPEN(pread64, (int fd, void *bytes, size_t length, off64_t at), (fd, bytes, length, at))
READS_OPEN(preadv, (int fd, const struct iovec *part, int count, off_t at), (fd, part, count, at))
READS_OPEN(preadv64, (int fd, const struct iovec *part, int count, off64_t at),
           (fd, part, count, at))
READS_OPEN(preadv2, (int fd, const struct iovec *part, int count, off_t at, int flags),
           (fd, part, count, at, flags))
READS_OPEN(preadv64v2, (int fd, const struct iovec *part, int count, off64_t at, int flags),
           (fd, part, count, at, flags))

/* Who waits for a size looks again and again: no such look is left out. */
#define READS_STATUS(name, type)                                                                   \
    FT_EXPORT int name(int fd, struct type *status)                                                \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        ft_outside_point(SITE);                                                                    \
        files_open_is_read(fd, #name, SITE);                                                       \
        code = NEXT(name)(fd, status);                                                             \
        files_open_was_read(fd, #name, SITE);                                                      \
        return code;                                                                               \
    }

READS_STATUS(fstat, stat)
READS_STATUS(fstat64, stat64)

/* Waiting is a safe point, behind which nothing is on record: so it is waited for both first. */
static void names_begin(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_shares();

    ft_outside_point(site);
    if (files == NULL || files_is_null(path) || path[0] == 0)
        return;
    files_settle(ft_self, folder, path, FILES_FOLDER, call, site);
    files_settle_names(ft_self, folder, path, call, site);
    files_require(files_note_names(files, folder, path), call, site);
    files_require(files_note(files, folder, path, FILES_READ, 1), call, site);
}

static void names_end(int folder, const char *path, int found, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    int error = errno;

    files_path_was_read(folder, path, 1, found, call, site);
    if (files != NULL && !files_is_null(path) && path[0] != 0)
        files_require(files_note_names_end(files, folder, path), call, site);
    errno = error;
}

#define LISTS_FOLDER(type, name, failed, parameters, arguments, folder, path)                      \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        names_begin(folder, path, #name, SITE);                                                    \
        result = NEXT(name) arguments;                                                             \
        names_end(folder, path, result != (failed), #name, SITE);                                  \
        return result;                                                                             \
    }

/* The folder where a pattern begins to have several meanings. */
static void pattern_begins(const char *pattern, const char *call, const void *site)
{
    size_t length = pattern == NULL ? 0 : strcspn(pattern, "*?[{~\\");
    char folder[FT_UNDO_PATH] = ".";

    while (length > 0 && pattern[length - 1] != '/')
        length--;
    if (length > 0 && length < sizeof folder) {
        memcpy(folder, pattern, length);
        folder[length] = 0;
    }
    files_path_begins(AT_FDCWD, pattern, FILES_ANYTHING, call, site);
    if (pattern != NULL && pattern[0] != '~')
        names_begin(AT_FDCWD, folder, call, site);
}

static void tree_begins(const char *path, const char *call, const void *site)
{
    files_path_begins(AT_FDCWD, path, FILES_ANYTHING, call, site);
    names_begin(AT_FDCWD, path, call, site);
}

FT_EXPORT DIR *opendir(const char *path)
{
    DIR *opened;

    files_path_is_read(AT_FDCWD, path, 1, "opendir", SITE);
    opened = NEXT(opendir)(path);
    files_path_was_read(AT_FDCWD, path, 1, opened != NULL, "opendir", SITE);
    if (opened != NULL)
        files_claim(files_asks(), dirfd(opened));
    return opened;
}

/* The names are read where the first one is asked for, behind opendir and behind each rewinddir. */
static int entries_begin(DIR *stream, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    int error = errno, folder;

    if (files == NULL || telldir(stream) != 0)
        return 0;
    folder = dirfd(stream);
    ft_outside_point(site);
    files_settle(ft_self, folder, ".", FILES_FOLDER, call, site);
    files_settle_names(ft_self, folder, ".", call, site);
    files_require(files_note_names(files, folder, "."), call, site);
    errno = error;
    return 1;
}

static void entries_end(DIR *stream, const char *call, const void *site)
{
    int error = errno;

    files_require(files_note_names_end(files_shares(), dirfd(stream), "."), call, site);
    errno = error;
}

#define READS_ENTRY(type, name, parameters, arguments)                                             \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        int first = entries_begin(stream, #name, SITE);                                            \
        type entry = NEXT(name) arguments;                                                         \
                                                                                                   \
        if (first)                                                                                 \
            entries_end(stream, #name, SITE);                                                      \
        return entry;                                                                              \
    }

READS_ENTRY(struct dirent *, readdir, (DIR * stream), (stream))
READS_ENTRY(struct dirent64 *, readdir64, (DIR * stream), (stream))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* programs call them all the same */
READS_ENTRY(int, readdir_r,
            (DIR *restrict stream, struct dirent *restrict room, struct dirent **restrict found),
            (stream, room, found))
READS_ENTRY(int, readdir64_r,
            (DIR *restrict stream, struct dirent64 *restrict room,
             struct dirent64 **restrict found),
            (stream, room, found))
#pragma GCC diagnostic pop

#define LISTS(name, begins, parameters, arguments, path)                                           \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        begins(path, #name, SITE);                                                                 \
        return NEXT(name) arguments;                                                               \
    }

typedef int files_select(const struct dirent *);
typedef int files_select64(const struct dirent64 *);
typedef int files_order(const struct dirent **, const struct dirent **);
typedef int files_order64(const struct dirent64 **, const struct dirent64 **);
typedef int files_error(const char *, int);

LISTS_FOLDER(int, scandir, -1,
             (const char *restrict path, struct dirent ***restrict list, files_select *select,
              files_order *order),
             (path, list, select, order), AT_FDCWD, path)
LISTS_FOLDER(int, scandir64, -1,
             (const char *restrict path, struct dirent64 ***restrict list, files_select64 *select,
              files_order64 *order),
             (path, list, select, order), AT_FDCWD, path)
LISTS_FOLDER(int, scandirat, -1,
             (int folder, const char *restrict path, struct dirent ***restrict list,
              files_select *select, files_order *order),
             (folder, path, list, select, order), folder, path)
LISTS_FOLDER(int, scandirat64, -1,
             (int folder, const char *restrict path, struct dirent64 ***restrict list,
              files_select64 *select, files_order64 *order),
             (folder, path, list, select, order), folder, path)
LISTS(glob, pattern_begins,
      (const char *restrict pattern, int flags, files_error *error, glob_t *restrict found),
      (pattern, flags, error, found), pattern)
LISTS(glob64, pattern_begins,
      (const char *restrict pattern, int flags, files_error *error, glob64_t *restrict found),
      (pattern, flags, error, found), pattern)
LISTS(ftw, tree_begins, (const char *path, __ftw_func_t each, int descriptors),
      (path, each, descriptors), path)
LISTS(ftw64, tree_begins, (const char *path, __ftw64_func_t each, int descriptors),
      (path, each, descriptors), path)
LISTS(nftw, tree_begins, (const char *path, __nftw_func_t each, int descriptors, int flags),
      (path, each, descriptors, flags), path)
LISTS(nftw64, tree_begins, (const char *path, __nftw64_func_t each, int descriptors, int flags),
      (path, each, descriptors, flags), path)
