/* done: what is on record since the last checkpoint, in the image: of each path (its state, absence
 * included) and of each file (its content, under whatever name); and what was there when it was
 * accessed last.
 *
 * Thread rule: one thread at a time (access.h has the lock); what takes no ft_files, any. */
#ifndef FT_FILES_DONE_H
#define FT_FILES_DONE_H

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "files/record.h"

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

/* Do ranks that go back alone need to know who accessed what in which order? */
static inline int files_is_listed(void)
{
    return ft_life.boot.clusters > 1;
}

/* Between this MPI call that is no poll and the next one. */
static inline uint64_t files_moment_behind(uint64_t calls)
{
    return calls + 1;
}

static inline uint64_t files_present(void)
{
    return files_moment_behind(ft_self == NULL ? 0 : ft_self->calls - ft_self->polls);
}

/* Is it the names in a folder? */
static inline int files_is_names(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

static inline int files_allows(const struct done *done, enum files_change change)
{
    return done->change >= change;
}

static inline enum ft_access_needs files_found_by(const struct stat *status)
{
    return status != NULL ? FT_NEEDS_PRESENCE : FT_NEEDS_ABSENCE;
}

/* status: NULL when nothing is there. names: of those in a folder, which has another time then. */
struct found files_found_of(const struct stat *status, int names);
/* Has somebody else done something since? What we do ourselves makes a file, or a file longer and
 * newer. */
int files_is_news(const struct done *done, const struct found *now);

/* What is known of this path or file, owned by the hash, until files_done_clear: NULL when nothing
 * is; _make adds it then. A file has the path by which it is accessed now. */
struct files_done_path *files_path_find(const struct ft_files *files, const char *path);
struct files_done_path *files_path_make(struct ft_files *files, const char *path);
struct files_done_inode *files_inode_find(const struct ft_files *files, const struct stat *status);
struct files_done_inode *files_inode_make(struct ft_files *files, const struct stat *status,
                                          struct files_done_path *path);

/* Nothing is on record. Accesses of this moment are counted on, but the next one is listed again.
 */
void files_done_clear(struct ft_files *files, uint64_t moment);

#endif
