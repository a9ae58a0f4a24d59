/* spare: large blocks that the allocator gave back, kept mapped for its next requests, at most 64
 * MiB.
 *
 * Thread rule: any thread; a lock. The list lies in the heap's record, so an image brings it back.
 */
#ifndef FT_HEAP_SPARE_H
#define FT_HEAP_SPARE_H

#include <stddef.h>

/* `length` bytes of zeros, a multiple of the page, from a spare that is aligned to `align`; NULL
 * when none fits. The caller owns them as if ft_heap_map had mapped them. */
void *ft_heap_spare_take(size_t length, size_t align);

/* Keeps the block [address, address + length) of ft_heap_map, whatever its protection, instead of
 * unmapping it. 0 when it is too small, or there are enough: then it is still the caller's. */
int ft_heap_spare_keep(void *address, size_t length);

/* Unmaps all spares: before this process writes its own image. */
void ft_heap_spare_drop(void);

#endif
