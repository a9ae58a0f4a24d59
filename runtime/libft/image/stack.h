/* stack: the program's own stack, at a fixed address, with a guard page below it. */
#ifndef FT_STACK_H
#define FT_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Maps the stack: `bytes` long (0: as RLIMIT_STACK says, and a reserve for the runtime), ending at
 * FT_STACK_TOP. An unlimited one has 64 GiB, or what can be had. 0 or -errno. */
int ft_stack_open(size_t bytes);
size_t ft_stack_bytes(void);

/* From where on the image saves it: the safe point's stack pointer, less the red zone. 0: the safe
 * point is on another stack, such as a coroutine's in the heap; what is in use of this one nobody
 * knows, so all pages that were ever touched are saved. */
void ft_stack_mark(uint64_t pointer);
uintptr_t ft_stack_low(void);

#endif
