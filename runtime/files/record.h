/* record: the writing half of undo records, and what has been recorded since the last checkpoint.
 *
 *     record.c      before an access: which path it is of, and what has to be on record
 *     names.c       before and behind the reading of the names in a folder
 *     answer.c      behind an access: what libc has found, or done
 *     interval.c    a checkpoint, a new life: it begins anew
 *
 *     note.c        what one path needs
 *     access.c      the access that is made now: its lock, its number, what ftrun is told of it
 *     done.c        what is on record of each path and file
 *     put.c         records and lists, as files
 *
 * Thread rule: files_note and its kin may be called by any thread of the program: they take the
 * room's lock. */
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

struct ft_files {      /* in the image */
    uint32_t interval; /* 1 + number of the checkpoint that records follow now; 0 before it */
    uint64_t first;    /* number of the interval's first record */
    uint64_t sequence; /* number of the next record */
    struct files_done_path *paths;
    struct files_done_inode *inodes;
    struct files_descriptor *descriptor; /* as listed; owned, with what it points to */
    int descriptors;
    int held; /* how the list of ft_files_hold was made: 0 or -errno */
    uint64_t accesses; /* as in the recorder */
    char *made;        /* folders that stayed when they were to go, and that the rank has made again
                          since: paths, each between two zeros; owned, or NULL */
    size_t made_length;
    int standard[3]; /* when leaving: numbers of the copies of what 0, 1 and 2 were at the start */
    struct files_claim *claim; /* what the program has opened where libraries do; owned */
    int claims, claims_room;
};

enum files_change {                  /* what is about to happen to a path */
                    FILES_READ = 1,  /* what it is reaches the program */
                    FILES_GROW,      /* a regular file gets longer */
                    FILES_OVERWRITE, /* content or name of what exists is lost */
};

/* Makes sure that the state of `path` (relative to `folder_fd`) is on record before that happens:
 * writes a record unless one was written in this interval. follow: symbolic links are followed.
 * Returns 0 or -errno. */
int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow);

/* The same for the name that a file gets, whatever is there. */
int files_note_replaced(struct ft_files *files, int folder_fd, const char *path);

/* The same for the name that a call would change, but will probably not. */
int files_note_unused(struct ft_files *files, int folder_fd, const char *path);

enum files_place {              /* of what must not be there */
                   FILES_FREE,  /* libc is to be asked */
                   FILES_OURS,  /* likewise; and the folder that is there was made by the rank at
                                   this place: it was  put back, but others have put something into
                                   it
                                 */
                   FILES_TAKEN, /* it is there, as it was, and the call has to fail as libc's would:
                                   another rank may remove it before libc looks */
};

/* The same before the names in a folder are read: an access of a path that ends in a slash. */
int files_note_names(struct ft_files *files, int folder_fd, const char *path);
/* And behind that: what has come there meanwhile may have been read, so it was before this. */
int files_note_names_end(struct ft_files *files, int folder_fd, const char *path);

/* The same before `path` is made, which must not be there. */
int files_note_make(struct ft_files *files, int folder_fd, const char *path,
                    enum files_place place);

enum files_answer {                  /* of libc */
                    FILES_UNKNOWN,   /* or of no interest */
                    FILES_NOT_THERE, /* to who has looked */
                    FILES_THERE,     /* likewise */
                    FILES_NAMED,     /* to who was to make, remove or rename it: that was done */
                    FILES_EXCLUDED,  /* or not, because there is something already, */
                    FILES_KEPT,      /* or not, for another reason */
};

/* Behind the call that files_note of this thread was for: what it has found may have come between
 * the two, or before. Then that is listed. answer: what libc has found. Returns 0 or -errno. */
int files_note_ends(struct ft_files *files, int folder_fd, const char *path, int follow,
                    enum files_answer answer);

/* The same for another path than the one of this thread's last files_note: FILES_NAMED or
 * what follows it. */
int files_note_named(struct ft_files *files, int folder_fd, const char *path,
                     enum files_answer answer);

/* The same two for an open file. Not for deleted files, and nothing but regular ones. */
int files_note_open_ends(struct ft_files *files, int fd);
int files_note_open(struct ft_files *files, int fd, enum files_change change);

/* As files_note_open, for what is open at a checkpoint: the program does nothing with it now, so it
 * has no place among the accesses. (Other ranks may have gone on already, and would have to wait
 * for it.)
 */
int files_note_held(struct ft_files *files, int fd, enum files_change change);

/* Which one of those since the last MPI call that was no poll the next access of this path, without
 * links, is: ft_undo_look. */
uint64_t files_look_next(const struct ft_files *files, const char *path);

/* Is everything about the file of this status already on record? A quick answer for write(2); then
 * the write is counted, too. */
int files_is_noted(struct ft_files *files, const struct stat *status);

/* A new interval begins: forgets what was on record. Records of an abandoned checkpoint of the same
 * number are given to the interval before it. */
void files_record_interval(struct ft_files *files, uint32_t interval);

/* Nothing is on record, because it was undone. In a new life; calls: how many MPI calls that are no
 * polls the rank has entered. */
void files_record_forget(struct ft_files *files, uint64_t calls);

/* One record of the sizes of the files open for writing (paths and statuses, in pairs). */
struct files_size {
    const char *path;
    struct stat status;
};
int files_record_sizes(struct ft_files *files, const struct files_size *size, int count);

#endif
