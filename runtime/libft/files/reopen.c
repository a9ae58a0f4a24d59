/* The listed descriptors in a new life, or after an exec: opened again by their paths, with
 * their flags and offsets, or taken over. */
#include "files/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/claim.h"
#include "files/descriptor.h"
#include "files/nameless.h"
#include "files/own.h"

#define KEPT_FLAGS                                                                                 \
    (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECT | O_DSYNC | O_SYNC | O_NOATIME | O_DIRECTORY |   \
     O_PATH)

static int content_write(int fd, const struct files_descriptor *item)
{
    size_t size = (size_t)item->status.st_size, done = 0;

    while (done < size) {
        ssize_t part = write(fd, item->content + done, size - done);

        if (part == 0 || (part < 0 && errno != EINTR))
            return part < 0 ? -errno : -ENOSPC;
        done += part > 0 ? (size_t)part : 0;
    }
    return 0;
}

/* Puts the content into the new file fd, which it closes, or which is -1 with errno. The file
 * opened as the old one was, or -errno. */
static int nameless_fill(int fd, const struct files_descriptor *item)
{
    char link[32];
    int code = fd < 0 ? -errno : content_write(fd, item);

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (code == 0 && (code = open(link, (item->flags & KEPT_FLAGS & ~O_DIRECTORY) | O_CLOEXEC)) < 0)
        code = -errno;
    if (fd >= 0)
        close(fd);
    return code;
}

/* A new file without a name that holds the content; in memory where no folder has room for it. */
static int nameless_open(const struct files_descriptor *item)
{
    const char *folder = getenv("TMPDIR");
    int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    fd = nameless_fill(fd, item);
    if (fd >= 0)
        return fd;
    fd = (int)syscall(SYS_memfd_create, strchr(FT_NAMELESS_MEMORY, ':') + 1, 1U);
    return nameless_fill(fd, item);
}

static int is_as_it_was(const struct files_descriptor *item, const struct stat *status)
{
    return (status->st_mode & S_IFMT) == (item->status.st_mode & S_IFMT) &&
           (!S_ISREG(status->st_mode) || status->st_size >= item->status.st_size);
}

/* *why: what errno does not tell. */
static int named_open(const struct files_descriptor *item, const char **why)
{
    struct stat status;
    int fd = open(item->path, (item->flags & KEPT_FLAGS) | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && is_as_it_was(item, &status))
        return fd;
    close(fd);
    *why = "the file is shorter than it was, or of another kind";
    return -ESTALE;
}

/* An open descriptor, at any number, for what the item was; or -errno. */
static int item_open(const struct ft_files *files, const struct files_descriptor *item,
                     const char **why)
{
    int fd;

    if (item->kind == STANDARD)
        fd = fcntl(files_standard_copies()[item->standard], F_DUPFD_CLOEXEC, 0);
    else if (item->shares >= 0)
        fd = fcntl(files->descriptor[item->shares].fd, F_DUPFD_CLOEXEC, 0);
    else if (item->kind == NAMELESS)
        return nameless_open(item);
    else
        return named_open(item, why);
    return fd < 0 ? -errno : fd;
}

/* Opens the path anew, and puts the result at the descriptor's number. */
static void open_in_place(const struct ft_files *files, const struct files_descriptor *item)
{
    int fd = item->shares >= 0 ? fcntl(files->descriptor[item->shares].fd, F_DUPFD_CLOEXEC, 0)
                               : open(item->path, (item->flags & KEPT_FLAGS) | O_CLOEXEC);
    if (fd < 0)
        return;
    if (item->shares < 0)
        lseek(fd, lseek(item->fd, 0, SEEK_CUR), SEEK_SET);
    dup3(fd, item->fd, item->close_on_exec ? O_CLOEXEC : 0);
    close(fd);
}

/* Does a library hold the number? If this process has inherited the same file there, it may be
 * replaced; 0, 1 and 2 are always the program's. */
static int is_taken(const struct files_descriptor *item)
{
    struct stat now;

    return item->fd > 2 && fstat(item->fd, &now) == 0 &&
           (files_is_own(item->fd) || now.st_dev != item->status.st_dev ||
            now.st_ino != item->status.st_ino);
}

/* A file without a name that several descriptors of this rank have, or other ranks, is open once
 * more for each: here the descriptor becomes a duplicate of one that was restored. Its flags stay.
 */
static int nameless_meet(const struct ft_files *files, const struct files_descriptor *item)
{
    int code = 0;

    if (item->kind != NAMELESS)
        return 0;
    if (item->shares < 0)
        code =
            files_nameless_meet(item->fd, item->flags & KEPT_FLAGS & ~O_DIRECTORY, &item->status);
    else if (dup2(files->descriptor[item->shares].fd, item->fd) < 0)
        code = -errno;
    fcntl(item->fd, F_SETFD, item->close_on_exec);
    return code;
}

void files_descriptors_met(const struct ft_files *files)
{
    for (int i = 0; i < files->descriptors; i++)
        if (files->descriptor[i].kind == NAMELESS)
            files_nameless_met(&files->descriptor[i].status);
}

/* A folder is read once first: ext4 answers nothing after a seek to the end, a read and a rewind
 * when the description has never been read (last_pos of ext4_dx_readdir is still 0 then). */
static void offset_restore(const struct files_descriptor *item)
{
    char entries[4096];

    if (S_ISDIR(item->status.st_mode))
        syscall(SYS_getdents64, item->fd, entries, sizeof entries);
    lseek(item->fd, item->offset, SEEK_SET);
}

static int item_restore(struct ft_files *files, const struct files_descriptor *item,
                        const char **why)
{
    int fd;

    if (is_taken(item)) {
        *why = "a library holds its number";
        return -EBUSY;
    }
    fd = item_open(files, item, why);
    if (fd < 0)
        return fd;
    if (fd != item->fd) {
        if (dup2(fd, item->fd) < 0)
            return -errno;
        close(fd);
    }
    fcntl(item->fd, F_SETFD, item->close_on_exec);
    if (item->kind != STANDARD && item->shares < 0 && item->offset > 0)
        offset_restore(item);
    files_claim(files, item->fd, NULL);
    return nameless_meet(files, item);
}

static void standard_close_missing(const struct ft_files *files)
{
    int listed[3] = {0, 0, 0};

    for (int i = 0; i < files->descriptors; i++)
        if (files->descriptor[i].fd < 3)
            listed[files->descriptor[i].fd] = 1;
    for (int fd = 0; fd < 3; fd++)
        if (!listed[fd])
            close(fd);
}

int files_descriptors_restore(struct ft_rank *self, char *reason)
{
    struct ft_files *files = self->files;

    files_claims_forget(files);
    for (int i = 0; i < files->descriptors; i++) {
        const struct files_descriptor *item = &files->descriptor[i];
        const char *why = NULL;
        int code = item_restore(files, item, &why);

        if (code != 0) {
            snprintf(reason, FT_FILES_REASON, "descriptor %d (%.4000s) cannot be opened again: %s",
                     item->fd, item->path, why ? why : strerror(-code));
            return code;
        }
    }
    standard_close_missing(files);
    return 0;
}

int files_descriptors_keep_open(struct ft_files *files, int control)
{
    const int *copy = files_standard_copies();
    int count, *number = files_numbers_list(&count);

    if (number == NULL)
        return -EIO;
    for (int i = 0; i < count; i++)
        fcntl(number[i], F_SETFD, FD_CLOEXEC);
    free(number);
    for (int i = 0; i < files->descriptors; i++)
        fcntl(files->descriptor[i].fd, F_SETFD, 0);
    for (int i = 0; i < 3; i++)
        if (copy[i] >= 0)
            fcntl(copy[i], F_SETFD, 0);
    return fcntl(control, F_SETFD, 0) == 0 ? 0 : -errno;
}

int files_descriptors_adopt(struct ft_files *files)
{
    int code = files_standard_adopt(files->standard);

    if (code != 0)
        return code;
    for (int i = 0; i < files->descriptors; i++) {
        const struct files_descriptor *item = &files->descriptor[i];

        if (item->kind == KERNELS) /* a /proc file of before the exec shows the old memory */
            open_in_place(files, item);
        if (fcntl(item->fd, F_SETFD, item->close_on_exec) != 0)
            return -errno;
        code = nameless_meet(files, item);
        if (code != 0)
            return code;
    }
    standard_close_missing(files);
    return 0;
}
