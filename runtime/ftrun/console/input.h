/* input: standard input for rank 0, across rollbacks.
 *
 * ftrun keeps all that it reads in a spool file of the store, so a life that begins at a
 * checkpoint gets the bytes that its image had not consumed. Nothing is read before rank 0's
 * pipe has taken what was read before. Thread rule: single threaded. */
#ifndef FT_INPUT_H
#define FT_INPUT_H

#include <stdint.h>
#include "host/loop.h"

struct ft_input;

/* spool: path of the file; what it holds already (a restart) is fed first, and a standard input
 * that is a file is read from behind that, as it stands. lost: is called once, when rank 0 would
 * wait for ever: the standard input has failed with `error`, or the spool has lost what it held
 * (0); no function of this header may be called from it. 0 or -errno. */
int ft_input_create(struct ft_loop *loop, const char *spool, void (*lost)(void *context, int error),
                    void *context, struct ft_input **out);
/* One for the second copy of rank 0 (--replicas): it gets what the first one's has read, from the
 * same spool. `source` outlives it. 0 or -errno. */
int ft_input_copy(struct ft_input *source, struct ft_input **out);
/* Can a job go on that has read so many bytes? Before anything else. 0; -ENODATA: nobody knows all
 * of them, and the standard input is no file; -EBADMSG: it is a file, and not the one they are of;
 * -errno. */
int ft_input_check(const struct ft_input *input, uint64_t read);
void ft_input_destroy(struct ft_input *input); /* NULL is allowed */
/* Feeds a new life through `pipe` (taken over, non-blocking) from byte `position` on. */
void ft_input_attach(struct ft_input *input, int pipe, uint64_t position);
void ft_input_detach(struct ft_input *input); /* rank 0 is dead */
/* While a checkpoint is being taken nothing is written, so that the position stands still. */
void ft_input_pause(struct ft_input *input, int paused);
uint64_t ft_input_written(const struct ft_input *input); /* bytes written to this life's pipe, and
                                                            before it */
uint64_t ft_input_kept(const struct ft_input *input);    /* up to this byte the spool has it */
/* Has on the disk what the spool has from this byte on, for a job that is continued. 0, or -errno:
 * it may not be, and is not where that byte is not behind what could not be written once. */
int ft_input_sync(struct ft_input *input, uint64_t from);
void ft_input_drop(struct ft_input *input, uint64_t before); /* no rollback goes before this byte */

#endif
