/* record: the writing half of undo records: what has to be on record before an access of a file.
 *
 *     record.c      which path an access is of, and which record it needs
 *     interval.c    a checkpoint or a new life: recording begins anew
 *     done.c        what is on record of each path and file
 *     put.c         records and lists as files
 *
 * The first change of a path after a checkpoint is preceded by a record of what the path was. With
 * several clusters the first read of a path is on record, too: ftrun compares the records of all
 * ranks, and finds the files that ranks share (undo_share.c).
 *
 * Thread rule: the functions files_note* may be called by any thread of the program: they take the
 * room's lock. All others are for the main thread while no other thread accesses files. */
#ifndef FT_FILES_RECORD_H
#define FT_FILES_RECORD_H

#include <stdint.h>
#include <sys/stat.h>

#include "files/files.h"
#include "files/format.h"

struct files_done_path;  /* hash of paths whose state is on record (done.h) */
struct files_done_inode; /* hash of files whose content is on record (done.h) */
struct files_descriptor; /* descriptor.h */
struct files_claim;      /* claim.c */

struct ft_files {       /* in the image */
    uint32_t interval;  /* 1 + number of the checkpoint that the records follow now; 0 before it */
    uint64_t first;     /* number of the interval's first record */
    uint64_t sequence;  /* number of the next record */
    uint64_t removable; /* 1 + number of the newest record, while files_note_failed may remove it */
    uint64_t changes;   /* as in the recorder */
    struct files_done_path *paths;
    struct files_done_inode *inodes;
    struct files_descriptor *descriptor; /* as listed; owned, with what it points to */
    int descriptors;
    int held;        /* result of the last ft_files_hold: 0 or -errno */
    int standard[3]; /* when leaving: numbers of the copies of what 0, 1 and 2 were at the start */
    struct files_claim *claim; /* what the program has opened where libraries do; owned */
    int claims, claims_room;
};

enum files_change { /* what is about to happen to a path; each needs all that the ones
                       before it need */
                    FILES_READ = 1,    /* the program learns what it is */
                    FILES_MAKE_FOLDER, /* mkdir, where nothing is */
                    FILES_GROW,        /* a regular file gets longer, or a path is made */
                    FILES_OVERWRITE    /* content or name of what exists is lost */
};

/* Makes sure that the state of `path` (relative to `folder_fd`) is on record before the access:
 * writes a record unless the interval has one that suffices. Reads need none with one cluster.
 * follow: symbolic links are followed. 0 or -errno. */
int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow);
/* The same for a path that is made by a call which fails where something is there: then the call is
 * a read. change: FILES_MAKE_FOLDER or FILES_GROW. */
int files_note_make(struct ft_files *files, int folder_fd, const char *path,
                    enum files_change change);
/* The same for a folder that the rank makes again: it was still there when the rank rolled back,
 * and counts as made now. */
int files_note_made_again(struct ft_files *files, int folder_fd, const char *path);
/* The same for a read of the names in a folder: an access of a path that ends in a slash. */
int files_note_names(struct ft_files *files, int folder_fd, const char *path);
/* The same for an open file. Files without a name, and all but regular files, need nothing. */
int files_note_open(struct ft_files *files, int fd, enum files_change change);
/* The same for a file that was just opened for reading by this path. status: of the file. time: of
 * before the open (files_now). */
int files_note_opened(struct ft_files *files, int folder_fd, const char *path,
                      const struct stat *status, uint64_t time);
uint64_t files_now(void); /* CLOCK_MONOTONIC, nanoseconds */
/* A call that was to make or remove the folder `path` has failed: its record goes again, and with
 * it the dependence on other ranks that use the folder; unless another thread has written a record
 * since. 0 or -errno. */
int files_note_failed(struct ft_files *files, int folder_fd, const char *path);

/* The bytes at the begin of the file of this status that must be copied before they change: those
 * it had when its size was put on record, or all. */
off_t files_kept_size(struct ft_files *files, const struct stat *status);

/* Is everything about the file of this status on record, whatever is written? A quick answer for
 * write(2). */
int files_is_noted(struct ft_files *files, const struct stat *status);

/* Begins an interval: forgets what was on record. Records of an abandoned checkpoint with the same
 * number are given to the interval before it. */
void files_record_interval(struct ft_files *files, uint32_t interval);

/* In a new life: nothing is on record, because everything was undone. */
void files_record_forget(struct ft_files *files);

/* Writes one record of the sizes of the files open for writing (paths and statuses, in pairs). 0 or
 * -errno. */
struct files_size {
    const char *path;
    struct stat status;
};
int files_record_sizes(struct ft_files *files, const struct files_size *size, int count);

/* Are accesses put on record? With two copies of a rank none are behind MPI_Init (once.h). */
static inline int files_is_on(const struct ft_files *files)
{
    return files != NULL && ft_life.boot.undo[0] != 0 &&
           !(ft_life.pair != NULL && ft_self != NULL && ft_self->mpi_state != 0);
}

#endif
