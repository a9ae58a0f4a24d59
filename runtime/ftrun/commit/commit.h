/* commit: checkpoints of clusters, and of all ranks.
 *
 *     checkpoint.c  from the order to the freeze
 *     commit.c      writers, commit, and when the next one is due
 *     spread.c      before it: copies of images on other nodes (--local)
 *     interval.c    how long that is
 *     join.c        clusters that use the same files become one, or all do for one checkpoint
 *     whole.c       checkpoints of all ranks at one moment, which --restart can continue
 *     finalize.c    MPI_Finalize, which waits for a checkpoint that is being taken
 *
 * Thread rule: one thread. */
#ifndef FT_COMMIT_H
#define FT_COMMIT_H

#include "run/run.h"

/* checkpoint.c */
void ft_checkpoint_begin(struct ft_cluster *cluster); /* now, or as soon as possible */
/* The same out of turn, because another team of copies waits for the image; now or not at all. */
void ft_checkpoint_begin_now(struct ft_cluster *cluster);
/* Begins a checkpoint of all ranks; with clusters at one moment. */
void ft_checkpoint_begin_all(struct ft_run *run);
void ft_checkpoint_begin_last(struct ft_run *run); /* the same, and the run stops behind it */
/* Begins a checkpoint of all ranks as soon as a job can be continued from it: not while a rank
 * does again what it has done, or a file is to be written again (whole.c). */
void ft_checkpoint_begin_later(struct ft_run *run);
/* REQUEST: `why`, and `count` clusters */
void ft_checkpoint_request(struct ft_member *member, int64_t why, const void *clusters,
                           size_t count);
void ft_checkpoint_order(struct ft_cluster *cluster); /* from the start of an epoch from main */
void ft_checkpoint_gate(struct ft_member *member, const struct ft_wire_gate *gate);
void ft_checkpoint_held(struct ft_member *member);       /* HELD */
void ft_checkpoint_ungather(struct ft_cluster *cluster); /* lets the ranks go that have stopped */
void ft_checkpoint_fail(struct ft_cluster *cluster, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* the one being taken; the first reason is kept */
int ft_checkpoint_is_open(const struct ft_run *run); /* is a cluster being gathered or frozen? */

/* commit.c */
/* reason "": none was given. 1: the last checkpoint of a run that stops is committed. */
int ft_commit_snapshot(struct ft_member *member, const struct ft_wire_snapshot *snapshot,
                       const char *reason);
int ft_commit_writer(struct ft_member *member, int status); /* its writer was reaped; likewise */
void ft_commit_written(struct ft_member *member, const struct ft_wire_written *written);
int ft_commit_check(struct ft_cluster *cluster);  /* something may be complete; likewise */
void ft_commit_abort(struct ft_cluster *cluster); /* its ranks are dead: nothing is being taken */
void ft_commit_schedule(struct ft_cluster *cluster); /* arms the timer of the next one */
/* Begins the checkpoint of the next cluster behind this one that wants one, if any. Clusters may be
 * joined by this, and `cluster` with them. */
void ft_commit_next(const struct ft_cluster *cluster);

/* spread.c */
/* Are the images of the next checkpoint to lie on the nodes? */
int ft_spread_choose(struct ft_cluster *cluster);
void ft_spread_begin(struct ft_cluster *cluster); /* all are written: orders the copies */
/* COPIED; why "": they are complete. 1: the last checkpoint of a run that stops is committed. */
int ft_spread_copied(struct ft_run *run, const struct ft_node *node, int64_t checkpoint,
                     const char *why);
int ft_spread_lost(struct ft_run *run, const struct ft_node *node); /* the node is; likewise */
void ft_spread_full(struct ft_cluster *cluster); /* the next checkpoints go to the store */
void ft_spread_note(struct ft_cluster *cluster, const struct ft_manifest *manifest); /* committed */

/* join.c */
/* The cluster whose checkpoint is to be begun: `cluster`, or one of all ranks, in the place of all
 * clusters, if ranks share a file. */
struct ft_cluster *ft_join_sharers(struct ft_cluster *cluster);
/* One of all ranks for one checkpoint (whole.c). */
struct ft_cluster *ft_join_all(struct ft_cluster *cluster);
int ft_join_is_joined(const struct ft_cluster *cluster); /* is it made of several? */
void ft_join_keep(struct ft_cluster *joined); /* it has a checkpoint: its parts are gone */
void ft_join_undo(struct ft_run *run);        /* the one that has none ends; its parts are back */

/* whole.c */
/* With clusters: are these all ranks? Then its checkpoints are such ones. */
int ft_whole_is(const struct ft_cluster *cluster);
int ft_whole_is_due(const struct ft_run *run); /* has the next checkpoint to be of all ranks? */
/* Is one being gathered for which a rank keeps all others waiting too long? Then it is no more:
 * the clusters are as they were, and `cluster` is gone. */
int ft_whole_give_up(struct ft_cluster *cluster);
/* One could not be taken: clusters take their own first, and it is tried half as often. */
void ft_whole_missed(struct ft_run *run);
/* Does nobody do again what he has done, and is no file to be written again? */
int ft_whole_is_up_to_date(const struct ft_run *run);
/* All its images are taken, or it is given up: if it is one of all ranks, they may go on. */
void ft_whole_taken(const struct ft_cluster *cluster, uint32_t checkpoint);
/* Before the commit: files of messages that the images refer to. 0 or -errno. */
int ft_whole_save_logs(const struct ft_run *run, const struct ft_manifest *manifest);
/* It is committed, and the clusters that were joined for it are as they were: each has its part. */
void ft_whole_share(struct ft_run *run, const struct ft_manifest *whole);
/* The same of a cluster that all ranks belong to. */
void ft_whole_note(const struct ft_cluster *cluster);
/* It stays in the store, if the job can be continued from it. Takes the manifest. */
void ft_whole_keep(struct ft_run *run, struct ft_manifest *whole);
/* A cluster rolls back to that checkpoint (NULL: to main), and files with it: the job cannot be
 * continued from those of all ranks that are newer. Before any file is put back, and none may be
 * where it fails. 0 or -errno. */
int ft_whole_renounce(struct ft_run *run, const struct ft_manifest *to);
int ft_whole_continues(const struct ft_run *run); /* can --restart do anything with the store? */
/* The job is continued from it, which it takes. 0 or -errno. */
int ft_whole_take(struct ft_run *run, struct ft_manifest *whole);

/* finalize.c */
/* Sends FINALIZE when all wait for it, and no rank is called to the gate or held there. A caller
 * that releases the last held rank must call this. */
void ft_finalize_all(struct ft_run *run);

#endif
