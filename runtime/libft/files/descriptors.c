/* Open descriptors, found in /proc/self/fd.
 *
 * The standard streams of a life's start are the launcher's and are replaced by those of the
 * next life; all others are opened again by its path (reopen.c). Descriptors that share one open
 * file description share it again. The content of a file that has no name any more is carried in
 * the image. In /dev/shm, /proc and /sys only what the program has opened itself is its own
 * (claim.h). A number belongs to the program in the new life when it did in the old one: the MPI
 * library opens its own later, and what libraries open while they are loaded has the same
 * numbers in every life. */
#include "files/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/claim.h"
#include "files/descriptor.h"
#include "files/nameless.h"
#include "files/own.h"
#include "heap/heap.h"

#define NAMELESS_MAX (64 << 20) /* bytes of a deleted file that the image carries */

extern FILE *_IO_list_all; /* exported by glibc, declared nowhere */

#define NO_WRITES 8 /* _IO_NO_WRITES of libio.h */

static int is_carried_device(const char *path)
{
    static const char *const device[] = {"/dev/null",    "/dev/zero",   "/dev/full",
                                         "/dev/tty",     "/dev/pts/",   "/dev/random",
                                         "/dev/urandom", "/dev/console"};

    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (strncmp(path, device[i], strlen(device[i])) == 0)
            return 1;
    return 0;
}

static int is_library_path(const char *path)
{
    return path[0] != '/' || strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/SYSV", 5) == 0 ||
           strncmp(path, "/dev/zero (deleted)", 19) == 0;
}

static enum descriptor_kind kind_of(const struct ft_files *files, const struct stat *status,
                                    const char *path)
{
    if (is_library_path(path) && strcmp(path, FT_NAMELESS_MEMORY FT_NAMELESS_SUFFIX) != 0)
        return FOREIGN;
    if (files_is_shared_place(path) && !files_is_claimed(files, status))
        return FOREIGN;
    if (files_is_kernels(path))
        return KERNELS;
    if (S_ISREG(status->st_mode))
        return status->st_nlink == 0 ? NAMELESS : NAMED;
    if (S_ISDIR(status->st_mode))
        return NAMED;
    if (S_ISCHR(status->st_mode))
        return is_carried_device(path) ? NAMED : FOREIGN;
    return FOREIGN;
}

/* Calls the folder `name` that the path is, or lies in, `own`. 1: it does. */
static int folder_rename(char *path, const char *name, const char *own)
{
    size_t length = strlen(name);
    char rest[FT_UNDO_PATH];

    if (strncmp(path, name, length) != 0 || (path[length] != 0 && path[length] != '/'))
        return 0;
    strcpy(rest, path + length);
    snprintf(path, FT_UNDO_PATH, "%s%s", own, rest);
    return 1;
}

/* A path in /proc that has the number of this process or of its first thread gets the name that
 * they have in every life. */
static void path_make_own(char *path)
{
    char number[16], process[32], thread[64];
    ssize_t length = readlink("/proc/self", number, sizeof number - 1);

    if (length < 0)
        return;
    number[length] = 0;
    snprintf(process, sizeof process, "/proc/%s", number);
    snprintf(thread, sizeof thread, "%s/task/%s", process, number);
    if (!folder_rename(path, thread, "/proc/thread-self"))
        folder_rename(path, process, "/proc/self");
}

/* Does the path belong to another process, or to another thread of this one? */
static int is_of_others(const char *path)
{
    const char *number = strncmp(path, "/proc/self/task/", 16) == 0 ? path + 16
                         : strncmp(path, "/proc/", 6) == 0          ? path + 6
                                                                    : "";

    return *number >= '0' && *number <= '9';
}

/* Looks at one descriptor. path: FT_UNDO_PATH bytes. */
static struct files_descriptor describe(const struct ft_files *files, int fd, char *path)
{
    struct files_descriptor item = {.fd = fd, .kind = FOREIGN, .shares = -1};
    char link[32];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, FT_UNDO_PATH - 1);
    if (length < 0 || files_is_own(fd) || fstat(fd, &item.status) != 0)
        return item;
    path[length] = 0;
    item.flags = fcntl(fd, F_GETFL);
    item.close_on_exec = fcntl(fd, F_GETFD);
    item.standard = files_standard_of(fd, &item.status);
    item.kind = item.standard >= 0 ? STANDARD : kind_of(files, &item.status, path);
    item.offset = lseek(fd, 0, SEEK_CUR);
    if (item.kind == KERNELS)
        path_make_own(path);
    return item;
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int *files_numbers_list(int *count)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int *number = NULL, room = 0;

    *count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        int fd = atoi(entry->d_name);

        if (entry->d_name[0] == '.' || fd == dirfd(folder))
            continue;
        if (*count == room) {
            int *more = realloc(number, 2 * (size_t)(room + 32) * sizeof *number);

            if (more == NULL) {
                free(number);
                number = NULL;
                *count = 0;
                break;
            }
            room = 2 * (room + 32);
            number = more;
        }
        number[(*count)++] = fd;
    }
    if (folder != NULL)
        closedir(folder);
    if (number != NULL)
        qsort(number, (size_t)*count, sizeof *number, compare_numbers);
    return number;
}

static void list_clear(struct ft_files *files)
{
    for (int i = 0; i < files->descriptors; i++) {
        ft_image_free(files->descriptor[i].path);
        ft_image_free(files->descriptor[i].content);
    }
    ft_image_free(files->descriptor);
    files->descriptor = NULL;
    files->descriptors = 0;
}

static int content_load(struct files_descriptor *item)
{
    size_t size = (size_t)item->status.st_size, done = 0;
    char link[32];
    ssize_t part;
    int fd;

    snprintf(link, sizeof link, "/proc/self/fd/%d", item->fd);
    fd = open(link, O_RDONLY | O_CLOEXEC); /* the descriptor itself may be for writing only */
    if (fd < 0)
        return -errno;
    item->content = ft_image_alloc(size + 1);
    while (done < size && (part = pread(fd, item->content + done, size - done, (off_t)done)) > 0)
        done += (size_t)part;
    close(fd);
    return done == size ? 0 : -EIO;
}

static int find_shared(const struct ft_files *files, const struct files_descriptor *item)
{
    for (int i = 0; i < files->descriptors; i++) {
        const struct files_descriptor *other = &files->descriptor[i];

        if (other->kind == item->kind && other->shares < 0 &&
            other->status.st_ino == item->status.st_ino &&
            other->status.st_dev == item->status.st_dev && other->flags == item->flags &&
            files_is_shared(other->fd, item->fd))
            return i;
    }
    return -1;
}

static int list_add(struct ft_files *files, struct files_descriptor item, const char *path)
{
    int code = 0;

    if (item.kind != STANDARD)
        item.shares = find_shared(files, &item);
    item.path = strcpy(ft_image_alloc(strlen(path) + 1), path);
    if (item.kind == NAMELESS && item.shares < 0)
        code = content_load(&item);
    files->descriptor[files->descriptors++] = item;
    return code;
}

static int is_writable_file(const struct files_descriptor *item)
{
    return item->kind == NAMED && S_ISREG(item->status.st_mode) &&
           (item->flags & O_ACCMODE) != O_RDONLY && !(item->flags & O_PATH);
}

/* Marks the descriptors of streams that are not at their file's end, or hold bytes read ahead. */
static void streams_mark(struct ft_files *files)
{
    for (FILE *stream = _IO_list_all; stream != NULL; stream = stream->_chain)
        for (int i = 0; i < files->descriptors; i++) {
            struct files_descriptor *item = &files->descriptor[i];

            if (item->fd == stream->_fileno && ft_heap_holds(stream) && is_writable_file(item) &&
                !(stream->_flags & NO_WRITES) && !(item->flags & O_APPEND))
                item->overwrites = item->offset < item->status.st_size ||
                                   stream->_IO_read_ptr < stream->_IO_read_end;
        }
}

int files_descriptors_list(struct ft_files *files)
{
    char path[FT_UNDO_PATH];
    int count, code = 0, *number;

    number = files_numbers_list(&count);
    if (number == NULL)
        return -EIO;
    list_clear(files);
    files->descriptor = ft_image_alloc((size_t)count * sizeof *files->descriptor);
    for (int i = 0; i < count && code == 0; i++) {
        struct files_descriptor item = describe(files, number[i], path);

        if (item.kind != FOREIGN)
            code = list_add(files, item, path);
    }
    free(number);
    memcpy(files->standard, files_standard_copies(), sizeof files->standard);
    streams_mark(files);
    return code;
}

const char *files_descriptors_obstacle(const struct ft_rank *self)
{
    static char reason[FT_UNDO_PATH + 128];
    char path[FT_UNDO_PATH];
    int count, *number = files_numbers_list(&count);

    reason[0] = 0;
    for (int i = 0; i < count && reason[0] == 0; i++) {
        struct files_descriptor item = describe(self->files, number[i], path);
        size_t length = strlen(path), suffix = strlen(FT_NAMELESS_SUFFIX);

        if (item.kind == NAMELESS && item.status.st_size > NAMELESS_MAX)
            snprintf(reason, sizeof reason, "descriptor %d is a deleted file of more than %d MB",
                     item.fd, NAMELESS_MAX >> 20);
        else if (item.kind == NAMED && S_ISREG(item.status.st_mode) && length > suffix &&
                 strcmp(path + length - suffix, FT_NAMELESS_SUFFIX) == 0 && access(path, F_OK) != 0)
            snprintf(reason, sizeof reason,
                     "descriptor %d is a file whose name was removed but which has another: %s",
                     item.fd, path);
        else if (item.kind == KERNELS && is_of_others(path))
            snprintf(reason, sizeof reason,
                     "descriptor %d is of another process or thread: %s: close it before the next "
                     "checkpoint",
                     item.fd, path);
        else if (item.kind == FOREIGN && S_ISFIFO(item.status.st_mode) && path[0] == '/')
            snprintf(reason, sizeof reason, "the FIFO %s is open (descriptor %d)", path, item.fd);
    }
    free(number);
    return reason[0] ? reason : NULL;
}

int files_descriptors_record(struct ft_files *files)
{
    struct files_size *size = calloc((size_t)files->descriptors + 1, sizeof *size);
    int count = 0, code;

    if (size == NULL)
        return -ENOMEM;
    for (int i = 0; i < files->descriptors; i++)
        if (is_writable_file(&files->descriptor[i]))
            size[count++] =
                (struct files_size){files->descriptor[i].path, files->descriptor[i].status};
    code = files_record_sizes(files, size, count);
    free(size);
    for (int i = 0; code == 0 && i < files->descriptors; i++)
        if (files->descriptor[i].overwrites)
            code = files_note_open(files, files->descriptor[i].fd, FILES_OVERWRITE);
        else if (files_is_read(&files->descriptor[i]))
            code = files_note_open(files, files->descriptor[i].fd, FILES_READ);
    return code;
}
