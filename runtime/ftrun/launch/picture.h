/* picture: --report and --trace-export. */
#ifndef FT_LAUNCH_PICTURE_H
#define FT_LAUNCH_PICTURE_H

#include <stddef.h>
#include "run/run.h"

/* The path of the file that is to hold the events, "": none is needed. Without --events it is in
 * memory. 0 or -errno. */
int ft_picture_open(struct ft_run *run, char *path, size_t size);
/* Writes the page and the trace that were asked for, when all events are there; warns where that
 * fails. */
void ft_picture_write(const struct ft_run *run, const char *events);

#endif
