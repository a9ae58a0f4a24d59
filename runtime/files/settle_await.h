/* settle_await: what an access of a file has to wait for now.
 *
 * Thread rule: any thread, each with names of its own. */
#ifndef FT_FILES_SETTLE_AWAIT_H
#define FT_FILES_SETTLE_AWAIT_H

#include <stdint.h>

#include "files/settle.h"

struct names { /* of what is accessed */
    int folder;
    const char *path;                               /* as given; NULL: the others are known */
    char plain[FT_UNDO_PATH], target[FT_UNDO_PATH]; /* before links, and as far as they count */
    int known;                    /* 0: they are what they will be when a folder has come: */
    char gap[FT_UNDO_PATH];       /* this one; */
    int lost;                     /* or 1: nobody knows */
    int back;                     /* 1: this folder was put back */
    int asked;                    /* the following is so now, as far as lists are in force */
    int there, missing;           /* missing: that is sure */
    int listed;                   /* 1: something is, since the name has changed, */
    int later;                    /* 1: and something is behind this access, */
    int due;                      /* 1: and a change of the name is due by now, */
    int matched;                  /* 1: and that is what this access is, */
    enum ft_access_change change; /* with this change, */
    enum ft_access_needs needs;   /* and it had found or needed this */
    int early;                    /* 1: and it would not find now what it found then */
    uint32_t looked;              /* number of such a turn that was given */
};

/* Looks at the lists that are in force, and fills in *names but for the path and its folder. The
 * number of an access that is to come before, FT_AWAITS_ALL, or 0: it waits for nothing. */
uint32_t files_awaits(const struct ft_rank *self, struct names *names, enum files_kind kind);

/* Does the rank do again what it did before its cluster went back? */
int files_is_again(const struct ft_rank *self);

/* Did the access, as files_awaits has found it, have the folder that is missing now, and is
 * somebody to make it again? (A survivor may have removed it for good.) Who has found nothing finds
 * nothing either way: that folder may be gone again, and nobody waits for such a look. */
int files_is_below_missing(const struct names *names);

#endif
