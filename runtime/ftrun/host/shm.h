/* shm: what killed ranks leave behind in shared memory, and the guardian that cleans up when ftrun
 * itself was killed.
 *
 * UCX puts its segments where UCX_POSIX_DIR says: a private folder (0700) in /dev/shm that ftrun
 * makes and removes; the slots' socket lies there, too. MPICH makes /dev/shm/mpich_shar_tmpXXXXXX
 * while it initialises and removes the name when all ranks of the node have it: inotify tells about
 * the name, /proc tells which of our ranks has it open. System V segments carry the pid of their
 * creator. So exactly the leftovers of our own dead ranks are removed.
 *
 * The guardian is a forked copy of ftrun that sleeps on a pipe until ftrun has ended. Without a
 * farewell it removes the same things, those too that ftrun had not heard of yet, and kills what
 * the ranks may have started. Thread rule: single threaded. */
#ifndef FT_SHM_H
#define FT_SHM_H

#include <sys/types.h>

struct ft_shm;

/* Makes the folder (its old name when `folder` is not NULL: a restart keeps the environment) and
 * starts the guardian. bereaved (may be NULL): called in the guardian when ftrun was killed and all
 * ranks are dead, with the memory of ftrun as it is now. 0 or -errno; -EBUSY: the folder is in use
 * by another ftrun. */
int ft_shm_create(int size, const char *folder, void (*bereaved)(void *context), void *context,
                  struct ft_shm **out);
/* Removes the folder, sends the guardian home and waits for it. NULL is allowed. */
void ft_shm_destroy(struct ft_shm *shm);
const char *ft_shm_folder(const struct ft_shm *shm);
int ft_shm_watch(const struct ft_shm *shm);       /* descriptor to be watched for input; -1: none */
void ft_shm_notice(struct ft_shm *shm);           /* the descriptor has input */
pid_t *ft_shm_rank(struct ft_shm *shm, int rank); /* where the pid of a rank's process is kept */
/* Its process has ended, and nobody else is in its group: the guardian kills nothing for it. */
void ft_shm_forget(struct ft_shm *shm, int rank);
/* All ranks of the epoch are dead and reaped: removes what they left. */
void ft_shm_sweep(struct ft_shm *shm);

#endif
