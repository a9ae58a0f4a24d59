/* shm: names are learned while their makers live, and removed when those are dead.
 *
 * The table is shared with the guardian, so that it knows what ftrun knew. A name that inotify told
 * about too late to be found open in one of our ranks is removed only when no process at all has
 * it: then its maker is dead, and nobody can still be waiting to attach to it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "host/shm.h"
#include "host/spawn.h"

enum { NAMES = 128, NAME = 64 };

struct shared {        /* mapped by ftrun and the guardian */
    char folder[NAME]; /* the private folder */
    int size;          /* ranks */
    time_t since;      /* start of ftrun */
    struct {
        char name[NAME]; /* in /dev/shm; "": free */
        int ours;        /* one of our ranks had it open */
    } segments[NAMES];
    pid_t ranks[]; /* [size] the present or last process of each rank; negative: it is gone, and its
                      number may be another's */
};

struct ft_shm {
    struct shared *shared;
    size_t bytes;
    int inotify;  /* on /dev/shm, -1: none */
    int lock;     /* the folder, locked as long as ftrun or its guardian lives */
    int farewell; /* pipe to the guardian */
    pid_t guardian;
};

static const char *const prefixes[] = {"mpich_shar_tmp", "mpich_s_shar_tmp", "ucx_shm_posix_"};

static const time_t stale_seconds = 60; /* age of a folder that is nobody's */

static int is_mpi_name(const char *name)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return 1;
    }
    return 0;
}

static int has_descriptor(const char *proc, const char *path)
{
    char folder[64], target[PATH_MAX];
    struct dirent *entry;
    int found = 0;

    snprintf(folder, sizeof(folder), "%.40s/fd", proc);
    DIR *list = opendir(folder);
    while (list && !found && (entry = readdir(list))) {
        ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof(target) - 1);

        target[length > 0 ? length : 0] = 0;
        found = !strcmp(target, path);
    }
    if (list)
        closedir(list);
    return found;
}

static int has_mapping(const char *proc, const char *path)
{
    char name[64], *line = NULL;
    size_t room = 0;
    int found = 0;

    snprintf(name, sizeof(name), "%.40s/maps", proc);
    FILE *maps = fopen(name, "re");
    while (maps && !found && getline(&line, &room, maps) > 0)
        found = strstr(line, path) != NULL;
    free(line);
    if (maps)
        fclose(maps);
    return found;
}

static int is_held(pid_t pid, const char *path)
{
    char proc[40];

    snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
    return has_descriptor(proc, path) || has_mapping(proc, path);
}

static int is_held_by_anybody(const char *path)
{
    DIR *list = opendir("/proc");
    struct dirent *entry;
    int found = !list;

    while (list && !found && (entry = readdir(list)))
        found = isdigit((unsigned char)entry->d_name[0]) && is_held(atoi(entry->d_name), path);
    if (list)
        closedir(list);
    return found;
}

static void segment_path(const char *name, char *path, size_t size)
{
    snprintf(path, size, "/dev/shm/%.*s", NAME, name);
}

static int is_held_by_rank(const struct shared *shared, const char *name)
{
    char path[2 * NAME];

    segment_path(name, path, sizeof(path));
    for (int i = 0; i < shared->size; i++) {
        if (shared->ranks[i] > 0 && is_held(shared->ranks[i], path))
            return 1;
    }
    return 0;
}

static void learn_name(struct shared *shared, const char *name)
{
    if (!is_mpi_name(name) || strlen(name) >= NAME)
        return;
    int ours = is_held_by_rank(shared, name);
    for (int i = 0; i < NAMES; i++) {
        if (!shared->segments[i].name[0]) {
            strcpy(shared->segments[i].name, name);
            shared->segments[i].ours = ours;
            return;
        }
    }
}

static void forget_name(struct shared *shared, const char *name)
{
    for (int i = 0; i < NAMES; i++) {
        if (!strcmp(shared->segments[i].name, name))
            shared->segments[i].name[0] = 0;
    }
}

void ft_shm_notice(struct ft_shm *shm)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t length;

    while ((length = read(shm->inotify, buffer, sizeof(buffer))) > 0) {
        for (char *at = buffer; at < buffer + length;) {
            const struct inotify_event *event = (const void *)at;

            if (event->len && event->mask & IN_CREATE)
                learn_name(shm->shared, event->name);
            else if (event->len)
                forget_name(shm->shared, event->name);
            at += sizeof(*event) + event->len;
        }
    }
}

static void remove_segments(struct shared *shared)
{
    char path[2 * NAME];
    struct stat status;

    for (int i = 0; i < NAMES; i++) {
        if (!shared->segments[i].name[0])
            continue;
        segment_path(shared->segments[i].name, path, sizeof(path));
        if (!lstat(path, &status) && status.st_uid == geteuid() &&
            (shared->segments[i].ours || !is_held_by_anybody(path)))
            unlink(path);
        shared->segments[i].name[0] = 0;
    }
}

/* Removes segments of which ftrun was killed too early to hear: made while it lived, and nobody
 * has them any more. */
static void remove_unheard(const struct shared *shared)
{
    DIR *list = opendir("/dev/shm");
    char path[2 * NAME];
    struct stat status;
    struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (!is_mpi_name(entry->d_name) || strlen(entry->d_name) >= NAME)
            continue;
        segment_path(entry->d_name, path, sizeof(path));
        if (!lstat(path, &status) && status.st_uid == geteuid() &&
            status.st_ctime >= shared->since && !is_held_by_anybody(path))
            unlink(path);
    }
    if (list)
        closedir(list);
}

static int is_our_pid(const struct shared *shared, pid_t pid)
{
    for (int i = 0; i < shared->size; i++) {
        if (abs(shared->ranks[i]) == pid)
            return 1;
    }
    return 0;
}

/* System V segments that a dead rank of ours created and nobody is attached to. */
static void remove_system_v(const struct shared *shared)
{
    struct shm_info info;
    struct shmid_ds status;
    int highest = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);

    for (int i = 0; i <= highest; i++) {
        int id = shmctl(i, SHM_STAT, &status);

        if (id >= 0 && status.shm_nattch == 0 && status.shm_perm.cuid == geteuid() &&
            status.shm_ctime >= shared->since && is_our_pid(shared, status.shm_cpid))
            shmctl(id, IPC_RMID, NULL);
    }
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    if (walk->level > 0)
        remove(path);
    return 0;
}

/* Empties the private folder, the socket excepted. */
static void empty_folder(const struct shared *shared)
{
    DIR *list = opendir(shared->folder);
    struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (is_mpi_name(entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    }
    if (list)
        closedir(list);
}

static void remove_folder(const struct shared *shared)
{
    nftw(shared->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    rmdir(shared->folder);
}

void ft_shm_sweep(struct ft_shm *shm)
{
    if (shm->inotify >= 0)
        ft_shm_notice(shm);
    remove_segments(shm->shared);
    remove_system_v(shm->shared);
    empty_folder(shm->shared);
}

pid_t *ft_shm_rank(struct ft_shm *shm, int rank)
{
    return &shm->shared->ranks[rank];
}

void ft_shm_forget(struct ft_shm *shm, int rank)
{
    shm->shared->ranks[rank] = -abs(shm->shared->ranks[rank]);
}

/* Kills a rank and what it has started; returns whether it still runs. A zombie does not: whoever
 * has become its parent may never reap it. */
static int kill_rank(pid_t pid)
{
    char name[40], state = 'Z';

    if (pid <= 0 || kill(-pid, SIGKILL))
        return 0;
    snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
    FILE *stat = fopen(name, "re");
    if (stat && fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    if (stat)
        fclose(stat);
    return state != 'Z' && state != 'X';
}

/* The guardian's whole life. ftrun's end closes the pipe; a byte before it is the farewell. */
static _Noreturn void guard(struct shared *shared, int farewell, void (*bereaved)(void *context),
                            void *context)
{
    struct pollfd poller = {.fd = farewell, .events = POLLIN};
    char byte;

    prctl(PR_SET_NAME, "ftrun-guard");
    while (poll(&poller, 1, -1) < 0 && errno == EINTR)
        ;
    if (read(farewell, &byte, 1) == 1)
        _exit(0);
    for (int i = 0, alive = 1; alive && i < 500; i++) {
        alive = 0;
        for (int rank = 0; rank < shared->size; rank++)
            alive |= kill_rank(shared->ranks[rank]);
        if (alive)
            poll(NULL, 0, 10);
    }
    remove_segments(shared);
    remove_unheard(shared);
    remove_system_v(shared);
    remove_folder(shared);
    if (bereaved)
        bereaved(context);
    _exit(0);
}

static int start_guardian(struct ft_shm *shm, void (*bereaved)(void *context), void *context)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    shm->guardian = ft_spawn_copy(ends[0], shm->lock);
    if (shm->guardian == 0)
        guard(shm->shared, ends[0], bereaved, context);
    close(ends[0]);
    shm->farewell = ends[1];
    return shm->guardian < 0 ? shm->guardian : 0;
}

/* Locks the folder, waiting for the guardian of an earlier ftrun, which may be about to remove it.
 * Returns the descriptor, -ENOENT when it was removed meanwhile, -EBUSY when that ftrun lives, or
 * -errno. */
static int lock_folder(const char *folder)
{
    struct stat locked, named;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), busy;

    if (fd < 0)
        return -errno;
    for (int i = 0; (busy = flock(fd, LOCK_EX | LOCK_NB)) && i < 1000; i++)
        poll(NULL, 0, 10);
    if (!busy && !fstat(fd, &locked) && !stat(folder, &named) && locked.st_ino == named.st_ino)
        return fd;
    close(fd);
    return busy ? -EBUSY : -ENOENT;
}

/* An earlier folder may have been cleaned away by its guardian, or not. */
static int adopt_folder(const char *folder)
{
    struct stat status;

    if (!mkdir(folder, 0700))
        return 0;
    if (errno != EEXIST || lstat(folder, &status))
        return -errno;
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 077)
               ? 0
               : -EPERM;
}

static int make_folder(struct shared *shared, const char *folder)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};

    if (folder) {
        snprintf(shared->folder, NAME, "%s", folder);
        return adopt_folder(folder);
    }
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(shared->folder, NAME, "%s/ftrun-XXXXXX", places[i]);
        if (mkdtemp(shared->folder))
            return 0;
    }
    return -errno;
}

/* A private folder whose lock nobody holds: ftrun and its guardian were both killed. */
static void remove_if_stale(const char *name)
{
    struct shared stale = {.size = 0};
    struct stat status;

    snprintf(stale.folder, sizeof(stale.folder), "/dev/shm/%.32s", name);
    int fd = open(stale.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (!fstat(fd, &status) && status.st_uid == geteuid() &&
        time(NULL) - status.st_mtime > stale_seconds && !flock(fd, LOCK_EX | LOCK_NB))
        remove_folder(&stale);
    close(fd);
}

static void remove_stale_folders(void)
{
    DIR *list = opendir("/dev/shm");
    struct dirent *entry;

    while (list && (entry = readdir(list))) {
        if (!strncmp(entry->d_name, "ftrun-", 6))
            remove_if_stale(entry->d_name);
    }
    if (list)
        closedir(list);
}

int ft_shm_create(int size, const char *folder, void (*bereaved)(void *context), void *context,
                  struct ft_shm **out)
{
    struct ft_shm *shm = calloc(1, sizeof(*shm));
    int code = shm ? 0 : -ENOMEM;

    if (code)
        return code;
    shm->farewell = shm->inotify = shm->lock = -1;
    shm->bytes = sizeof(struct shared) + (size_t)size * sizeof(pid_t);
    shm->shared = mmap(NULL, shm->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shm->shared == MAP_FAILED) {
        free(shm);
        return -ENOMEM;
    }
    shm->shared->size = size;
    shm->shared->since = time(NULL);
    remove_stale_folders();
    do {
        code = make_folder(shm->shared, folder);
        shm->lock = code ? -1 : lock_folder(shm->shared->folder);
    } while (shm->lock == -ENOENT);
    if (!code && shm->lock < 0)
        code = shm->lock;
    if (code)
        shm->shared->folder[0] = 0; /* not ours to remove */
    if (code || (code = start_guardian(shm, bereaved, context))) {
        ft_shm_destroy(shm);
        return code;
    }
    shm->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (shm->inotify >= 0)
        inotify_add_watch(shm->inotify, "/dev/shm", IN_CREATE | IN_DELETE);
    *out = shm;
    return 0;
}

void ft_shm_destroy(struct ft_shm *shm)
{
    if (!shm)
        return;
    if (shm->shared->folder[0])
        remove_folder(shm->shared);
    if (shm->farewell >= 0) {
        ssize_t told = write(shm->farewell, "q", 1);
        (void)told; /* a guardian that was killed needs no farewell */
        close(shm->farewell);
    }
    if (shm->guardian > 0)
        waitpid(shm->guardian, NULL, 0);
    if (shm->inotify >= 0)
        close(shm->inotify);
    if (shm->lock >= 0)
        close(shm->lock);
    munmap(shm->shared, shm->bytes);
    free(shm);
}

const char *ft_shm_folder(const struct ft_shm *shm)
{
    return shm->shared->folder;
}

int ft_shm_watch(const struct ft_shm *shm)
{
    return shm->inotify;
}
