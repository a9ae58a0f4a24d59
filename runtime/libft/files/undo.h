/* undo: puts files back to what they were at a checkpoint, and finds the files that ranks share.
 * Used by ftrun, before any rank starts; libft_undo.a has it alone, without the runtime. Thread
 * rule: single threaded. */
#ifndef FT_FILES_UNDO_H
#define FT_FILES_UNDO_H

#include <limits.h>
#include <stdint.h>

#include "files/format.h"

#define FT_UNDO_STAYS INT_MAX

/* The moment (CLOCK_MONOTONIC, ns) at which the party's ranks ended an interval by a checkpoint;
 * UINT64_MAX: they have not. */
typedef uint64_t ft_undo_end(const void *context, uint32_t interval);

/* Ranks that roll back to one of their checkpoints together, or keep all that they did. Borrows
 * all.
 */
struct ft_undo_party {
    const char *const *folders; /* [count] of their undo records */
    int count;
    int number;       /* the checkpoint; -1: the start; FT_UNDO_STAYS: they do not roll back */
    uint64_t cut;     /* CLOCK_MONOTONIC, ns: the moment of that checkpoint, or the present one */
    ft_undo_end *end; /* of its intervals, for ft_undo_shared; called with context */
    const void *context;
};

/* A file that two ranks share by writing. */
struct ft_undo_share {
    int party[2], place[2]; /* the two ranks: index of the party, and of the rank in it */
    uint64_t time; /* as ft_undo_party.cut: everybody must roll back to a checkpoint before it */
    char path[3072];
};

/* Does a file that two ranks share by writing keep these parties from rolling back to these
 * moments, while the others stay? 0: no; 1: yes, and *share is the file which needs the earliest
 * moment; or -errno, as in ft_undo_apply, with share->path. Changes nothing. undo_share.c has
 * the rule. */
int ft_undo_shared(const struct ft_undo_party *parties, int count, struct ft_undo_share *share);

enum ft_undo_folder {
    FT_UNDO_GOES,  /* a folder that the rank has made is about to be removed. Answer 1: it stays */
    FT_UNDO_STAYED /* it stays, because the answer was 1, or something is in it */
};

/* Is told of a folder that a rank has made: the rank is the one at `place` of a party. */
typedef int ft_undo_each(void *context, const char *path, int party, int place,
                         enum ft_undo_folder fate);

/* Undoes all changes of files that each party made after its checkpoint, and removes the
 * records. A file that several ranks changed is put back once, by the earliest record: so all
 * that roll back must be given at once, and must fit each other (ft_undo_shared). `each` may be
 * NULL: then folders that are not empty stay. Returns 0, or -errno with the path that could not
 * be read or put back in `failed` (3072 bytes): -EBADMSG a damaged record or copy, -ESTALE a
 * file that lost bytes to somebody else; in these cases nothing was changed. Any other error can
 * be tried again: the records are still there. */
int ft_undo_apply(const struct ft_undo_party *parties, int count, char *failed, ft_undo_each *each,
                  void *context);

/* Removes the records that precede checkpoint `number`. 0 or -errno. */
int ft_undo_drop(const char *folder, int number);

#endif
