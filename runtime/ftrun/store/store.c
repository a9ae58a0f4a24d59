/* store: folders, the lock, and the commit by rename.
 *
 * Invariant: ckpt-K exists only after its manifest and the manifest's folder entry were synced, so
 * whoever finds ckpt-K finds all of it. The folders ckpt-K.tmp and old-K may be removed at any time
 * by the holder of the lock. A folder is a store by the word in its lock; and what is removed are
 * names and kinds of files that a store has, because the program may write into the same folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/store.h"

struct ft_store {
    char path[FT_STORE_PATH]; /* absolute */
    int folder;               /* descriptor of the folder */
    int lock;                 /* descriptor of the locked file, -1: none */
    int created;              /* the folder was made by ft_store_open */
};

/* mkdir -p; *created tells whether the last folder is new. */
static int make_folders(const char *path, int *created)
{
    char copy[FT_STORE_PATH];

    *created = 0;
    if (strlen(path) >= sizeof(copy))
        return -ENAMETOOLONG;
    strcpy(copy, path);
    for (char *slash = strchr(copy + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        int made = mkdir(copy, 0700);
        if (made && errno != EEXIST)
            return -errno;
        *created = !made;
        if (!slash || !slash[1])
            return 0;
        *slash = '/';
    }
}

static const char lock_word[] = "ftrun store\n";

/* Reads the folder's lock: 1 a store; 0 not all of the word (an ftrun was killed before it had
 * written that); -ENOENT there is none; -ENOTEMPTY it is somebody else's; or another -errno: it
 * cannot be read. */
static int read_lock(const struct ft_store *store)
{
    char word[sizeof(lock_word)] = "";
    int fd = openat(store->folder, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t length = fd < 0 ? -1 : read(fd, word, sizeof(word));
    int code = length < 0 ? -errno : length == sizeof(lock_word) - 1;

    if (fd >= 0)
        close(fd);
    if (code == -ELOOP || code == -EISDIR || code == -ENXIO ||
        (length > 0 && strncmp(word, lock_word, (size_t)length)))
        return -ENOTEMPTY;
    return code;
}

/* The word outlives a machine that fails, like the checkpoints. */
static int write_lock(const struct ft_store *store)
{
    const size_t length = sizeof(lock_word) - 1;
    ssize_t done;

    if (read_lock(store) == 1)
        return 0;
    done = pwrite(store->lock, lock_word, length, 0);
    if (done != (ssize_t)length)
        return done < 0 ? -errno : -ENOSPC;
    return fsync(store->lock) ? -errno : 0;
}

/* Is the locked file still the one with that name? Its earlier holder may have removed it since
 * it was opened: a lock on that keeps nobody out. */
static int is_named(const struct ft_store *store)
{
    struct stat own, named;

    return !fstat(store->lock, &own) && !fstatat(store->folder, "lock", &named, 0) &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

static int lock_store(struct ft_store *store)
{
    store->lock = openat(store->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock < 0)
        return -errno;
    if (flock(store->lock, LOCK_EX | LOCK_NB))
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    return is_named(store) ? write_lock(store) : -EBUSY;
}

/* Nothing is changed in a folder that may be anybody's: one that was there, without the lock of a
 * store, has to be empty, and then a new one may be made in it. */
static int check_ours(const struct ft_store *store, int create)
{
    int code = store->created ? 1 : read_lock(store), others = 0;
    DIR *folder;
    struct dirent *entry;

    if (code && code != -ENOENT)
        return code == 1 ? 0 : code;
    folder = opendir(store->path);
    if (!folder)
        return -errno;
    for (errno = 0; (entry = readdir(folder)); errno = 0)
        others |= strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
                  strcmp(entry->d_name, "lock");
    code = errno;
    closedir(folder);
    return others ? -ENOTEMPTY : code ? -code : create ? 0 : -ENODATA;
}

/* Is the group the user's own, of which nobody else is a member? Then a folder that it may write is
 * as good as the user's (many systems make such groups, and umask 002). */
static int is_own_group(gid_t number)
{
    const struct passwd *user = getpwuid(geteuid());
    const struct group *group = user ? getgrgid(number) : NULL;

    return group && !strcmp(group->gr_name, user->pw_name) && !group->gr_mem[0];
}

/* Has another user been able to put something into the folder? */
static int was_open(const struct stat *status)
{
    return (status->st_mode & 02) || ((status->st_mode & 020) && !is_own_group(status->st_gid));
}

/* A folder that others may enter is not a place for images of this user's programs. A store that
 * they could write is refused: what a restart takes from it is code. */
static int check_private(const struct ft_store *store)
{
    struct stat status;

    if (fstat(store->folder, &status))
        return -errno;
    if (status.st_uid != geteuid())
        return -EPERM;
    if (was_open(&status) && read_lock(store) != -ENOENT)
        return -EUCLEAN;
    return status.st_mode & 077 && fchmod(store->folder, 0700) ? -errno : 0;
}

/* Can another user put another folder in the place of the one behind this one? Images that are
 * restored are code. In a sticky folder only the owner of an entry renames it. */
static int is_open_to_others(const struct stat *status)
{
    if (status->st_uid != geteuid() && status->st_uid != 0)
        return 1;
    if (status->st_mode & S_ISVTX)
        return 0;
    return was_open(status);
}

/* The folders above the store. 0, -EXDEV, or -errno. */
static int check_parents(const struct ft_store *store)
{
    char path[FT_STORE_PATH];
    struct stat status;
    char *slash;

    strcpy(path, store->path);
    while ((slash = strrchr(path, '/'))) {
        slash[slash == path] = 0;
        if (stat(path, &status))
            return -errno;
        if (is_open_to_others(&status))
            return -EXDEV;
        if (slash == path)
            break;
    }
    return 0;
}

static void explain(const char *path, int code, char *why)
{
    const char *text =
        code == -EBUSY     ? "another ftrun is using it"
        : code == -EPERM   ? "it belongs to another user"
        : code == -ENODATA ? "it is empty"
        : code == -EXDEV ? "a folder above it belongs to another user, or others may write there: "
                           "they could put another folder in its place (chmod +t prevents that)"
        : code == -EUCLEAN
            ? "others may write in it, so its images may not be its own: remove it, or "
              "look at it and take that right away (chmod go-w)"
        : code == -ENOTEMPTY ? "it is no store, and holds other files: name a folder "
                               "that is new, or empty"
                             : strerror(-code);

    snprintf(why, FT_STORE_WHY, "store %.300s: %s", path, text);
}

/* The absolute path, with room behind it for the names of a store. The C library's answer may be
 * longer than a path of ours. */
static int take_path(struct ft_store *store, const char *path)
{
    char *found = realpath(path, NULL);
    int code = !found ? -errno : strlen(found) > sizeof(store->path) - 64 ? -ENAMETOOLONG : 0;

    if (!code)
        strcpy(store->path, found);
    free(found);
    return code;
}

int ft_store_open(const char *path, int create, struct ft_store **out, char *why)
{
    struct ft_store *store = calloc(1, sizeof(*store));
    int code = store ? 0 : -ENOMEM;

    if (code)
        goto error;
    store->folder = store->lock = -1;
    if (create)
        code = make_folders(path, &store->created);
    if (!code)
        code = take_path(store, path);
    if (!code && (store->folder = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        code = -errno;
    if (!code)
        code = check_ours(store, create);
    if (!code)
        code = check_private(store);
    if (!code)
        code = check_parents(store);
    if (!code)
        code = lock_store(store);
    if (code)
        goto error;
    *out = store;
    return 0;
error:
    explain(path, code, why);
    ft_store_close(store, 0);
    return code;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* The K of "PREFIX<K>SUFFIX", as a store spells it; -1 for another name. */
static int64_t number_in(const char *name, const char *prefix, const char *suffix)
{
    char spelt[64];
    size_t length = strlen(prefix);

    if (strncmp(name, prefix, length))
        return -1;
    unsigned long number = strtoul(name + length, NULL, 10);
    snprintf(spelt, sizeof(spelt), "%s%lu%s", prefix, number, suffix);
    return strcmp(name, spelt) || number > UINT32_MAX ? -1 : (int64_t)number;
}

static int is_temporary(const char *name)
{
    return number_in(name, "ckpt-", ".tmp") >= 0;
}

static int is_aside(const char *name)
{
    return number_in(name, "old-", "") >= 0;
}

static int is_of_checkpoint(const char *name)
{
    return is_temporary(name) || is_aside(name) || number_in(name, "ckpt-", "") >= 0;
}

static int is_log(const char *name)
{
    return number_in(name, "rank-", "") >= 0;
}

static int is_trace(const char *name)
{
    return number_in(name, "run-", "") >= 0;
}

/* 1; 0: it is another kind of file, or gone; or -errno. */
static int is_folder(int at, const char *name)
{
    struct stat status;

    if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : -errno;
    return S_ISDIR(status.st_mode);
}

/* Removes the folders in `folder` that `wanted` chooses. */
static void remove_folders(const char *folder, int (*wanted)(const char *name))
{
    DIR *list = opendir(folder);
    char name[FT_STORE_PATH + 256];
    struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (!wanted(entry->d_name) || is_folder(dirfd(list), entry->d_name) != 1)
            continue;
        snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
        remove_tree(name);
    }
    if (list)
        closedir(list);
}

static void remove_lock(const struct ft_store *store)
{
    char path[FT_STORE_PATH];

    ft_store_file(store, "lock", path);
    unlink(path);
}

/* Removes the store of the second team, if there is one (copies.c). */
static void remove_second(const struct ft_store *store)
{
    struct ft_store second = {.folder = -1, .lock = -1};

    ft_store_second(store, second.path);
    second.folder = open(second.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (second.folder < 0)
        return;
    if (read_lock(&second) == 1) {
        ft_store_empty(&second);
        remove_lock(&second);
    }
    close(second.folder);
    rmdir(second.path);
}

/* By paths: a guardian has none of its descriptors. */
void ft_store_empty(const struct ft_store *store)
{
    static const char *const files[] = {"environ", "output", "stdin", "changes"};
    static const struct {
        const char *name;
        int (*has)(const char *name);
    } folders[] = {{"undo", is_log}, {"log", is_log}, {"begin", is_log}, {"trace", is_trace}};
    char path[FT_STORE_PATH];

    remove_second(store);
    remove_folders(store->path, is_of_checkpoint);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        ft_store_file(store, files[i], path);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        ft_store_file(store, folders[i].name, path);
        remove_folders(path, folders[i].has);
        rmdir(path);
    }
}

/* A store that nobody has named lies in a folder of ours, and both go when they are empty. */
static void remove_store(struct ft_store *store)
{
    static const char standard[] = "/" FT_STORE_STANDARD;
    char *slash = strrchr(store->path, '/');
    size_t before = (size_t)(slash - store->path), length = sizeof(standard) - 1;
    int ours = before >= length && !strncmp(slash - length, standard, length);

    if ((store->created || ours) && !rmdir(store->path) && ours) {
        *slash = 0;
        rmdir(store->path);
    }
}

void ft_store_close(struct ft_store *store, int remove_all)
{
    if (!store)
        return;
    if (remove_all) {
        ft_store_empty(store);
        remove_lock(store); /* last: a store to the end */
        remove_store(store);
    }
    if (store->lock >= 0)
        close(store->lock);
    if (store->folder >= 0)
        close(store->folder);
    free(store);
}

const char *ft_store_path(const struct ft_store *store)
{
    return store->path;
}

void ft_store_file(const struct ft_store *store, const char *name, char *out)
{
    size_t length = strlen(store->path);

    memcpy(out, store->path, length);
    snprintf(out + length, FT_STORE_PATH - length, "/%s", name);
}

static void folder_name(uint32_t checkpoint, int temporary, char *out, size_t size)
{
    snprintf(out, size, "ckpt-%u%s", checkpoint, temporary ? ".tmp" : "");
}

void ft_store_image(const struct ft_store *store, uint32_t checkpoint, int rank, int temporary,
                    char *out)
{
    char folder[32], name[64];

    folder_name(checkpoint, temporary, folder, sizeof(folder));
    snprintf(name, sizeof(name), "%s/rank-%d.img", folder, rank);
    ft_store_file(store, name, out);
}

int ft_store_begin(struct ft_store *store, uint32_t checkpoint)
{
    char name[32], path[FT_STORE_PATH];

    folder_name(checkpoint, 1, name, sizeof(name));
    ft_store_file(store, name, path);
    if (is_folder(store->folder, name) == 1)
        remove_tree(path);
    return mkdirat(store->folder, name, 0700) ? -errno : 0;
}

static int set_aside(const struct ft_store *store, uint32_t checkpoint, int temporary)
{
    char name[32], old[32];

    folder_name(checkpoint, temporary, name, sizeof(name));
    snprintf(old, sizeof(old), "old-%u", checkpoint);
    return renameat(store->folder, name, store->folder, old) == 0;
}

int ft_store_discard(const struct ft_store *store, uint32_t checkpoint)
{
    return set_aside(store, checkpoint, 1);
}

int ft_store_drop(const struct ft_store *store, uint32_t checkpoint)
{
    return set_aside(store, checkpoint, 0);
}

void ft_store_clear(const struct ft_store *store)
{
    remove_folders(store->path, is_aside);
}

int ft_store_sync(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = fd < 0 || fsync(fd) ? -errno : 0;

    if (fd >= 0)
        close(fd);
    return code;
}

int ft_store_commit(struct ft_store *store, const struct ft_manifest *manifest)
{
    char from[32], to[32], path[FT_STORE_PATH], file[64];
    int code;

    folder_name(manifest->checkpoint, 1, from, sizeof(from));
    folder_name(manifest->checkpoint, 0, to, sizeof(to));
    snprintf(file, sizeof(file), "%s/manifest.json", from);
    ft_store_file(store, file, path);
    code = ft_manifest_write(manifest, path);
    ft_store_file(store, from, path);
    if (!code)
        code = ft_store_sync(path);
    if (!code && renameat(store->folder, from, store->folder, to))
        code = -errno;
    else if (!code && fsync(store->folder)) {
        code = -errno;
        renameat(store->folder, to, store->folder, from); /* the caller discards it */
    }
    return code;
}

void ft_store_sweep(const struct ft_store *store)
{
    remove_folders(store->path, is_temporary);
    ft_store_clear(store);
}

static int newest_first(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return left < right ? 1 : left > right ? -1 : 0;
}

/* Appends to *numbers. 0 or -ENOMEM. */
static int add_number(uint32_t **numbers, int count, int64_t number)
{
    uint32_t *more = realloc(*numbers, (size_t)(count + 1) * sizeof(*more));

    if (!more)
        return -ENOMEM;
    *numbers = more;
    more[count] = (uint32_t)number;
    return 0;
}

/* Unsorted; what is in *numbers is the caller's, also where it fails. */
static int list_folder(const struct ft_store *store, DIR *folder, uint32_t **numbers)
{
    struct dirent *entry;
    int count = 0;

    for (errno = 0; (entry = readdir(folder)); errno = 0) {
        int64_t number = number_in(entry->d_name, "ckpt-", "");
        int code = number < 0 ? 0 : is_folder(store->folder, entry->d_name);

        if (code == 1)
            code = add_number(numbers, count++, number);
        if (code < 0)
            return code;
    }
    return errno ? -errno : count;
}

int ft_store_list(const struct ft_store *store, uint32_t **numbers)
{
    DIR *folder = opendir(store->path);
    int count = folder ? 0 : -errno;

    *numbers = NULL;
    if (folder) {
        count = list_folder(store, folder, numbers);
        closedir(folder);
    }
    if (count > 0)
        qsort(*numbers, (size_t)count, sizeof(**numbers), newest_first);
    if (count < 0) {
        free(*numbers);
        *numbers = NULL;
    }
    return count;
}

/* Is the image there, with the size that the manifest names? 0, or as ft_store_load. */
static int check_image(const char *path, const struct ft_manifest_rank *rank, char *why)
{
    struct stat status;

    if (stat(path, &status)) {
        int code = errno == ENOENT ? -EBADMSG : -errno;

        snprintf(why, FT_STORE_WHY, "rank %d's image: %s", rank->rank, strerror(errno));
        return code;
    }
    if ((uint64_t)status.st_size == rank->bytes)
        return 0;
    snprintf(why, FT_STORE_WHY, "rank %d's image has %lld bytes instead of %llu", rank->rank,
             (long long)status.st_size, (unsigned long long)rank->bytes);
    return -EBADMSG;
}

static int check_images(const struct ft_store *store, const struct ft_manifest *manifest, char *why)
{
    char path[FT_STORE_PATH];
    int code = 0;

    for (int i = 0; !code && !manifest->near && i < manifest->count; i++) {
        ft_store_image(store, manifest->checkpoint, manifest->ranks[i].rank, 0, path);
        code = check_image(path, &manifest->ranks[i], why);
    }
    return code;
}

int ft_store_load(const struct ft_store *store, uint32_t checkpoint, struct ft_manifest **out,
                  char *why)
{
    char folder[32], name[64], path[FT_STORE_PATH];

    folder_name(checkpoint, 0, folder, sizeof(folder));
    snprintf(name, sizeof(name), "%s/manifest.json", folder);
    ft_store_file(store, name, path);
    int code = ft_manifest_read(path, out, why);
    if (code)
        return code;
    if ((*out)->checkpoint != checkpoint) {
        snprintf(why, FT_STORE_WHY, "the manifest is that of checkpoint %u", (*out)->checkpoint);
        code = -EBADMSG;
    } else {
        code = check_images(store, *out, why);
    }
    if (code) {
        ft_manifest_destroy(*out);
        *out = NULL;
    }
    return code;
}
