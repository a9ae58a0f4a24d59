/* calls: what the wrappers of libc's file calls share (changes.c and its kin, reads.c). */
#ifndef FT_FILES_CALLS_H
#define FT_FILES_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "files/once.h"
#include "files/record.h"
#include "files/settle.h"
#include "os/os.h"

#define SITE __builtin_return_address(0)

/* libc's own definition of a function that the including file exports, too. */
#define NEXT(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&name) next_;                                                            \
        if (ft_unlikely(next_ == NULL))                                                            \
            next_ = (__typeof__(&name))ft_os_next_symbol(#name);                                   \
        next_;                                                                                     \
    })

/* The files of the rank when the program itself asks, else NULL. */
static inline struct ft_files *files_asks(void)
{
    return ft_self != NULL && ft_depth == 0 ? ft_self->files : NULL;
}

/* libc's headers say that no path is NULL, so that compilers leave the question out; libc answers
 * EFAULT. */
static inline int files_is_null(const char *path)
{
    __asm__("" : "+r"(path));
    return path == NULL;
}

/* Ends the program if there is no record: then there must be no change, and no read, either. */
static inline void files_require(int code, const char *call, const void *site)
{
    static char reason[160];

    if (code == 0)
        return;
    if (code == -EUSERS)
        ft_refuse(call, site,
                  "a rank with two copies (--replicas) may not change, make or remove files before "
                  "MPI_Init: do it behind MPI_Init, or leave --replicas out for this program");
    if (code == -EREMOTE)
        ft_refuse(call, site,
                  "the file lies on a node's own disk: with --hosts a rank may change files where "
                  "all nodes see "
                  "them, on the file system of the store or another that is shared");
    snprintf(reason, sizeof reason, "no undo record of the file can be written (%s)",
             strerror(-code));
    ft_refuse(call, site, reason);
}

/* Before something is done with a path: a safe point, where the rank may have to wait. */
static inline void files_point(const char *call, const void *site)
{
    ft_outside_point(site);
    if (files_asks() != NULL && ft_unlikely(ft_self->recorder->unsettled))
        files_settle(ft_self, call, site);
}

/* Before something is done with a path: a safe point, and behind it the record. */
static inline void files_path_begins(int folder, const char *path, enum files_change change,
                                     int follow, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    files_point(call, site);
    if (files != NULL && !files_is_null(path) && path[0] != 0)
        files_require(files_note(files, folder, path, change, follow), call, site);
}

/* Before `path` is made by a call that fails where something is there. */
static inline void files_path_is_made(int folder, const char *path, enum files_change change,
                                      const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    files_point(call, site);
    if (files != NULL && !files_is_null(path))
        files_require(files_note_make(files, folder, path, change), call, site);
}

/* Behind a call that was to make or remove a folder; errno stays as it is. */
static inline void files_folder_was(int done, int folder, const char *path, const char *call,
                                    const void *site)
{
    struct ft_files *files = files_asks();
    int error = errno;

    if (!done && files != NULL && !files_is_null(path))
        files_require(files_note_failed(files, folder, path), call, site);
    errno = error;
}

/* Behind an open for reading: what fd is belongs to the program and is on record; or, where nothing
 * was opened (-1), that the path was looked for. time: of before the open. errno stays as it is. */
void files_opened(int folder, const char *path, int fd, uint64_t time, const char *call,
                  const void *site);
/* Before `offset` (-1: the descriptor's own) of fd is written. changes.c. */
void files_write_begins(int fd, off_t offset, const char *call, const void *site);

/* Reads of a random device are recorded (chance/entropy.c). */
static inline void files_device_note(const char *path)
{
    if (files_asks() != NULL && ft_self->spbc != NULL && !files_is_null(path) &&
        strncmp(path, "/dev/", 5) == 0 && strstr(path, "random") != NULL)
        ft_self->spbc->devices = 1;
}

#endif
