/* Open descriptors, found in /proc/self/fd.
 *
 * What the standard streams were at the start of a life is the launcher's and is replaced by what
 * the next life was given; all else is opened again by its path, with its flags and offset.
 * Descriptors that share one open file description share it again. The content of a file that has
 * no name any more is carried in the image. In /dev/shm, /proc and /sys only what the
 * program has opened itself is its own (claim.h). A number belongs to the program in the new life
 * when it did in the old one: the MPI library opens its own later, and what libraries open while
 * they are loaded has the same numbers in every life. */
#include "files/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/claim.h"
#include "files/nameless.h"
#include "files/own.h"
#include "files/settle.h"
#include "files/settle_await.h"
#include "heap/heap.h"

#define NAMELESS_MAX (64 << 20) /* bytes of a deleted file that the image carries */
#define KEPT_FLAGS                                                                                 \
    (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECT | O_DSYNC | O_SYNC | O_NOATIME | O_DIRECTORY |   \
     O_PATH)

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
    int awaited;    /* the file was put back to before it was this long: a stand-in is open */
    off_t offset;
    struct stat status;
    char *path;    /* owned */
    char *content; /* NAMELESS: status.st_size bytes; owned */
};

extern FILE *_IO_list_all; /* exported by glibc, declared nowhere */

#define NO_WRITES 8 /* _IO_NO_WRITES of libio.h */

static int standard_kept[3] = {-1, -1, -1}; /* copies of this life's 0, 1, 2 */

void files_standard_keep(void)
{
    for (int i = 0; i < 3; i++)
        standard_kept[i] = files_own_copy(i);
}

/* Do two descriptors share one offset? Asks the kernel, and where it does not tell (kcmp is
 * switched off or forbidden), moves one offset and looks at the other. */
static int is_shared(int a, int b)
{
    long answer = syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, a, b);
    off_t at, other;
    int shared;

    if (answer >= 0)
        return answer == 0;
    at = lseek(a, 0, SEEK_CUR);
    other = lseek(b, 0, SEEK_CUR);
    if (at < 0 || at != other || lseek(a, at + 1, SEEK_SET) < 0)
        return 0;
    shared = lseek(b, 0, SEEK_CUR) == at + 1;
    lseek(a, at, SEEK_SET);
    return shared;
}

/* Which standard stream of this life fd is, or -1. Pipes are recognized by their inode, too: a
 * program may have opened /dev/stdout. */
static int standard_of(int fd, const struct stat *status)
{
    struct stat kept;

    for (int i = 0; i < 3; i++)
        if (standard_kept[i] >= 0 && fstat(standard_kept[i], &kept) == 0 &&
            kept.st_dev == status->st_dev && kept.st_ino == status->st_ino &&
            (S_ISFIFO(kept.st_mode) || S_ISSOCK(kept.st_mode)
                 ? (fcntl(fd, F_GETFL) & O_ACCMODE) ==
                       (fcntl(standard_kept[i], F_GETFL) & O_ACCMODE)
                 : fd == i || (fd > 2 && S_ISREG(kept.st_mode) && is_shared(fd, standard_kept[i]))))
            return S_ISFIFO(kept.st_mode) && fd < 3 && standard_kept[fd] >= 0 &&
                           is_shared(fd, standard_kept[fd])
                       ? fd
                       : i;
    return -1;
}

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

/* Of another process, or of another thread of this one. */
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
    item.standard = standard_of(fd, &item.status);
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
            is_shared(other->fd, item->fd))
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

static int is_read(const struct files_descriptor *item)
{
    return item->kind == NAMED && S_ISREG(item->status.st_mode) &&
           (item->flags & O_ACCMODE) == O_RDONLY && !(item->flags & O_PATH);
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

static const struct files_descriptor *find_awaited(const struct ft_files *files)
{
    for (int i = 0; i < files->descriptors; i++)
        if (files->descriptor[i].awaited)
            return &files->descriptor[i];
    return NULL;
}

int files_descriptors_list(struct ft_files *files)
{
    char path[FT_UNDO_PATH];
    int count, code = 0, *number;

    if (find_awaited(files) != NULL) /* files_descriptors_obstacle tells */
        return -EBUSY;
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
    memcpy(files->standard, standard_kept, sizeof files->standard);
    streams_mark(files);
    return code;
}

/* Was the file that is open there taken away, because another rank has to make it again? An image
 * would have a file without a name in its place (files_descriptors_settle). */
static int is_to_come(const struct ft_rank *self, const struct files_descriptor *item, char *path)
{
    size_t length = strlen(path), suffix = strlen(FT_NAMELESS_SUFFIX);

    if (item->kind != NAMELESS || length <= suffix || (item->flags & O_ACCMODE) == O_WRONLY)
        return 0;
    path[length - suffix] = 0;
    return files_is_unsettled(self, path);
}

static void say_to_come(char *reason, size_t room, int fd, const char *path)
{
    snprintf(reason, room, "another rank has not written %s again, which is open (descriptor %d)",
             path, fd);
}

const char *files_descriptors_obstacle(const struct ft_rank *self)
{
    static char reason[FT_UNDO_PATH + 128];
    const struct files_descriptor *awaited = find_awaited(self->files);
    char path[FT_UNDO_PATH];
    int count, *number = files_numbers_list(&count);

    reason[0] = 0;
    if (awaited != NULL)
        say_to_come(reason, sizeof reason, awaited->fd, awaited->path);
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
        else if (is_to_come(self, &item, path))
            say_to_come(reason, sizeof reason, item.fd, path);
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
            code = files_note_held(files, files->descriptor[i].fd, FILES_OVERWRITE);
        else if (ft_life.boot.clusters > 1 && is_read(&files->descriptor[i]) &&
                 !files->descriptor[i].awaited)
            code = files_note_held(files, files->descriptor[i].fd, FILES_READ);
    return code;
}

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

/* Ranks that go back farther make the file again, which the program reads: an empty one stands in
 * for it, whose offset counts. */
static int stand_in_open(struct files_descriptor *item)
{
    struct files_descriptor empty = *item;

    item->awaited = 1;
    empty.status.st_size = 0;
    return nameless_open(&empty);
}

/* An open descriptor, at any number, for what the item was. */
static int item_open(const struct ft_rank *self, struct files_descriptor *item, const char **why)
{
    const struct ft_files *files = self->files;
    int fd, code;

    if (item->kind == STANDARD)
        fd = fcntl(standard_kept[item->standard], F_DUPFD_CLOEXEC, 0);
    else if (item->shares >= 0)
        fd = fcntl(files->descriptor[item->shares].fd, F_DUPFD_CLOEXEC, 0);
    else if (item->kind == NAMELESS)
        return nameless_open(item);
    else if ((fd = named_open(item, why)) < 0 && is_read(item) &&
             files_is_unsettled(self, item->path))
        return stand_in_open(item);
    else
        return fd;
    code = -errno;
    item->awaited = item->shares >= 0 && files->descriptor[item->shares].awaited;
    return fd < 0 ? code : fd;
}

/* Does the program read a file that is put back, and is not what it was yet? */
static int reads_unsettled(const struct ft_rank *self)
{
    const struct ft_files *files = self->files;

    for (int i = 0; i < files->descriptors; i++)
        if (is_read(&files->descriptor[i]) && files_is_unsettled(self, files->descriptor[i].path))
            return 1;
    return 0;
}

/* The descriptor becomes one of what is at the path now. */
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

/* The file was taken away and made again. */
static void open_anew(const struct ft_files *files, const struct files_descriptor *item)
{
    struct stat old, now;

    if (fstat(item->fd, &old) == 0 && stat(item->path, &now) == 0 &&
        (old.st_ino != now.st_ino || old.st_dev != now.st_dev))
        open_in_place(files, item);
}

/* All others may wait until this rank is where it was: it waits for no more than what it has seen
 * (files_descriptors_arrive). */
static void settle_again(struct ft_rank *self)
{
    for (int i = 0; i < self->files->descriptors; i++) {
        struct files_descriptor *item = &self->files->descriptor[i];

        item->awaited = is_read(item) && files_is_unsettled(self, item->path);
    }
}

void files_descriptors_settle(struct ft_rank *self)
{
    struct ft_files *files = self->files;
    unsigned waited = 0;

    if (files_is_again(self)) {
        settle_again(self);
        return;
    }
    for (; reads_unsettled(self); waited++) {
        self->recorder->where = FT_WHERE_CALL;
        ft_gate_pass(self, waited);
    }
    for (int i = 0; waited && i < files->descriptors; i++)
        if (is_read(&files->descriptor[i]))
            open_anew(files, &files->descriptor[i]);
}

static void await_file(struct ft_rank *self, const struct files_descriptor *item)
{
    struct stat now;

    for (unsigned passes = 0; stat(item->path, &now) != 0 || !is_as_it_was(item, &now); passes++) {
        if (!files_is_unsettled(self, item->path))
            ft_panic("descriptor %d (%s) cannot be opened again: nobody has written the file again",
                     item->fd, item->path);
        self->recorder->where = FT_WHERE_CALL;
        ft_gate_pass(self, passes);
    }
}

int files_descriptors_arrive(struct ft_rank *self)
{
    struct ft_files *files = self->files;
    int code = 0;

    for (int i = 0; code == 0 && i < files->descriptors; i++) {
        struct files_descriptor *item = &files->descriptor[i];

        if (!item->awaited)
            continue;
        await_file(self, item);
        open_anew(files, item);
        item->awaited = 0;
        code = files_note_held(files, item->fd, FILES_READ);
    }
    return code;
}

/* Does a library hold the number? What was inherited is there again and may be replaced; 0, 1 and 2
 * are always the program's. */
static int is_taken(const struct files_descriptor *item)
{
    struct stat now;

    return item->fd > 2 && fstat(item->fd, &now) == 0 &&
           (files_is_own(item->fd) || now.st_dev != item->status.st_dev ||
            now.st_ino != item->status.st_ino);
}

/* One that had the file twice, or that others have, too, has theirs. Flags are as they were. */
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

static int item_restore(const struct ft_rank *self, struct files_descriptor *item, const char **why)
{
    int fd;

    if (is_taken(item)) {
        *why = "a library holds its number";
        return -EBUSY;
    }
    fd = item_open(self, item, why);
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
    files_claim(self->files, item->fd);
    return nameless_meet(self->files, item);
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
        struct files_descriptor *item = &files->descriptor[i];
        const char *why = NULL;
        int code = item_restore(self, item, &why);

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
    int count, *number = files_numbers_list(&count);

    if (number == NULL)
        return -EIO;
    for (int i = 0; i < count; i++)
        fcntl(number[i], F_SETFD, FD_CLOEXEC);
    free(number);
    for (int i = 0; i < files->descriptors; i++)
        fcntl(files->descriptor[i].fd, F_SETFD, 0);
    for (int i = 0; i < 3; i++)
        if (standard_kept[i] >= 0)
            fcntl(standard_kept[i], F_SETFD, 0);
    return fcntl(control, F_SETFD, 0) == 0 ? 0 : -errno;
}

int files_descriptors_adopt(struct ft_files *files)
{
    for (int i = 0; i < 3; i++) {
        int kept = files->standard[i] < 0 ? -1 : ft_files_own(files->standard[i]);

        if (kept < -1)
            return kept;
        standard_kept[i] = kept;
    }
    for (int i = 0; i < files->descriptors; i++) {
        const struct files_descriptor *item = &files->descriptor[i];
        int code;

        if (item->kind == KERNELS) /* that of the memory before the exec tells nothing any more */
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
