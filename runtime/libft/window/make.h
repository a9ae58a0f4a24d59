/* make: real windows, inside of the room. */
#ifndef FT_WINDOW_MAKE_H
#define FT_WINDOW_MAKE_H

#include "window/window.h"

/* Makes win->real from the rest; its members do so together. An MPI code. */
int ft_win_make(struct ft_rank *self, struct ft_win *win);

#endif
