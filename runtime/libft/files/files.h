/* files: the program's open files and what it did to the file system since the oldest checkpoint.
 *
 * Open descriptors are found by reading /proc/self/fd at the safe point: regular files, folders,
 * terminals, /dev/null and the standard streams belong to the program; sockets, FIFOs, memfds and
 * anonymous inodes belong to the MPI library, and so does what lies in /dev/shm, /proc and /sys,
 * unless the program has opened it, which is noted at the open (claim.h). The runtime's own
 * descriptors have high numbers (ft_files_own).
 *
 * A rollback to checkpoint k undoes every change of file contents made after k: each rank keeps
 * undo records in the folder BOOT names, numbered by the checkpoint they follow. Records are made
 * by wrappers of the calls that destroy (open with O_TRUNC or for writing, fopen "w" "a" "r+",
 * truncate, unlink, rename, a backward seek or pwrite on a writable file), at the first such act on
 * a file after a checkpoint. Records of several ranks about one file are resolved by time: the
 * earliest record after the checkpoint tells what the file was (undo.c has the argument), so a
 * record that a rank makes after another rank has written does no harm.
 *
 * With several clusters the paths that a rank reads are on record, too. ftrun compares the records
 * of all ranks: when two share a file by writing, all ranks take checkpoints and roll back together
 * (undo_share.c).
 *
 * Not undone: modes, owners and times alone (chmod, utimes), what child processes of the program
 * do, and what passes by these calls (io_uring, mappings: MAP_SHARED of a writable file is
 * refused by the heap). The rename of a folder, and the removal or rename of one of several hard
 * links, are refused. Records survive SIGKILL, not a crash of the machine. */
#ifndef FT_FILES_H
#define FT_FILES_H

#include "process.h"

#define FT_FILES_REASON                                                                            \
    4352 /* bytes of a reason, with its 0: a path, and what is wrong with it                       \
          */

/* Moves a descriptor of the runtime to a high number, close-on-exec; the program never meets it.
 * Returns the new number or -errno. */
int ft_files_own(int fd);

void ft_files_start(struct ft_rank *self); /* first life, before the program's constructors */
/* While no rank of the cluster runs: lists descriptors with offsets, sizes and flags into the
 * image, in place of what was listed before. That it failed ft_files_save tells. */
void ft_files_hold(struct ft_rank *self);
/* At the safe point, behind ft_files_hold, right before the image of checkpoint `number` is taken;
 * other ranks may have gone on: begins a new interval of undo records. Returns 0, or -errno when a
 * record or a copy cannot be written: then no image may be taken, and all goes on as if nothing had
 * been asked. */
int ft_files_save(struct ft_rank *self, uint32_t number);
/* The same when the rank leaves its epoch: contents will not roll back, so records go on. */
int ft_files_leave(struct ft_rank *self);
/* Before an exec: what ft_files_leave has listed, and `control`, stay open over it, and nothing
 * else. 0 or -errno. */
int ft_files_keep_open(struct ft_rank *self, int control);
/* In a new life, after the memory is in, before PMPI_Init: opens everything at its old number and
 * offset, or after an exec takes over what is open. (Contents were rolled back before:
 * ft_undo_apply. Those of a survivor stay as they are.)
 * 0, or -errno with a reason (FT_FILES_REASON bytes), which names the file. */
int ft_files_restore(struct ft_rank *self, char *reason);
/* Behind PMPI_Init, which no rank leaves before all have opened their files: what they left for
 * each other goes (files/nameless.h). */
void ft_files_opened(struct ft_rank *self);
const char *ft_files_obstacle(struct ft_rank *self); /* why no image can be taken now, or NULL */

/* Putting contents back is ftrun's work, before any rank starts: files/undo.h. */

#endif
