/* settle: files that were put back (design.md, "Output, input, files"). What an access waits for is
 * in settle_await.c, the lists that tell it in settle_list.c.
 *
 * When ranks of another cluster go back their files go back with them, and for a while lack what
 * this rank may have been told of. ftrun lists their paths, and says in the recorder when all ranks
 * are where they were (putback/settle.c). Until then an access of such a path waits, where the rank
 * itself is as far as it was; and so does a change of what they had read, or looked for in vain,
 * because they do that again. Where it does again what it did, it accesses what ranks that go back
 * share in the old order (putback/turns.c).
 *
 * Nobody waits for ever: what ranks do again needs nothing that was not there before the failure,
 * and what an access waits for was before it. What the life before had sent for a collective in a
 * poll is sent in such a wait, because polls are given again at once. */
#ifndef FT_FILES_SETTLE_H
#define FT_FILES_SETTLE_H

#include "files/record.h"
#include "process.h"

enum files_kind {                /* what is asked for */
                  FILES_PATH,    /* a name, and what it stands for */
                  FILES_CHANGE,  /* the same, to change what is there, or to make it */
                  FILES_REMOVE,  /* the same, to take it away if it is there */
                  FILES_REPLACE, /* the same, to give it to another file */
                  FILES_MAKE,    /* the same, to make it if it is not there */
                  FILES_FOLDER,  /* the names in it */
                  FILES_ANYTHING /* nobody knows */
};

/* Waits while `path` (relative to `folder`), or what is in it, is another rank's to write again. A
 * safe point, if it waits. */
void files_settle(struct ft_rank *self, int folder, const char *path, enum files_kind kind,
                  const char *call, const void *site);
/* The same before `path` is made, which must not be there. */
enum files_place files_settle_make(struct ft_rank *self, int folder, const char *path,
                                   const char *call, const void *site);
/* The same before the names in the folder `path` are read, for what was there. */
void files_settle_names(struct ft_rank *self, int folder, const char *path, const char *call,
                        const void *site);
/* The same before a name goes away. 1: it is not there, and the call has to fail so
 * without libc: it may be there a moment later. */
int files_settle_removal(struct ft_rank *self, int folder, const char *path, const char *call,
                         const void *site);
/* The same for an open file. */
void files_settle_open(struct ft_rank *self, int fd, enum files_kind kind, const char *call,
                       const void *site);
/* The rank has just come back from a checkpoint. */
void files_settle_back(const struct ft_rank *self);
/* Is this path, absolute and without links, in the list, and the list in force? */
int files_is_unsettled(const struct ft_rank *self, const char *path);
#endif
