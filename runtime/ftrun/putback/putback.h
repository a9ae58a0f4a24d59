/* putback: files when clusters roll back.
 *
 *     putback.c     how far files that ranks share take everybody back, and what is undone
 *     nameless.c    files without a name that clusters share
 *     folders.c     new folders that are not removed
 *     settle.c      files are off limits until all ranks are where they were
 *
 * What the ranks have left on record is read by files/undo*.c. Thread rule: one thread. */
#ifndef FT_PUTBACK_H
#define FT_PUTBACK_H

#include "files/undo.h"
#include "run/run.h"

/* putback.c */
/* A file that ranks share by writing takes all clusters back, to checkpoints of before the first
 * access that is undone. 1: more clusters roll back than before; 0: no; -1 after a message: the
 * file cannot be put back. */
int ft_files_fit(struct ft_run *run);
/* Undoes what the fallen clusters have done to files since their checkpoints. 0, or -errno after a
 * message. */
int ft_files_undo(struct ft_run *run);
/* Would a checkpoint of `cluster`, of this moment (ft_loop_now), not fit the newest checkpoints of
 * the others, because ranks share a file by writing? Then path (FT_WIRE_PATH bytes) is that file.
 */
int ft_files_shared(const struct ft_cluster *cluster, double moment, char *path);
/* Notes a committed checkpoint: ft_files_drop needs its moment. */
void ft_files_note_cut(struct ft_cluster *cluster, const struct ft_manifest *manifest);
/* Removes the records that no kept checkpoint needs. */
void ft_files_drop(struct ft_run *run);

/* settle.c */
/* Files were undone. all: everybody rolled back to one moment; else ranks must not use paths
 * until those that rolled back are where they were (files/settle.h). */
void ft_settle_begin(struct ft_run *run, int all);
/* The epoch runs: looks until that is so. stuck: is called once, after a message, if that does not
 * come: nothing has moved for 30 s. */
void ft_settle_watch(struct ft_run *run, void (*stuck)(struct ft_run *run));

/* nameless.c */
/* Has a rank of the cluster a file without a name open that a rank of another cluster of the start
 * has open, too, and one of the two may write? Then path (FT_WIRE_PATH bytes) is what it was
 * called. */
int ft_nameless_shared(const struct ft_cluster *cluster, char *path);

/* folders.c */
struct ft_folders {               /* context of ft_folders_tell */
    struct ft_cluster **clusters; /* [parties] */
    int all;                      /* nobody stays */
};
/* Decides about a folder that a rank has made (ft_undo_each). */
int ft_folders_tell(void *context, const char *path, int party, int place,
                    enum ft_undo_folder fate);

#endif
