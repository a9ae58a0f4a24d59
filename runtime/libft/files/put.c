/* Records as files (format.h): what a path was, with a copy where its content will be lost. */
#include "files/put.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/content.h"

void files_record_name(char *name, size_t bytes, uint32_t interval, uint64_t sequence,
                       const char *ending)
{
    snprintf(name, bytes, "%s/%08x-%012llx%s", ft_life.boot.undo, interval,
             (unsigned long long)sequence, ending);
}

static int write_all(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t part = write(fd, (const char *)bytes + done, length - done);

        if (part < 0)
            return -errno;
        done += (size_t)part;
    }
    return 0;
}

/* Copies `in` from its begin to `out`, hashing; out: -1 hashes alone. */
static int content_copy(int in, int out, struct ft_undo_entry *entry)
{
    struct files_content content;
    int code = files_content_copy(in, out, &content);

    entry->content = content.hash;
    entry->hashed = 1;
    entry->size = content.size;
    return code;
}

/* Keeps the content of `path` in the record's .data file: shares it where the file system can. */
static int content_keep(const struct ft_files *files, const char *path, struct ft_undo_entry *entry)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME];
    struct stat status;
    int in, out, code = 0;

    in = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (in < 0)
        return -errno;
    files_record_name(name, sizeof name, files->interval, files->sequence, ".data");
    unlink(name); /* an earlier life's, which may have a second name (interval.c) */
    out = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0) {
        code = -errno;
        close(in);
        return code;
    }
    if (ioctl(out, FICLONE, in) == 0 && fstat(out, &status) == 0)
        entry->size = status.st_size;
    else
        code = content_copy(in, out, entry);
    if (close(out) != 0 && code == 0)
        code = -errno;
    close(in);
    return code;
}

/* A number that differs from boot to boot. */
static uint64_t boot_number(void)
{
    static uint64_t number;
    char name[64];
    ssize_t length;
    int fd;

    if (number != 0)
        return number;
    fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? -1 : read(fd, name, sizeof name);
    if (fd >= 0)
        close(fd);
    number = length > 0 ? XXH3_64bits(name, (size_t)length) : 1;
    return number;
}

static uint64_t nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec;
}

uint64_t files_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(&time);
}

/* Fills the head of a record of `length` bytes. time: of the record. */
static void record_stamp(char *record, size_t length, uint32_t entries, uint64_t time)
{
    struct ft_undo_head *head = (struct ft_undo_head *)record;

    *head = (struct ft_undo_head){.magic = FT_UNDO_MAGIC,
                                  .version = FT_UNDO_VERSION,
                                  .entries = entries,
                                  .bytes = (uint32_t)(length - sizeof *head),
                                  .time = time,
                                  .boot = boot_number()};
    head->checksum = XXH3_64bits(record, length);
}

int files_record_publish(struct ft_files *files, char *record, size_t length, uint32_t entries)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME], final[FT_WIRE_PATH + FT_UNDO_NAME];
    int fd, code;

    record_stamp(record, length, entries, files_now());
    files_record_name(name, sizeof name, files->interval, files->sequence, ".part");
    files_record_name(final, sizeof final, files->interval, files->sequence, ".undo");
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    code = write_all(fd, record, length);
    if (close(fd) != 0 && code == 0)
        code = -errno;
    if (code == 0 && rename(name, final) != 0)
        code = -errno;
    if (code == 0)
        files->sequence++;
    return code;
}

static void reads_name(char *name, size_t bytes, uint32_t interval)
{
    snprintf(name, bytes, "%s/%08x" FT_UNDO_READS, ft_life.boot.undo, interval);
}

/* Appends to the interval's list of reads: all of the bytes, or none. A rank that is killed in the
 * write has not read yet. */
static int reads_append(uint32_t interval, const char *bytes, size_t length)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME];
    off_t end;
    int fd, code;

    reads_name(name, sizeof name, interval);
    fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    end = lseek(fd, 0, SEEK_END);
    code = write_all(fd, bytes, length);
    if (code != 0 && ftruncate(fd, end) != 0)
        ft_panic("%s cannot be kept", name);
    if (close(fd) != 0 && code == 0)
        code = -errno;
    return code;
}

void files_reads_merge(uint32_t from, uint32_t to)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME], *bytes;
    struct stat status;
    int fd;

    reads_name(name, sizeof name, from);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return;
    bytes = fd >= 0 && fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (bytes == NULL || read(fd, bytes, (size_t)status.st_size) != status.st_size ||
        reads_append(to, bytes, (size_t)status.st_size) != 0)
        ft_panic("%s cannot be kept", name);
    free(bytes);
    close(fd);
    unlink(name);
}

size_t files_entry_put(char *at, const struct ft_undo_entry *entry, const char *path,
                       const char *target)
{
    struct ft_undo_entry put = *entry;

    put.path = (uint32_t)strlen(path) + 1;
    put.target = target ? (uint32_t)strlen(target) + 1 : 0;
    memcpy(at, &put, sizeof put);
    memcpy(at + sizeof put, path, put.path);
    if (target != NULL)
        memcpy(at + sizeof put + put.path, target, put.target);
    return ft_undo_entry_bytes(put.path, put.target);
}

struct ft_undo_entry files_entry_of(const struct stat *status, enum ft_undo_kind kind)
{
    return (struct ft_undo_entry){.kind = kind,
                                  .mode = status->st_mode & 07777,
                                  .size = S_ISREG(status->st_mode) ? status->st_size : 0,
                                  .mtime_s = status->st_mtim.tv_sec,
                                  .mtime_ns = status->st_mtim.tv_nsec,
                                  .links =
                                      S_ISREG(status->st_mode) ? (uint32_t)status->st_nlink : 0};
}

int files_record_write(struct ft_files *files, const char *path, const struct stat *status,
                       enum files_change change)
{
    struct ft_undo_entry entry = {.kind = FT_UNDO_ABSENT,
                                  .mode = change == FILES_MAKE_FOLDER ? S_IFDIR : 0};
    char target[FT_UNDO_PATH] = "", *record;
    size_t length = sizeof(struct ft_undo_head);
    int code = 0;

    if (status != NULL && S_ISREG(status->st_mode)) {
        entry = files_entry_of(status, change == FILES_GROW ? FT_UNDO_SIZE : FT_UNDO_COPY);
        if (change != FILES_GROW)
            code = content_keep(files, path, &entry);
    } else if (status != NULL && S_ISLNK(status->st_mode)) {
        entry = files_entry_of(status, FT_UNDO_LINK);
        if (readlink(path, target, sizeof target - 1) < 0)
            code = -errno;
    } else if (status != NULL) {
        entry = files_entry_of(status, S_ISDIR(status->st_mode) ? FT_UNDO_FOLDER : FT_UNDO_FIFO);
    }
    if (code != 0)
        return code;
    record = calloc(1, length + sizeof entry + strlen(path) + strlen(target) + 16);
    if (record == NULL)
        return -ENOMEM;
    length += files_entry_put(record + length, &entry, path, target[0] ? target : NULL);
    code = files_record_publish(files, record, length, 1);
    free(record);
    return code;
}

int files_record_read(const struct ft_files *files, const char *path, uint64_t time)
{
    const struct ft_undo_entry entry = {.kind = FT_UNDO_READ};
    size_t length = sizeof(struct ft_undo_head);
    char *record = calloc(1, length + sizeof entry + strlen(path) + 16);
    int code;

    if (record == NULL)
        return -ENOMEM;
    length += files_entry_put(record + length, &entry, path, NULL);
    record_stamp(record, length, 1, time);
    code = reads_append(files->interval, record, length);
    free(record);
    return code;
}
