/* putback: files that clusters share, when some of them go back.
 *
 *     putback.c     which clusters go back because of files, and what is undone
 *     nameless.c    files without a name that they share
 *     settle.c      files that were put back, until they are what they were
 *     folders.c     new folders that cannot be removed
 *     turns.c       who goes back accesses them in the old order
 *     names.c       the same for names in a folder
 *     below.c       the same for a folder and what is in it
 *     doubt.c       what those had done who died in the middle of a call
 *     untangle.c    in which order names came and went
 *
 * What the ranks have left behind is read by files/undo*.c. Thread rule: one thread. */
#ifndef FT_PUTBACK_H
#define FT_PUTBACK_H

#include "files/undo.h"
#include "run/run.h"

/* putback.c */
/* Because of files: takes back more clusters, or to older checkpoints. 1: more go back than before;
 * 0: no; -1 after a message: that is not possible. */
int ft_files_fit(struct ft_run *run);
int ft_files_undo(struct ft_run *run); /* of all that have fallen; 0 or -errno after a message */
/* Another cluster to which this moment (ft_loop_now) would not fit, as a checkpoint of `cluster`,
 * because of the file `path` (FT_WIRE_PATH bytes); or NULL. */
struct ft_cluster *ft_files_partner(const struct ft_cluster *cluster, double moment, char *path);
/* Which records are kept. */
void ft_files_note_cut(struct ft_cluster *cluster, const struct ft_manifest *manifest);
void ft_files_drop(struct ft_run *run); /* records that nobody can need any more */

/* nameless.c */
/* Another cluster that has a file without a name open, too, which one of the two may write, or
 * NULL. path: what it was called (FT_WIRE_PATH bytes). */
struct ft_cluster *ft_nameless_partner(const struct ft_cluster *cluster, char *path);
int ft_nameless_crosses(const struct ft_run *run); /* have ranks of two clusters such a file? */
struct ft_undo_party;
/* Has a rank that stays a file without a name open that one which goes back has changed since its
 * checkpoint, while it had one? Or does a cluster go back alone to a checkpoint that only all can
 * go back to? parties: [cluster_count]. 1: *misfit is one; 0; or -errno. */
int ft_nameless_fit(const struct ft_run *run, const struct ft_undo_party *parties,
                    struct ft_undo_misfit *misfit);

/* folders.c */
/* What ft_undo_apply tells where all go back to one moment. context: the run. */
int ft_folders_add(void *context, const char *path, enum ft_undo_fate fate);
/* Does a rank that does not go back have it, or a folder below it, as its working directory? */
int ft_folder_is_used(const struct ft_run *run, const char *path);
/* Such a folder stays: it is said, and marked. */
void ft_folder_stay(const struct ft_run *run, const char *path);

/* settle.c */
/* To the list of the run `context`, as ft_undo_apply tells it. */
int ft_settle_add(void *context, const char *path, enum ft_undo_fate fate);
/* All have gone back to one moment: a folder that had stayed before, and was not made again since,
 * goes; of one that was lent the record tells whether it is to be there. */
void ft_settle_afresh(struct ft_run *run);
int ft_settle_publish(struct ft_run *run); /* for the ranks of the next epoch; 0 or -errno */
uint32_t ft_settle_number(const struct ft_run *run); /* of the list; 0: there is none */
void ft_settle_watch(struct ft_run *run); /* the epoch runs: until all are where they were */
void ft_settle_free(struct ft_run *run);

/* turns.c */
int ft_turns_add(struct ft_turns *turns, int rank, const struct ft_undo_access *access);
/* Behind all that were added: what those who died in the middle of one have not done (doubt.c). 0
 * or -ENOMEM. */
int ft_turns_doubt(struct ft_run *run);
/* Those of before the oldest checkpoints that are kept, which nobody does again: they bind nobody.
 */
void ft_turns_forget_past(struct ft_run *run);
int ft_turns_sort(struct ft_turns *turns); /* before the next two; 0 or -errno */
void ft_turns_read(const struct ft_turns *turns, void (*each)(void *context, const char *path),
                   void *context); /* each path that was read */
/* All ranks go back to that moment: what they do behind it need not be in the old order. */
void ft_turns_forget(struct ft_turns *turns, uint64_t time);
int ft_turns_publish(struct ft_run *run); /* for the ranks of the next epoch; 0 or -errno */
enum ft_turns_found { FT_TURNS_NONE, FT_TURNS_WAITING, FT_TURNS_GRANTED };
enum ft_turns_found ft_turns_look(struct ft_run *run); /* whose turn is it? Who waits is told */
void ft_turns_free(struct ft_turns *turns);

#endif
