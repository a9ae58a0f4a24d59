/* once: changes of files by a rank with two copies (ftrun --replicas) take effect once.
 *
 * The copies meet at each call that changes, makes or removes a file; the one that leads makes the
 * call, the other one takes its result, errno and the descriptor's offset (request/act.c). Reads
 * are each copy's own. Nothing is put on record and nothing is put back: a copy that dies has a
 * successor that begins where the living copy is.
 *
 * If the leader dies in the call, the next leader looks whether the change was made: `pair` says
 * how the file was before.
 *
 * Thread rule: the thread that calls MPI; other threads are refused. */
#ifndef FT_FILES_ONCE_H
#define FT_FILES_ONCE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>

#include "process.h"

enum files_once_kind {
    FILES_ONCE_WRITE,  /* by a descriptor; a call that is made twice is as good as made once */
    FILES_ONCE_MAKE,   /* of a path that is not there */
    FILES_ONCE_REMOVE, /* the path is there before, and not behind it */
    FILES_ONCE_TAKE,   /* by a descriptor, and never made twice */
    FILES_ONCE_AGAIN   /* of a path; may be made twice */
};

struct files_once {
    enum files_once_kind kind;
    int at;           /* descriptor of the file, or of the folder that `path` is relative to */
    const char *path; /* NULL: by a descriptor */
    const char *call;
    const void *site;
    const void *bytes; /* that an append writes; NULL: not known */
    size_t length;
    struct ft_act act;
};

enum files_once_part {
    FILES_ONCE_PLAIN, /* there is one copy, or the change is seen by no other process */
    FILES_ONCE_MINE,  /* the caller makes the change, and then calls files_once_made */
    FILES_ONCE_TAKEN  /* it is made; once->act.result is the result, and errno is set */
};

enum files_once_part files_once_begin(struct files_once *once);
void files_once_made(struct files_once *once, int64_t result);

/* Has the program two copies now? */
static inline int files_is_paired(void)
{
    return ft_unlikely(ft_life.pair != NULL) && ft_self != NULL && ft_depth == 0 &&
           ft_self->mpi_state != 0;
}

/* The value of `call`, an expression that changes a file. at, path: see struct files_once. */
#define FILES_ONCE(kind, at, path, name, site, bytes, length, expression)                          \
    ({                                                                                             \
        struct files_once once_ = {kind, at, path, name, site, bytes, length, {0}};                \
        enum files_once_part part_ =                                                               \
            files_is_paired() ? files_once_begin(&once_) : FILES_ONCE_PLAIN;                       \
        __typeof__(expression) result_ =                                                           \
            part_ == FILES_ONCE_TAKEN ? (__typeof__(expression))once_.act.result : (expression);   \
                                                                                                   \
        if (part_ == FILES_ONCE_MINE)                                                              \
            files_once_made(&once_, result_);                                                      \
        result_;                                                                                   \
    })

/* An open that makes or cuts a file: each copy has a descriptor of its own. again: the open without
 * that. */
#define FILES_ONCE_OPEN(folder, path, flags, site, expression, again)                              \
    ({                                                                                             \
        struct files_once once_ = {(flags)&O_EXCL ? FILES_ONCE_MAKE : FILES_ONCE_AGAIN,            \
                                   folder,                                                         \
                                   path,                                                           \
                                   "open",                                                         \
                                   site,                                                           \
                                   NULL,                                                           \
                                   0,                                                              \
                                   {0}};                                                           \
        enum files_once_part part_ = files_is_paired() && ((flags) & (O_CREAT | O_TRUNC)) &&       \
                                             ((flags)&O_TMPFILE) != O_TMPFILE                      \
                                         ? files_once_begin(&once_)                                \
                                         : FILES_ONCE_PLAIN;                                       \
        int fd_ = part_ != FILES_ONCE_TAKEN ? (expression) : once_.act.result < 0 ? -1 : (again);  \
                                                                                                   \
        if (part_ == FILES_ONCE_MINE)                                                              \
            files_once_made(&once_, fd_);                                                          \
        if (part_ == FILES_ONCE_TAKEN && fd_ < 0 && once_.act.result >= 0)                         \
            files_once_lost(&once_);                                                               \
        fd_;                                                                                       \
    })
/* The leader has opened the file, and this copy cannot. Ends the run. */
_Noreturn void files_once_lost(const struct files_once *once);

/* A stream of the program that writes into the open file fd by calls that are seen: libc's own
 * writes would pass by. NULL with errno. mode: of fopen. cookie.c. */
FILE *files_cookie_open(int fd, const char *mode);
/* flags: of open, for this mode of fopen; -1: EINVAL. */
int files_cookie_flags(const char *mode);

#endif
