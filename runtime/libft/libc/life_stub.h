/* life_stub: lives of a process for life_test, without ftrun and without MPI. */
#ifndef FT_LIFE_STUB_H
#define FT_LIFE_STUB_H

#include <setjmp.h>
#include <stdint.h>

/* Runs the program on a stack of the image. undo: folder of undo records; NULL: natively. */
void life_first(const char *undo, void (*program)(void));
/* Saves the image (with the executable's data) and dies; returns in the next life. Natively
 * nothing. */
void life_checkpoint(uint32_t number, const char *image, char *data, char *data_end);
void life_next(const char *undo, const char *image, char *data, char *data_end);
/* Why no image could be taken now, or NULL. */
const char *life_obstacle(void);

#endif
