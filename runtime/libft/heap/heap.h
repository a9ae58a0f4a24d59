/* heap: the program's memory at fixed addresses: a table of address extents inside the region
 * itself, libmimalloc on top of it, and the malloc family that decides who is asking.
 *
 * Invariant: every byte that answers the program (ft_depth == 0) lies in [FT_HEAP_BASE,
 * FT_HEAP_END), and so does all bookkeeping but libmimalloc's own segments, which the image saves.
 * Thread rule: ft_heap_map and ft_heap_unmap lock; the allocator is libmimalloc's. */
#ifndef FT_HEAP_H
#define FT_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include "image/layout.h"

#define FT_HEAP_EXTENTS 65536 /* address extents in use at most */
#define FT_HEAP_SPARES 8
#define FT_HEAP_PAGE 4096UL

struct ft_rank;

struct ft_heap_extent {
    uintptr_t begin, end; /* page aligned */
};

struct ft_heap_spare {
    uintptr_t begin, end; /* page aligned; zeros: none */
};

struct ft_heap {                                /* at FT_HEAP_BASE, in the image */
    uint64_t magic;                             /* FT_HEAP_MAGIC once it is laid out */
    struct ft_rank *self;                       /* the rank's state: found again after a restore */
    uint64_t count;                             /* extents in use */
    struct ft_heap_spare spare[FT_HEAP_SPARES]; /* extents that are kept for the allocator */
    struct ft_heap_extent extent[FT_HEAP_EXTENTS]; /* in use, ascending, disjoint */
};

#define FT_HEAP_MAGIC 0x7061656874660001UL

/* The heap record; opens the region at its first call (maps the record, zeroed). */
struct ft_heap *ft_heap_get(void);

/* Takes over the heap that an image has just put into the region; panics when there is none. */
struct ft_heap *ft_heap_adopt(void);

/* Maps `length` bytes of fresh anonymous memory with protection `prot` at a free place of the
 * region, aligned to `align` (a power of two, at least a page). MAP_FAILED with errno ENOMEM. */
void *ft_heap_map(size_t length, size_t align, int prot);

/* Before the program allocates, in its first life: pages that the allocator has no use for go back
 * to the kernel only when nobody has wanted them for half a second. MIMALLOC_DECOMMIT_DELAY
 * overrides it. */
void ft_heap_keep_warm(void);

/* Is [block, block + bytes) part of what was last mapped for the allocator, in this thread, since
 * ft_heap_fresh_forget? Then nobody but the allocator has written to it. */
int ft_heap_is_fresh(const void *block, size_t bytes);
void ft_heap_fresh_forget(void);

/* Gives [address, address + length) back. Parts of extents are fine. 0 or -1 with errno. */
int ft_heap_unmap(void *address, size_t length);

static inline int ft_heap_holds(const void *address)
{
    return (uintptr_t)address - FT_HEAP_BASE < FT_HEAP_BYTES;
}

#endif
