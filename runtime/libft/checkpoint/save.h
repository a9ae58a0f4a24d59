/* save: what stands before every image, a checkpoint's or a survivor's. Thread rule: the thread
 * that calls MPI. */
#ifndef FT_CHECKPOINT_SAVE_H
#define FT_CHECKPOINT_SAVE_H

#include "image/image.h"
#include "process.h"

/* Why no image can be taken now, or NULL. */
const char *checkpoint_obstacle(struct ft_rank *self);
/* The same after a drain. */
const char *checkpoint_obstacle_drained(struct ft_rank *self);
/* Copies into the image what lies outside of it. checkpoint: its number; -1: none, the rank leaves
 * its epoch, and files stay as they are. 0 or -errno. */
int checkpoint_save(struct ft_rank *self, int64_t checkpoint);
struct ft_image_info checkpoint_info(const struct ft_rank *self, uint32_t checkpoint);
/* Bytes that stand unread in rank 0's standard input. */
uint64_t checkpoint_stdin_left(const struct ft_rank *self);

#endif
