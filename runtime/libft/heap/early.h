/* early: finds who asks for memory or threads before main.
 *
 * Constructors of the program's shared libraries run before __libc_start_main, at ft_depth 1,
 * and so do those of the MPI library. The data of the former is in the image, so the memory to
 * which it points must be, too. The caller's address tells them apart: a module whose data is
 * saved is the program's. Thread rule: constructors run one after the other; lookups change
 * nothing. */
#ifndef FT_HEAP_EARLY_H
#define FT_HEAP_EARLY_H

extern int ft_early; /* 0: main is near, or the program runs natively; nobody is looked up */

/* Does the code at `caller` belong to the program? 0 once ft_early_end was called, natively, and as
 * long as libc has no environment. */
int ft_early_asks(const void *caller);

/* From here on ft_depth tells. */
void ft_early_end(void);

#endif
