/* descriptor: one open descriptor of the program as the image lists it; what finds them
 * (descriptors.c) and what opens them again (reopen.c) share it. Thread rule: main thread. */
#ifndef FT_FILES_DESCRIPTOR_H
#define FT_FILES_DESCRIPTOR_H

#include <fcntl.h>
#include <sys/stat.h>

enum descriptor_kind {
    STANDARD, /* of the launcher's: `standard` tells which */
    NAMED,    /* opened by path */
    KERNELS,  /* likewise, in /proc or /sys */
    NAMELESS, /* deleted: opened as a new file with `content` */
    FOREIGN   /* not the program's, or not to be carried */
};

struct files_descriptor {
    int fd;
    int kind;     /* enum descriptor_kind */
    int standard; /* 0, 1, 2 */
    int shares;   /* index of an earlier descriptor with the same open file description, or -1 */
    int flags, close_on_exec;
    int overwrites; /* a stream over it may write below the size without a call that is seen */
    off_t offset;
    struct stat status;
    char *path;    /* owned */
    char *content; /* NAMELESS: status.st_size bytes; owned */
};

/* A regular file that is open for reading alone. */
static inline int files_is_read(const struct files_descriptor *item)
{
    return item->kind == NAMED && S_ISREG(item->status.st_mode) &&
           (item->flags & O_ACCMODE) == O_RDONLY && !(item->flags & O_PATH);
}

/* Do two descriptors share one offset? */
int files_is_shared(int a, int b);
/* Which standard stream of this life fd is, or -1. */
int files_standard_of(int fd, const struct stat *status);
/* This life's copies of 0, 1 and 2, which are the runtime's; -1: there was none. */
const int *files_standard_copies(void);
/* After an exec: the copies are those that the image names. 0 or -errno. */
int files_standard_adopt(const int copy[3]);

#endif
