/* undo_pile: records, and what they tell of each path, in order. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_PILE_H
#define FT_FILES_UNDO_PILE_H

#include <stddef.h>
#include <stdint.h>

#include "files/format.h"

struct record {
    const char *name;  /* path of the file that it stands in */
    const char *bytes; /* whole and verified */
    uint32_t interval;
    int party, place; /* whose it is: index of the party, and of the rank in it */
    uint64_t time, boot;
};

struct state { /* an entry of a record */
    const struct ft_undo_entry *entry;
    const char *path, *target;
    const struct record *record;
};

struct undo_pile {
    struct record *record; /* in the order of time */
    size_t records, record_room;
    struct state *state; /* by path and time */
    size_t states, state_room;
};

/* Makes room in *array for one more of `bytes` each. 0 or -ENOMEM. */
int undo_grow(void **array, size_t count, size_t *room, size_t bytes);
/* Adds a record, whose time and boot are those of its head. 0 or -ENOMEM. */
int undo_pile_add(struct undo_pile *pile, const struct record *record);
/* Sorts the records, and unpacks them into states; reads: they are those of .reads files. 0, or
 * -errno with the record that is the reason: -EBADMSG where an entry may not stand there. Nothing
 * can be added then. */
int undo_pile_unpack(struct undo_pile *pile, int reads, const struct record **bad);
void undo_pile_free(struct undo_pile *pile);
/* Is a older than b? Within a boot the time decides: a rank that missed an abandoned checkpoint is
 * an interval behind. */
int undo_precedes(const struct record *a, const struct record *b);
/* One past the last state of the path of state `at`. */
size_t undo_group_end(const struct undo_pile *pile, size_t at);

#endif
