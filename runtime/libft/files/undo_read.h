/* undo_read: the records of some parties, read, verified and sorted (undo.c, undo_share.c).
 * Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_READ_H
#define FT_FILES_UNDO_READ_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

#include "files/undo.h"
#include "files/undo_pile.h"

#define FAILED 3072 /* FT_WIRE_PATH */

struct undo_file {
    char *name, *buffer;
};

struct undo {
    struct undo_pile changed; /* of .undo files */
    struct undo_pile seen;    /* of .reads files */
    struct undo_file *file;   /* where all of them stand */
    size_t files, file_room;
    char *failed; /* the caller's; FT_UNDO_PATH bytes are not promised: FAILED are */
};

enum undo_extent {
    UNDO_BACK, /* what was changed since each party's checkpoint */
    UNDO_ALL   /* all changes and reads that are on record */
};

/* Remembers the path that is the reason; returns code. */
int undo_fail(struct undo *undo, const char *path, int code);
/* Reads the records into *undo, whose `failed` is set. 0 or -errno; undo_close in any case. */
int undo_read(struct undo *undo, const struct ft_undo_party *parties, int count,
              enum undo_extent extent);
void undo_close(struct undo *undo);
/* The next entry; NULL: there is none, or it cannot be read, and *code says why. Records that are
 * not seen are not undone, and nobody would notice. */
struct dirent *undo_next(DIR *stream, int *code);
/* Interval of a record file's name with this ending, or -1 when it is not one. */
int64_t undo_interval(const char *name, const char *ending);
/* The same of the name of a list of reads. */
int64_t undo_reads_interval(const char *name);
/* The name of the .data file of a record of changes. */
void undo_data_name(const struct record *record, char name[FAILED]);

#endif
