/* Writing undo records.
 *
 * The first change of a path after a checkpoint is preceded by a record of what the path was. Two
 * hashes remember what is on record: by path (its state, absence included) and by inode (its
 * content, under whatever name). A record's time is read after the state and the copy were read:
 * then the earliest record of a path, over all ranks, was read before anybody changed it (undo.c).
 * The hashes lie in the image and are empty at a checkpoint. */
#include "files/record.h"
#include "files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

#define CHUNK (1 << 18)

struct files_done_path {
    UT_hash_handle hh;
    enum files_change change; /* strongest change that the record allows */
    char path[];
};

struct inode_key {
    uint64_t device, inode;
};

struct files_done_inode {
    UT_hash_handle hh;
    enum files_change change;
    struct inode_key key;
};

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static enum files_change path_allows(const struct ft_files *files, const char *path)
{
    struct files_done_path *found;

    HASH_FIND_STR(files->paths, path, found);
    return found ? found->change : 0;
}

static void path_add(struct ft_files *files, const char *path, enum files_change change)
{
    struct files_done_path *found;

    HASH_FIND_STR(files->paths, path, found);
    if (found == NULL) {
        found = ft_image_alloc(sizeof *found + strlen(path) + 1);
        strcpy(found->path, path);
        HASH_ADD_STR(files->paths, path, found);
    }
    if (change > found->change)
        found->change = change;
}

static enum files_change inode_allows(const struct ft_files *files, const struct stat *status)
{
    struct inode_key key = {status->st_dev, status->st_ino};
    struct files_done_inode *found;

    HASH_FIND(hh, files->inodes, &key, sizeof key, found);
    return found ? found->change : 0;
}

static void inode_add(struct ft_files *files, const struct stat *status, enum files_change change)
{
    struct inode_key key = {status->st_dev, status->st_ino};
    struct files_done_inode *found;

    HASH_FIND(hh, files->inodes, &key, sizeof key, found);
    if (found == NULL) {
        found = ft_image_alloc(sizeof *found);
        found->key = key;
        HASH_ADD(hh, files->inodes, key, sizeof key, found);
    }
    if (change > found->change)
        found->change = change;
}

static void done_clear(struct ft_files *files)
{
    struct files_done_path *path, *next_path;
    struct files_done_inode *inode, *next_inode;

    HASH_ITER (hh, files->paths, path, next_path) {
        HASH_DEL(files->paths, path);
        ft_image_free(path);
    }
    HASH_ITER (hh, files->inodes, inode, next_inode) {
        HASH_DEL(files->inodes, inode);
        ft_image_free(inode);
    }
}

static void record_name(char *name, size_t bytes, uint32_t interval, uint64_t sequence,
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

/* Copies `in` from its begin to `out`, hashing. */
static int content_copy(int in, int out, struct ft_undo_entry *entry)
{
    char *chunk = malloc(CHUNK);
    XXH3_state_t state;
    ssize_t got = 0;
    int64_t total = 0;
    int code = chunk ? 0 : -ENOMEM;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    while (code == 0 && (got = pread(in, chunk, CHUNK, total)) > 0) {
        XXH3_64bits_update(&state, chunk, (size_t)got);
        code = write_all(out, chunk, (size_t)got);
        total += got;
    }
    free(chunk);
    entry->content = XXH3_64bits_digest(&state);
    entry->hashed = 1;
    entry->size = total;
    return code ? code : got < 0 ? -errno : 0;
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
    record_name(name, sizeof name, files->interval, files->sequence, ".data");
    out = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
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

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* Stamps the record (head and entries, `length` bytes) and makes it appear. */
static int record_publish(struct ft_files *files, char *record, size_t length, uint32_t entries)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME], final[FT_WIRE_PATH + FT_UNDO_NAME];
    struct ft_undo_head *head = (struct ft_undo_head *)record;
    int fd, code;

    *head = (struct ft_undo_head){.magic = FT_UNDO_MAGIC,
                                  .version = FT_UNDO_VERSION,
                                  .entries = entries,
                                  .bytes = (uint32_t)(length - sizeof *head),
                                  .time = now(),
                                  .boot = boot_number()};
    head->checksum = XXH3_64bits(record, length);
    record_name(name, sizeof name, files->interval, files->sequence, ".part");
    record_name(final, sizeof final, files->interval, files->sequence, ".undo");
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

static size_t entry_put(char *at, const struct ft_undo_entry *entry, const char *path,
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

static struct ft_undo_entry entry_of(const struct stat *status, enum ft_undo_kind kind)
{
    return (struct ft_undo_entry){.kind = kind,
                                  .mode = status->st_mode & 07777,
                                  .size = S_ISREG(status->st_mode) ? status->st_size : 0,
                                  .mtime_s = status->st_mtim.tv_sec,
                                  .mtime_ns = status->st_mtim.tv_nsec};
}

/* Writes a record with one entry. status: NULL when the path is absent. */
static int record_write(struct ft_files *files, const char *path, const struct stat *status,
                        enum files_change change)
{
    struct ft_undo_entry entry = {.kind = FT_UNDO_ABSENT};
    char target[FT_UNDO_PATH] = "", *record;
    size_t length = sizeof(struct ft_undo_head);
    int code = 0;

    if (status != NULL && S_ISREG(status->st_mode)) {
        entry = entry_of(status, change == FILES_GROW ? FT_UNDO_SIZE : FT_UNDO_COPY);
        if (change != FILES_GROW)
            code = content_keep(files, path, &entry);
    } else if (status != NULL && S_ISLNK(status->st_mode)) {
        entry = entry_of(status, FT_UNDO_LINK);
        if (readlink(path, target, sizeof target - 1) < 0)
            code = -errno;
    } else if (status != NULL) {
        entry = entry_of(status, S_ISDIR(status->st_mode) ? FT_UNDO_FOLDER : FT_UNDO_FIFO);
    }
    if (code != 0)
        return code;
    record = calloc(1, length + sizeof entry + strlen(path) + strlen(target) + 16);
    if (record == NULL)
        return -ENOMEM;
    length += entry_put(record + length, &entry, path, target[0] ? target : NULL);
    code = record_publish(files, record, length, 1);
    free(record);
    return code;
}

/* Kernel's own file systems have nothing to undo. */
static int is_kernels(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

/* The record of a resolved path, unless there is one. */
static int path_note(struct ft_files *files, const char *path, const struct stat *status,
                     enum files_change change)
{
    int code = 0;

    if (is_kernels(path))
        return 0;
    if (path_allows(files, path) < change)
        code = record_write(files, path, status, change);
    if (code != 0)
        return code;
    path_add(files, path, status ? change : FILES_OVERWRITE);
    if (status != NULL && S_ISREG(status->st_mode))
        inode_add(files, status, path_allows(files, path));
    return 0;
}

static int note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
                int follow)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code, there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;

    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (there && S_ISREG(status.st_mode) && follow && inode_allows(files, &status) >= change)
        return 0;
    if (!there && follow)
        code = files_dereference(folder_fd, path, resolved);
    else
        code = files_resolve(folder_fd, path, there && follow, resolved);
    if (code != 0)
        return 0; /* the call itself will fail, and say why */
    if (there && S_ISREG(status.st_mode) && !follow && status.st_nlink > 1 &&
        path_allows(files, resolved) < change)
        return -EMLINK; /* a copy would be put back where a hard link was */
    return path_note(files, resolved, there ? &status : NULL, change);
}

static int note_open(struct ft_files *files, int fd, enum files_change change)
{
    char link[32], path[FT_UNDO_PATH];
    struct stat status;
    ssize_t length;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0 ||
        inode_allows(files, &status) >= change)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return path_note(files, path, &status, change);
}

static int is_on(const struct ft_files *files)
{
    return files != NULL && ft_life.boot.undo[0] != 0;
}

int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow)
{
    int code;

    if (!is_on(files) || path == NULL)
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    code = note(files, folder_fd, path, change, follow);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

int files_note_open(struct ft_files *files, int fd, enum files_change change)
{
    int code;

    if (!is_on(files))
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    code = note_open(files, fd, change);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

int files_is_noted(const struct ft_files *files, const struct stat *status)
{
    int noted;

    if (!is_on(files))
        return 1;
    pthread_mutex_lock(&record_lock);
    noted = inode_allows(files, status) == FILES_OVERWRITE;
    pthread_mutex_unlock(&record_lock);
    return noted;
}

/* Gives the records of an interval that never became a checkpoint to the one before it. */
static void interval_merge(const struct ft_files *files, uint32_t from, uint32_t to)
{
    char old[FT_WIRE_PATH + FT_UNDO_NAME], new[FT_WIRE_PATH + FT_UNDO_NAME];

    for (uint64_t sequence = files->first; sequence < files->sequence; sequence++) {
        record_name(old, sizeof old, from, sequence, ".data");
        record_name(new, sizeof new, to, sequence, ".data");
        rename(old, new);
        record_name(old, sizeof old, from, sequence, ".undo");
        record_name(new, sizeof new, to, sequence, ".undo");
        rename(old, new);
    }
}

void files_record_interval(struct ft_files *files, uint32_t interval)
{
    if (is_on(files) && files->interval == interval && interval > 0)
        interval_merge(files, interval, interval - 1);
    files->interval = interval;
    files->first = files->sequence;
    done_clear(files);
}

int files_record_sizes(struct ft_files *files, const struct files_size *size, int count)
{
    size_t length = sizeof(struct ft_undo_head), room = length;
    char *record;
    int code;

    if (!is_on(files) || count == 0)
        return 0;
    for (int i = 0; i < count; i++)
        room += sizeof(struct ft_undo_entry) + strlen(size[i].path) + 16;
    record = calloc(1, room);
    if (record == NULL)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        struct ft_undo_entry entry = entry_of(&size[i].status, FT_UNDO_SIZE);

        length += entry_put(record + length, &entry, size[i].path, NULL);
        path_add(files, size[i].path, FILES_GROW);
        inode_add(files, &size[i].status, FILES_GROW);
    }
    code = record_publish(files, record, length, (uint32_t)count);
    free(record);
    return code;
}
