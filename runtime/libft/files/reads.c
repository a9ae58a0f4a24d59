/* The calls that tell what the file system holds, in front of libc's. With clusters each puts
 * the path on record, because ranks that share what one of them writes roll back together
 * (undo_share.c). Each is a safe point: a rank that waits for a file comes to no other one. open
 * is in changes.c, fopen in streams.c, read and fread in chance/entropy.c. */
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
        files_path_begins(folder, path, FILES_READ, follow, #name, SITE);                          \
        return NEXT(name) arguments;                                                               \
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

/* Open files are on record since they were opened, or since the last checkpoint (descriptors.c). */
#define READS_OPEN(type, name, parameters, arguments)                                              \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        ft_outside_point(SITE);                                                                    \
        return NEXT(name) arguments;                                                               \
    }

READS_OPEN(ssize_t, readv, (int fd, const struct iovec *part, int count), (fd, part, count))
READS_OPEN(ssize_t, pread, (int fd, void *bytes, size_t length, off_t at), (fd, bytes, length, at))
READS_OPEN(ssize_t, pread64, (int fd, void *bytes, size_t length, off64_t at),
           (fd, bytes, length, at))
READS_OPEN(ssize_t, preadv, (int fd, const struct iovec *part, int count, off_t at),
           (fd, part, count, at))
READS_OPEN(ssize_t, preadv64, (int fd, const struct iovec *part, int count, off64_t at),
           (fd, part, count, at))
READS_OPEN(ssize_t, preadv2, (int fd, const struct iovec *part, int count, off_t at, int flags),
           (fd, part, count, at, flags))
READS_OPEN(ssize_t, preadv64v2,
           (int fd, const struct iovec *part, int count, off64_t at, int flags),
           (fd, part, count, at, flags))
READS_OPEN(int, fstat, (int fd, struct stat *status), (fd, status))
READS_OPEN(int, fstat64, (int fd, struct stat64 *status), (fd, status))

void files_opened(int folder, const char *path, int fd, uint64_t time, const char *call,
                  const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;
    int error = errno;

    if (files == NULL || files_is_null(path))
        return;
    if (fd < 0) {
        files_require(files_note(files, folder, path, FILES_READ, 1), call, site);
    } else if (NEXT(fstat)(fd, &status) == 0) {
        files_claim(files, fd, &status);
        files_require(files_note_opened(files, folder, path, &status, time), call, site);
    }
    errno = error;
}

/* Before the names in a folder are read. */
static void names_begin(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    files_point(call, site);
    if (files == NULL || files_is_null(path) || path[0] == 0)
        return;
    files_require(files_note_names(files, folder, path), call, site);
    files_require(files_note(files, folder, path, FILES_READ, 1), call, site);
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
    if (pattern != NULL && pattern[0] != '~')
        names_begin(AT_FDCWD, folder, call, site);
}

static void tree_begins(const char *path, const char *call, const void *site)
{
    names_begin(AT_FDCWD, path, call, site);
}

FT_EXPORT DIR *opendir(const char *path)
{
    DIR *opened;

    names_begin(AT_FDCWD, path, "opendir", SITE);
    opened = NEXT(opendir)(path);
    if (opened != NULL)
        files_claim(files_asks(), dirfd(opened), NULL);
    return opened;
}

FT_EXPORT DIR *fdopendir(int fd)
{
    names_begin(fd, ".", "fdopendir", SITE);
    return NEXT(fdopendir)(fd);
}

FT_EXPORT void rewinddir(DIR *stream)
{
    int error = errno;

    names_begin(dirfd(stream), ".", "rewinddir", SITE);
    errno = error;
    NEXT(rewinddir)(stream);
}

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

#define SCANS(name, parameters, arguments, folder)                                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        names_begin(folder, path, #name, SITE);                                                    \
        return NEXT(name) arguments;                                                               \
    }

SCANS(scandir,
      (const char *restrict path, struct dirent ***restrict list, files_select *select,
       files_order *order),
      (path, list, select, order), AT_FDCWD)
SCANS(scandir64,
      (const char *restrict path, struct dirent64 ***restrict list, files_select64 *select,
       files_order64 *order),
      (path, list, select, order), AT_FDCWD)
SCANS(scandirat,
      (int folder, const char *restrict path, struct dirent ***restrict list, files_select *select,
       files_order *order),
      (folder, path, list, select, order), folder)
SCANS(scandirat64,
      (int folder, const char *restrict path, struct dirent64 ***restrict list,
       files_select64 *select, files_order64 *order),
      (folder, path, list, select, order), folder)
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
