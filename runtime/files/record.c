/* What is on record.
 *
 * The first change of a path after a checkpoint is preceded by a record of what the path was. Two
 * hashes remember what is on record: by path (its state, absence included) and by inode (its
 * content, under whatever name). A record's time is read after the state and the copy were read:
 * then the earliest record of a path, over all ranks, was read before anybody changed it (undo.c).
 * Nothing is on record at a checkpoint.
 *
 * Where clusters go back alone, accesses are listed, too: of a path the first one between two MPI
 * calls, each that finds something else than the one before, and each that makes or removes it. So
 * a rank that looks again and again, until another one has done something, is known to have seen it
 * not before that; and who takes a lock in a file, to have held it while others looked in vain. */
#include "files/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/put.h"
#include "files/resolve.h"

#define TRIES 100 /* to copy a file that another rank takes away meanwhile */

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

/* Kinds of access: what changes, or */
#define NOTHING ((enum files_change)0)
#define NAMED ((enum files_change)(FILES_OVERWRITE + 1)) /* the name comes, whatever was there, */
#define MADE ((enum files_change)(FILES_OVERWRITE + 2))  /* or where nothing is, */
#define GONE ((enum files_change)(FILES_OVERWRITE + 3))  /* or goes */

enum kind { UNKNOWN, NONE, FILE_THERE, OTHER_THERE };

struct found { /* by an access */
    enum kind kind;
    uint64_t device, inode;
    int64_t size, seconds, nanoseconds; /* of a file: its length, and when it was changed */
};

struct done {                 /* what is on record of a path, or of a file under any name */
    enum files_change change; /* strongest change that the record allows */
    uint64_t moment;          /* of the newest entry in the list of accesses */
    int changes;              /* there was a change of ours at that moment */
    struct found found;
};

struct last {                   /* access of a path */
    uint64_t moment;            /* when it was, */
    uint64_t look;              /* which one of that moment (ft_undo_look), */
    int named;                  /* whether it has changed the name, */
    enum ft_access_needs needs; /* of that, */
    int counted;                /* that a change of its content at that moment is counted, */
    uint64_t record; /* 1 + number of the record of what was not there, written for it; 0: none, */
    enum files_change before; /* and what the path's records allowed before that */
};

struct files_done_path {
    UT_hash_handle hh;
    struct done done;
    struct last last;
    char path[];
};

struct inode_key {
    uint64_t device, inode;
};

struct files_done_inode {
    UT_hash_handle hh;
    struct done done;
    struct files_done_path *path; /* by which it was accessed last, */
    char *given;                  /* and how that was written; owned, or NULL */
    struct inode_key key;
};

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
/* What this thread is about to access, until it has; or NULL. */
static __thread struct files_done_path *accessed;

/* Do ranks that go back alone need to know who accessed what in which order? */
static int is_listed(void)
{
    return ft_life.boot.clusters > 1;
}

/* Between this MPI call that is no poll and the next one. */
static uint64_t moment_behind(uint64_t calls)
{
    return calls + 1;
}

static uint64_t present(void)
{
    return moment_behind(ft_self == NULL ? 0 : ft_self->calls - ft_self->polls);
}

/* Is it the names in a folder? */
static int is_names(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

static int allows(const struct done *done, enum files_change change)
{
    return done->change >= change;
}

static enum ft_access_needs found_by(const struct stat *status)
{
    return status != NULL ? FT_NEEDS_PRESENCE : FT_NEEDS_ABSENCE;
}

/* status: NULL when nothing is there. names: of those in a folder, which has another time then. */
static struct found found_of(const struct stat *status, int names)
{
    if (status == NULL)
        return (struct found){.kind = NONE};
    if (!S_ISREG(status->st_mode) && !names)
        return (struct found){OTHER_THERE, status->st_dev, status->st_ino, 0, 0, 0};
    return (struct found){FILE_THERE,      status->st_dev,         status->st_ino,
                          status->st_size, status->st_mtim.tv_sec, status->st_mtim.tv_nsec};
}

/* Has somebody else done something since? What we do ourselves makes a file, or a file longer and
 * newer. */
static int is_news(const struct done *done, const struct found *now)
{
    const struct found *then = &done->found;

    if (done->changes && then->kind == NONE)
        return 0;
    return now->kind != then->kind || now->device != then->device || now->inode != then->inode ||
           (!done->changes && (now->size != then->size || now->seconds != then->seconds ||
                               now->nanoseconds != then->nanoseconds));
}

/* Is the access in the list already? */
static int is_known(const struct done *done, enum files_change access, const struct found *now)
{
    return access < NAMED && done->moment == present() && done->changes >= (access > FILES_READ) &&
           !is_news(done, now);
}

/* Is nothing to be written before such an access? access: NOTHING, or the change. */
static int suffices(const struct done *done, enum files_change change, enum files_change access,
                    const struct found *now)
{
    return allows(done, change) &&
           (access == NOTHING || !is_listed() || is_known(done, access, now));
}

static void done_add(struct done *done, enum files_change change, enum files_change access,
                     const struct found *now)
{
    if (change > done->change)
        done->change = change;
    if (access == NOTHING)
        return;
    done->changes =
        access > FILES_READ || (done->moment == present() && done->changes && now->kind != NONE);
    done->moment = access >= NAMED ? 0 : present(); /* what comes next is another file */
    done->found = *now;
}

static struct files_done_path *path_find(const struct ft_files *files, const char *path)
{
    struct files_done_path *found;

    HASH_FIND_STR(files->paths, path, found);
    return found;
}

static struct files_done_path *path_make(struct ft_files *files, const char *path)
{
    struct files_done_path *made = path_find(files, path);

    if (made != NULL)
        return made;
    made = ft_image_alloc(sizeof *made + strlen(path) + 1);
    strcpy(made->path, path);
    HASH_ADD_STR(files->paths, path, made);
    return made;
}

static struct files_done_inode *inode_find(const struct ft_files *files, const struct stat *status)
{
    struct inode_key key = {status->st_dev, status->st_ino};
    struct files_done_inode *found;

    HASH_FIND(hh, files->inodes, &key, sizeof key, found);
    return found;
}

static void given_set(struct files_done_inode *inode, const char *path)
{
    if (path == NULL || (inode->given != NULL && strcmp(inode->given, path) == 0))
        return;
    if (inode->given != NULL)
        ft_image_free(inode->given);
    inode->given = ft_image_alloc(strlen(path) + 1);
    strcpy(inode->given, path);
}

/* Was the file accessed by this name last? Another name is another path. */
static int is_given(const struct files_done_inode *inode, const char *path)
{
    return path == NULL || !is_listed() ||
           (inode->given != NULL && strcmp(inode->given, path) == 0);
}

static struct files_done_inode *inode_make(struct ft_files *files, const struct stat *status,
                                           struct files_done_path *path)
{
    struct files_done_inode *made = inode_find(files, status);

    if (made == NULL) {
        made = ft_image_alloc(sizeof *made);
        made->key = (struct inode_key){status->st_dev, status->st_ino};
        HASH_ADD(hh, files->inodes, key, sizeof made->key, made);
    }
    made->path = path;
    return made;
}

static uint64_t look_next(const struct files_done_path *path)
{
    if (path == NULL || path->last.moment != present())
        return ft_undo_look(0, 1);
    return path->last.named ? ft_undo_look(ft_undo_names(path->last.look) + 1, 1)
                            : path->last.look + 1;
}

uint64_t files_look_next(const struct ft_files *files, const char *path)
{
    return look_next(path_find(files, path));
}

/* One more access of the path at this moment. */
static void look(struct files_done_path *path, enum files_change access)
{
    path->last.look = look_next(path);
    path->last.named = access >= NAMED;
    path->last.needs = access == MADE   ? FT_NEEDS_ABSENCE
                       : access == GONE ? FT_NEEDS_PRESENCE
                                        : FT_NEEDS_NOTHING;
    if (path->last.moment != present())
        path->last.counted = 0;
    path->last.moment = present();
    accessed = path;
}

/* Accesses of this moment are counted on, but the next one is listed again. */
static void done_clear(struct ft_files *files, uint64_t moment)
{
    struct files_done_path *path, *next_path;
    struct files_done_inode *inode, *next_inode;

    accessed = NULL;
    HASH_ITER (hh, files->paths, path, next_path) {
        path->done = (struct done){0};
        path->last.record = 0;
        if (path->last.moment == moment)
            continue;
        HASH_DEL(files->paths, path);
        ft_image_free(path);
    }
    HASH_ITER (hh, files->inodes, inode, next_inode) {
        HASH_DEL(files->inodes, inode);
        if (inode->given != NULL)
            ft_image_free(inode->given);
        ft_image_free(inode);
    }
}

/* Kernel's own file systems have nothing to undo. */
static int is_kernels(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

/* The access before this one is over. */
static void access_ends(void)
{
    if (ft_self != NULL && is_listed())
        __atomic_store_n(&ft_self->recorder->accessing, FT_ACCESSING_NONE, __ATOMIC_RELEASE);
}

static void accesses_tell(const struct ft_files *files, enum ft_accessing accessing)
{
    if (ft_self == NULL || !is_listed())
        return;
    __atomic_store_n(&ft_self->recorder->accesses, files->accesses, __ATOMIC_RELEASE);
    __atomic_store_n(&ft_self->recorder->accessing, accessing, __ATOMIC_RELEASE);
}

/* One more change that a rank which goes back will do again. */
static void change_count(struct ft_files *files)
{
    uint64_t moment = present() << 32;

    if (files->accesses >> 32 != moment >> 32)
        files->accesses = moment;
    files->accesses++;
    accesses_tell(files, FT_ACCESSING_COUNTED);
}

/* It was none. */
static void change_uncount(struct ft_files *files)
{
    if (files->accesses >> 32 == (uint32_t)present()) /* another thread may have called MPI */
        files->accesses--;
    accesses_tell(files, FT_ACCESSING_NONE);
}

/* Adds the access to the list. Looks are not counted: how many there are depends on how far others
 * are, and that may be otherwise when the rank goes back without them. */
static int path_list(struct ft_files *files, struct files_done_path *path, enum files_change access)
{
    enum ft_access_change listed = access >= NAMED       ? FT_ACCESS_NAME
                                   : access > FILES_READ ? FT_ACCESS_CONTENT
                                                         : FT_ACCESS_READ;
    int code;

    if (listed != FT_ACCESS_READ)
        accesses_tell(files, FT_ACCESSING_LISTED);
    code = files_access_write(files, path->path, present(), path->last.look, listed,
                              path->last.needs, 0);
    if (code != 0 || listed == FT_ACCESS_READ ||
        (listed == FT_ACCESS_CONTENT && path->last.counted))
        return code;
    path->last.counted |= listed == FT_ACCESS_CONTENT;
    change_count(files);
    return 0;
}

/* What must be written before a path is accessed so. status: NULL when nothing is there. */
static int path_write(struct ft_files *files, struct files_done_path *path,
                      const struct stat *status, enum files_change change, enum files_change access)
{
    const struct found now = found_of(status, is_names(path->path));
    int code = 0;

    if (!allows(&path->done, change))
        code = change == FILES_READ ? files_record_seen(files, path->path, status)
                                    : files_record_write(files, path->path, status, change);
    if (code == 0 && access != NOTHING && is_listed() && !is_known(&path->done, access, &now))
        code = path_list(files, path, access);
    return code;
}

/* The record of a resolved path, unless there is one. given: by what name, or NULL. */
static int path_note(struct ft_files *files, const char *name, const struct stat *status,
                     const char *given, enum files_change change, enum files_change access)
{
    const struct found now = found_of(status, is_names(name));
    struct files_done_inode *inode;
    uint64_t sequence = files->sequence;
    struct files_done_path *path;
    struct last before;
    int code;

    if (is_kernels(name))
        return 0;
    path = path_make(files, name);
    before = path->last;
    if (access != NOTHING)
        look(path, access);
    if (access == FILES_READ)
        path->last.needs = found_by(status);
    path->last.before = path->done.change;
    code = path_write(files, path, status, change, access);
    if (code != 0) {
        path->last = before;
        return code;
    }
    path->last.record = status == NULL && files->sequence > sequence ? sequence + 1 : 0;
    done_add(&path->done, status || change == FILES_READ ? change : FILES_OVERWRITE, access, &now);
    if (status == NULL || !S_ISREG(status->st_mode))
        return 0;
    inode = inode_make(files, status, path);
    given_set(inode, given);
    done_add(&inode->done, path->done.change, access, &now);
    return 0;
}

/* Is everything about such an access of a file on record? Then it is one more of its path. */
static int is_repeated(const struct ft_files *files, const struct stat *status, const char *given,
                       enum files_change change, enum files_change access)
{
    const struct found now = found_of(status, 0);
    struct files_done_inode *inode = inode_find(files, status);

    if (inode == NULL || !is_given(inode, given) || !suffices(&inode->done, change, access, &now))
        return 0;
    if (access != NOTHING)
        look(inode->path, access);
    return 1;
}

static int is_changed(const struct ft_files *files, const char *path, enum files_change change)
{
    const struct files_done_path *done = path_find(files, path);

    return done != NULL && allows(&done->done, change);
}

static int note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
                enum files_change access, int follow)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code, there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;

    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (there && S_ISREG(status.st_mode) && follow &&
        is_repeated(files, &status, folder_fd == AT_FDCWD ? path : "", change, access))
        return 0;
    if (!there && follow)
        code = files_dereference(folder_fd, path, resolved);
    else
        code = files_resolve(folder_fd, path, there && follow, resolved);
    if (code != 0)
        return 0; /* the call itself will fail, and say why */
    if (there && S_ISREG(status.st_mode) && !follow && status.st_nlink > 1 &&
        change != FILES_READ && !is_changed(files, resolved, change))
        return -EMLINK; /* a copy would be put back where a hard link was */
    return path_note(files, resolved, there ? &status : NULL,
                     follow && folder_fd == AT_FDCWD ? path : NULL, change, access);
}

/* The call answers that it is there, although it has gone meanwhile. */
static int taken_note(const struct ft_files *files, const char *resolved)
{
    struct files_done_path *path = path_find(files, resolved);

    if (path == NULL)
        return 0;
    path->last.needs = FT_NEEDS_PRESENCE;
    return files_access_write(files, resolved, present(), path->last.look, FT_ACCESS_READ,
                              FT_NEEDS_PRESENCE, 1);
}

/* A folder that the rank had made, and that stayed when it went back because others have put
 * something into it, is on record as what was not there: so it was when the rank made it first. */
static int note_make(struct ft_files *files, int folder_fd, const char *path,
                     enum files_place place)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int there, code;

    if (files_resolve(folder_fd, path, 0, resolved) != 0)
        return 0;
    there = lstat(resolved, &status) == 0;
    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (place == FILES_OURS || (!there && place == FILES_FREE))
        return path_note(files, resolved, NULL, NULL, FILES_OVERWRITE, MADE);
    if (!is_listed())
        return 0;
    code = path_note(files, resolved, there ? &status : NULL, NULL, FILES_READ, FILES_READ);
    return code == 0 && place == FILES_TAKEN && !there ? taken_note(files, resolved) : code;
}

static int note_open(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    char link[32], path[FT_UNDO_PATH];
    struct stat status;
    ssize_t length;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0 ||
        is_repeated(files, &status, NULL, change, access))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return path_note(files, path, &status, NULL, change, access);
}

static int is_on(const struct ft_files *files)
{
    return files != NULL && ft_life.boot.undo[0] != 0;
}

/* Before an access is noted: the one before is over, but for that of the name that a file loses
 * while it gets this one. Answers 0 where nothing is to be noted. */
static int noting_begin(const struct ft_files *files, enum files_change access)
{
    accessed = NULL;
    if (!is_on(files))
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    if (access != NAMED)
        access_ends();
    return 1;
}

static void noting_end(void)
{
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
}

static int path_is_accessed(struct ft_files *files, int folder_fd, const char *path,
                            enum files_change change, enum files_change access, int follow)
{
    int code = -ENOENT;

    accessed = NULL;
    if (path == NULL || !noting_begin(files, access))
        return 0;
    for (int tries = 0; code == -ENOENT && tries < TRIES; tries++)
        code = note(files, folder_fd, path, change, access, follow);
    noting_end();
    return code;
}

int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow)
{
    return path_is_accessed(files, folder_fd, path, change,
                            change > FILES_READ && !follow ? GONE : change, follow);
}

int files_note_replaced(struct ft_files *files, int folder_fd, const char *path)
{
    return path_is_accessed(files, folder_fd, path, FILES_OVERWRITE, NAMED, 0);
}

int files_note_unused(struct ft_files *files, int folder_fd, const char *path)
{
    return path_is_accessed(files, folder_fd, path, FILES_OVERWRITE, NOTHING, 0);
}

static int note_names(struct ft_files *files, int folder_fd, const char *path)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;

    if (fstatat(folder_fd, path, &status, 0) != 0 || !S_ISDIR(status.st_mode) ||
        files_names_of(folder_fd, path, resolved) != 0)
        return 0; /* the call itself will fail, and say why */
    return path_note(files, resolved, &status, NULL, FILES_READ, FILES_READ);
}

int files_note_names(struct ft_files *files, int folder_fd, const char *path)
{
    int code;

    if (!noting_begin(files, FILES_READ))
        return 0;
    code = note_names(files, folder_fd, path);
    noting_end();
    return code;
}

int files_note_make(struct ft_files *files, int folder_fd, const char *path, enum files_place place)
{
    int code = -ENOENT;

    accessed = NULL;
    if (path == NULL || !noting_begin(files, MADE))
        return 0;
    for (int tries = 0; code == -ENOENT && tries < TRIES; tries++)
        code = note_make(files, folder_fd, path, place);
    noting_end();
    return code;
}

static int open_note(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    int code;

    if (!noting_begin(files, access))
        return 0;
    code = note_open(files, fd, change, access);
    if (access > FILES_READ)
        change_count(files);
    noting_end();
    return code;
}

int files_note_open(struct ft_files *files, int fd, enum files_change change)
{
    return open_note(files, fd, change, change);
}

int files_note_held(struct ft_files *files, int fd, enum files_change change)
{
    return open_note(files, fd, change, NOTHING);
}

/* The rank was to make the path, but another one was quicker: it has changed nothing there, and so
 * it need not go back with that one. What it has found is on record instead. */
static int record_drop(const struct ft_files *files, struct files_done_path *path,
                       const struct stat *status)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME];
    int code;

    if (path->last.record == 0)
        return 0;
    files_record_name(name, sizeof name, files->interval, path->last.record - 1, ".undo");
    if (unlink(name) != 0)
        return -errno;
    path->last.record = 0;
    path->done.change = path->last.before;
    if (allows(&path->done, FILES_READ))
        return 0;
    path->done.change = FILES_READ;
    code = files_record_seen(files, path->path, status);
    return code == -ENOENT ? files_record_seen(files, path->path, NULL) : code; /* it is gone */
}

/* What libc has found instead, or has needed for what it did; status: of what is there now, or
 * NULL.
 */
static enum ft_access_needs needs_of(enum ft_access_needs tried, enum files_answer answer,
                                     const struct stat *status)
{
    enum ft_access_needs now = found_by(status);

    if (answer == FILES_NAMED)
        return now == FT_NEEDS_PRESENCE ? FT_NEEDS_ABSENCE : FT_NEEDS_PRESENCE;
    if (answer == FILES_KEPT) /* a removal; what was to be made, and came since, was no reason */
        return tried == FT_NEEDS_PRESENCE && now == FT_NEEDS_ABSENCE ? now : FT_NEEDS_NOTHING;
    return answer == FILES_THERE || answer == FILES_EXCLUDED ? FT_NEEDS_PRESENCE : FT_NEEDS_ABSENCE;
}

/* Has a call that was to make, remove or rename it done nothing? */
static int has_failed(enum files_answer answer)
{
    return answer == FILES_EXCLUDED || answer == FILES_KEPT;
}

/* Libc has found otherwise than the look before: the access was behind what another rank did.
 * status: of what is there now, or NULL. */
static int access_move(struct ft_files *files, struct files_done_path *path,
                       enum files_answer answer, const struct stat *status)
{
    const struct found now = found_of(status, is_names(path->path));
    int code = has_failed(answer) ? record_drop(files, path, status) : 0, was_named;

    if (code != 0)
        return code;
    was_named = path->last.named;
    path->last.needs = needs_of(path->last.needs, answer, status);
    path->last.named = answer == FILES_NAMED;
    path->done.moment = path->last.named ? 0 : present();
    path->done.changes = path->last.named;
    path->done.found =
        answer == FILES_THERE || has_failed(answer) ? now : (struct found){.kind = NONE};
    code =
        files_access_write(files, path->path, present(), path->last.look,
                           path->last.named ? FT_ACCESS_NAME : FT_ACCESS_READ, path->last.needs, 1);
    if (was_named)
        change_uncount(files);
    else if (answer == FILES_NAMED)
        change_count(files);
    return code;
}

/* It has done what was listed. When, is listed, too: another rank may have done something to the
 * path in between. */
static int name_is_done(const struct ft_files *files, const struct files_done_path *path)
{
    int code = files_access_write(files, path->path, present(), path->last.look, FT_ACCESS_NAME,
                                  path->last.needs, 1);

    access_ends();
    return code;
}

static int is_otherwise(const struct files_done_path *path, enum files_answer answer)
{
    if (answer == FILES_KEPT) /* who has found it there may have failed for that, or not */
        return path->last.named || path->last.needs == FT_NEEDS_PRESENCE;
    if (answer == FILES_NAMED || answer == FILES_EXCLUDED)
        return path->last.named != (answer == FILES_NAMED);
    return answer != FILES_UNKNOWN && (answer == FILES_THERE) != (path->done.found.kind != NONE);
}

/* status: NULL when nothing is there. */
static int note_ends(struct ft_files *files, const struct stat *status, enum files_answer answer)
{
    const struct found now = found_of(status, is_names(accessed->path));
    struct files_done_inode *inode = status != NULL ? inode_find(files, status) : NULL;
    struct files_done_path *path = accessed;

    accessed = NULL;
    if (is_otherwise(path, answer))
        return access_move(files, path, answer, status);
    if (path->last.named || !is_news(&path->done, &now))
        return 0;
    path->done.found = now;
    if (inode != NULL)
        inode->done.found = now;
    return files_access_write(files, path->path, present(), look_next(path),
                              path->done.changes ? FT_ACCESS_CONTENT : FT_ACCESS_READ,
                              path->done.changes ? FT_NEEDS_NOTHING : found_by(status), 0);
}

int files_note_ends(struct ft_files *files, int folder_fd, const char *path, int follow,
                    enum files_answer answer)
{
    struct stat status;
    int code, there;

    if (!is_on(files) || !is_listed() || accessed == NULL ||
        (answer == FILES_NOT_THERE && accessed->done.found.kind == NONE))
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    if (answer == FILES_NAMED && accessed->last.named) {
        code = name_is_done(files, accessed);
    } else {
        there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
        code = note_ends(files, there ? &status : NULL, answer);
    }
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

static int name_ends(struct ft_files *files, const char *name, enum files_answer answer)
{
    struct files_done_path *path = path_find(files, name);
    struct stat status;

    if (path == NULL || path->last.moment != present())
        return 0;
    if (!is_otherwise(path, answer))
        return path->last.named ? name_is_done(files, path) : 0;
    return access_move(files, path, answer, lstat(name, &status) == 0 ? &status : NULL);
}

int files_note_named(struct ft_files *files, int folder_fd, const char *path,
                     enum files_answer answer)
{
    char resolved[FT_UNDO_PATH];
    int code = 0;

    if (!is_on(files) || !is_listed())
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    if (files_resolve(folder_fd, path, 0, resolved) == 0)
        code = name_ends(files, resolved, answer);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

static int names_end(const struct ft_files *files, const char *name, const struct stat *status)
{
    const struct found now = found_of(status, 1);
    struct files_done_path *path = path_find(files, name);

    if (path == NULL || path->last.moment != present() || !is_news(&path->done, &now))
        return 0;
    path->done.found = now;
    return files_access_write(files, path->path, present(), path->last.look, FT_ACCESS_READ,
                              FT_NEEDS_PRESENCE, 1);
}

int files_note_names_end(struct ft_files *files, int folder_fd, const char *path)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code = 0;

    if (!is_on(files) || !is_listed())
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    if (fstatat(folder_fd, path, &status, 0) == 0 && S_ISDIR(status.st_mode) &&
        files_names_of(folder_fd, path, resolved) == 0)
        code = names_end(files, resolved, &status);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

int files_note_open_ends(struct ft_files *files, int fd)
{
    struct stat status;
    int code;

    if (!is_on(files) || !is_listed() || accessed == NULL)
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    code = fstat(fd, &status) == 0 ? note_ends(files, &status, FILES_UNKNOWN) : 0;
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

int files_is_noted(struct ft_files *files, const struct stat *status)
{
    int noted;

    if (!is_on(files))
        return 1;
    pthread_mutex_lock(&record_lock);
    access_ends();
    noted = is_repeated(files, status, NULL, FILES_OVERWRITE, FILES_OVERWRITE);
    if (noted)
        change_count(files);
    pthread_mutex_unlock(&record_lock);
    return noted;
}

/* Gives the records of an interval that never became a checkpoint to the one before it. */
static void interval_merge(const struct ft_files *files, uint32_t from, uint32_t to)
{
    char old[FT_WIRE_PATH + FT_UNDO_NAME], new[FT_WIRE_PATH + FT_UNDO_NAME];

    files_lists_merge(from, to);
    for (uint64_t sequence = files->first; sequence < files->sequence; sequence++) {
        files_record_name(old, sizeof old, from, sequence, ".data");
        files_record_name(new, sizeof new, to, sequence, ".data");
        rename(old, new);
        files_record_name(old, sizeof old, from, sequence, ".undo");
        files_record_name(new, sizeof new, to, sequence, ".undo");
        rename(old, new);
    }
}

void files_record_interval(struct ft_files *files, uint32_t interval)
{
    if (is_on(files) && files->interval == interval && interval > 0)
        interval_merge(files, interval, interval - 1);
    files->interval = interval;
    files->first = files->sequence;
    done_clear(files, present());
}

void files_record_forget(struct ft_files *files, uint64_t calls)
{
    done_clear(files, moment_behind(calls));
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
        struct ft_undo_entry entry = files_entry_of(&size[i].status, FT_UNDO_SIZE);
        struct files_done_path *path = path_make(files, size[i].path);

        length += files_entry_put(record + length, &entry, size[i].path, NULL);
        path->done.change = FILES_GROW;
        inode_make(files, &size[i].status, path)->done.change = FILES_GROW;
    }
    code = files_record_publish(files, record, length, (uint32_t)count);
    free(record);
    return code;
}
