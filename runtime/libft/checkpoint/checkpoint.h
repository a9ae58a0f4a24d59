/* checkpoint: the gate where ranks are held, and the image taken there. (ft_gate_enter is declared
 * in process.h, because every wrapper calls it.)
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_CHECKPOINT_H
#define FT_CHECKPOINT_H

#include "process.h"

/* Takes this rank's part of a checkpoint: drains, saves, clones the writer, reports SNAPSHOT, and
 * returns while the writer works. It returns a second time in each life that is restored from the
 * image. On an obstacle or lack of memory SNAPSHOT carries the reason and the rank goes on.
 * held: seconds at the gate so far; noted: ft_files_hold was called there. Must be called by all
 * ranks, with none behind. */
void ft_checkpoint_take(struct ft_rank *self, const struct ft_wire_freeze *freeze, double held,
                        int noted);

/* Leaves the epoch (LEAVE): drains, saves, writes the image into memory, reports LEFT, and waits
 * for EXEC. It returns in the next life, be it of this process or of another. On an obstacle LEFT
 * carries the reason, and it never returns. Must be called by all ranks of the cluster. */
void ft_checkpoint_leave(struct ft_rank *self);

/* The rank cannot leave: LEFT carries the reason, and ftrun ends this process; the cluster rolls
 * back. */
_Noreturn void ft_checkpoint_stay(int code, const char *reason);

/* ft_drain; does not return when the rank cannot leave because of it. */
void ft_checkpoint_drain(struct ft_rank *self, int death);

/* In each life with --protocol spbc, when BOOT has come: from now on ftrun may call the rank by a
 * signal while it computes. */
void ft_interrupt_start(void);

/* In a new life with --protocol spbc: waits until all ranks are as far. */
void ft_gate_wait(struct ft_rank *self);

/* Waits for LEAVE, and leaves the epoch: it returns in the next life. */
void ft_gate_leave(struct ft_rank *self);

/* END has come. */
_Noreturn void ft_gate_end(void);

/* Keeps what ft_exec_again needs; first thing in a process. */
void ft_exec_remember(char **argv);
/* Executes the program again, on the same control socket. The program's descriptors stay open. */
_Noreturn void ft_exec_again(struct ft_rank *self);

/* Debug builds: panics when handles, streams or the log are not as their headers say. */
#ifdef NDEBUG
static inline void ft_checkpoint_validate(const struct ft_rank *self)
{
    (void)self;
}
#else
void ft_checkpoint_validate(const struct ft_rank *self);
#endif

#endif
