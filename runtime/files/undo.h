/* undo: puts files back to what they were at a checkpoint. Used by ftrun, before any rank starts;
 * libft_undo.a has it alone, without the runtime. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_H
#define FT_FILES_UNDO_H

#include <limits.h>
#include <stdint.h>

#include "files/format.h"

#define FT_UNDO_STAYS INT_MAX

/* Ranks that go back to one of their checkpoints together, or stay as they are. Borrows all. */
struct ft_undo_party {
    const char *const *folders; /* [count] of their undo records */
    int count;
    int number;   /* the checkpoint; -1: the start; FT_UNDO_STAYS: they do not go back */
    uint64_t cut; /* CLOCK_MONOTONIC, ns: the moment of that checkpoint, or the present one */
};

/* A file that two parties share, and that cannot be as one of them needs it while the other keeps
 * what it did: `early` goes back, and has changed the file since its checkpoint, first at `time`,
 * or looked for it then and found something else than it would find again; `late` has changed it,
 * too, or would read it again, and keeps what it did between that moment and its own. It must go
 * back to before `time`, or stay and take `early` along. */
struct ft_undo_misfit {
    int early, late; /* indices */
    uint64_t time;   /* as ft_undo_party.cut */
    char path[3072];
};

enum ft_undo_fate {
    FT_UNDO_PENDING, /* has a change to be undone */
    FT_UNDO_STAYED,  /* a new folder, left standing, because somebody else has filled it */
    FT_UNDO_LENT,    /* a folder that is gone, and was made for what was in it, or will be again: to
                      * be removed when that is gone again, too */
    /* questions: */
    FT_UNDO_GOES,  /* a new folder is about to be removed, if it is empty. 1: it stays */
    FT_UNDO_NEEDED /* what was in a folder that is gone cannot be put back. 1: it is lent */
};

typedef int ft_undo_each(void *context, const char *path, enum ft_undo_fate fate);
/* Undoes all changes of files that each party made after its checkpoint, and removes the records.
 * A file that several ranks changed is put back once, by the earliest record: so all that go back
 * must be given at once, and must fit each other (ft_undo_fit). Returns 0, or -errno with the path
 * that could not be read or put back in `failed` (3072 bytes): -EBADMSG a damaged record or copy,
 * -ESTALE a file that lost bytes to somebody else; in these cases nothing was changed. Any other
 * error can be tried again: the records are still there. `each` (or NULL) is told each path that
 * has a change to be undone, once, after all was verified and before the first file is touched;
 * folders that are not as their records tell it, or have none, later. Without it no folder
 * is lent, and those that are not empty stay. */
int ft_undo_apply(const struct ft_undo_party *parties, int count, char *failed, ft_undo_each *each,
                  void *context);

/* Is there a file that cannot be put back, or that a party that goes back would not find as it was?
 * 0: no; 1: yes, *misfit is the first, by name; or -errno, as above, with misfit->path. `late`:
 * only misfits of this party; -1: of all. Nothing is changed. A rank that has a file open for
 * writing counts as one that changes it, because what a stream writes passes unseen. Reads are
 * those that are on record (.reads), of parties that go back. */
int ft_undo_fit(const struct ft_undo_party *parties, int count, int late,
                struct ft_undo_misfit *misfit);

/* An access of the rank at `place` of a party. 0 to go on. */
typedef int ft_undo_access_each(void *context, int party, int place,
                                const struct ft_undo_access *access);
/* Tells all accesses of files since the checkpoints of these parties, those of a rank in order. To
 * be called before ft_undo_apply, which removes the lists. 0 or -errno, as there. */
int ft_undo_accesses(const struct ft_undo_party *parties, int count, char *failed,
                     ft_undo_access_each *each, void *context);

/* Removes the records that precede checkpoint `number`. 0 or -errno. */
int ft_undo_drop(const char *folder, int number);

#endif
