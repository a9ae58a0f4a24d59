/* undo_read: the records of some parties, read, verified and sorted (undo.c, undo_fit.c).
 * Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_READ_H
#define FT_FILES_UNDO_READ_H

#include <stddef.h>
#include <stdint.h>

#include "files/format.h"
#include "files/undo.h"

#define FAILED 3072 /* FT_WIRE_PATH */

struct record {   /* one record file */
    char *name;   /* path of the .undo file */
    char *buffer; /* its bytes */
    uint32_t interval;
    int party; /* whose it is, an index */
    uint64_t time, boot;
};

struct state { /* an entry of a record */
    const struct ft_undo_entry *entry;
    const char *path, *target;
    const struct record *record;
};

struct undo {
    struct record *record;
    size_t records, record_room;
    struct state *state;
    size_t states, state_room;
    char *failed; /* the caller's; FT_UNDO_PATH bytes are not promised: FAILED are */
};

/* Remembers the path that is the reason; returns code. */
int undo_fail(struct undo *undo, const char *path, int code);
/* Reads what follows each party's checkpoint, or everything, into *undo, whose `failed` is set:
 * records in the order of time, states by path and time. 0 or -errno; undo_close in any case. */
int undo_read(struct undo *undo, const struct ft_undo_party *parties, int count, int everything);
void undo_close(struct undo *undo);
/* Interval of a record file's name with this ending, or -1 when it is not one. */
int64_t undo_interval(const char *name, const char *ending);
/* One past the last state of the path of state `at`. */
size_t undo_group_end(const struct undo *undo, size_t at);

#endif
