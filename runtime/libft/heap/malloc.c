/* The malloc family, in front of libc's for the whole process.
 *
 * The program (ft_depth == 0) is answered by libmimalloc from the region of the image; the MPI
 * library and the runtime by libc, whose heap is not saved. A block goes back to where it came
 * from, whoever frees it: the address decides. libc calls these, too (strdup, getline, fopen ...),
 * so what it allocates on the program's behalf lies in the image. Before main the caller's address
 * decides (early.h); then what libc allocates is libc's, but for strdup and strndup, which
 * constructors often call. */
#include "heap/heap.h"

#include <errno.h>
#include <malloc.h>
#include <mimalloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/early.h"
#include "process.h"

void ft_heap_keep_warm(void)
{
    mi_option_set_default(mi_option_decommit_delay, 500); /* ms; libmimalloc's own is 25 */
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

/* libmimalloc's own calloc clears all of the block, which may be half as much again (1.5 MiB for
 * 1.01), and pushes as much of the program's data out of the cache (benchmarks: amg). It clears,
 * too, what was mapped for this very call, so that sparse arrays take memory; there only the
 * allocator's link, in the first word, is no zero. */
static void *zeroed(size_t bytes)
{
    if (bytes < FT_HEAP_PAGE)
        return mi_zalloc(bytes);
    ft_heap_fresh_forget();
    void *block = mi_malloc(bytes);

    if (ft_unlikely(block == NULL))
        return NULL;
    return memset(block, 0, ft_heap_is_fresh(block, bytes) ? sizeof(void *) : bytes);
}

static void *zeroed_array(size_t count, size_t size)
{
    size_t bytes;

    if (ft_unlikely(__builtin_mul_overflow(count, size, &bytes))) {
        errno = ENOMEM;
        return NULL;
    }
    return zeroed(bytes);
}

static inline int program_asks(const void *caller)
{
    return ft_likely(ft_depth == 0) || (ft_unlikely(ft_early) && ft_early_asks(caller));
}

#define CALLER __builtin_return_address(0)

static inline void *malloc_for(const void *caller, size_t size)
{
    return program_asks(caller) ? mi_malloc(size) : __libc_malloc(size);
}

FT_EXPORT void *malloc(size_t size)
{
    return malloc_for(CALLER, size);
}

FT_EXPORT void free(void *block)
{
    if (ft_likely(ft_heap_holds(block)))
        mi_free(block);
    else
        __libc_free(block);
}

FT_EXPORT void *calloc(size_t count, size_t size)
{
    return program_asks(CALLER) ? zeroed_array(count, size) : __libc_calloc(count, size);
}

static inline void *realloc_for(const void *caller, void *block, size_t size)
{
    if (block == NULL)
        return malloc_for(caller, size);
    if (!ft_heap_holds(block))
        return __libc_realloc(block, size);
    if (size == 0) { /* as glibc does it: free, and answer NULL */
        mi_free(block);
        return NULL;
    }
    return mi_realloc(block, size);
}

FT_EXPORT void *realloc(void *block, size_t size)
{
    return realloc_for(CALLER, block, size);
}

FT_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc_for(CALLER, block, bytes);
}

static inline void *memalign_for(const void *caller, size_t align, size_t size)
{
    return program_asks(caller) ? mi_memalign(align, size) : __libc_memalign(align, size);
}

FT_EXPORT void *memalign(size_t align, size_t size)
{
    return memalign_for(CALLER, align, size);
}

FT_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    return memalign_for(CALLER, align, size);
}

FT_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    void *block;

    if (align == 0 || align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
        return EINVAL;
    block = memalign_for(CALLER, align, size);
    if (block == NULL)
        return ENOMEM;
    *out = block;
    return 0;
}

FT_EXPORT void *valloc(size_t size)
{
    return memalign_for(CALLER, (size_t)sysconf(_SC_PAGESIZE), size);
}

FT_EXPORT void *pvalloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return memalign_for(CALLER, page, (size + page - 1) & ~(page - 1));
}

static char *copy_text(char *copy, const char *text, size_t length)
{
    if (copy == NULL)
        return NULL;
    copy[length] = 0;
    return memcpy(copy, text, length);
}

FT_EXPORT char *strdup(const char *text)
{
    size_t length = strlen(text);

    return copy_text(malloc_for(CALLER, length + 1), text, length);
}

FT_EXPORT char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);

    return copy_text(malloc_for(CALLER, length + 1), text, length);
}

/* glibc keeps the size of a block in the word before it; its three low bits are flags, and a mapped
 * block (bit 1) has two words of head instead of one (malloc.c, chunksize, musable). */
static size_t libc_usable(const void *block)
{
    size_t word = ((const size_t *)block)[-1];

    return (word & ~(size_t)7) - (word & 2 ? 2 : 1) * sizeof(size_t);
}

FT_EXPORT size_t malloc_usable_size(void *block)
{
    if (block == NULL)
        return 0;
    return ft_heap_holds(block) ? mi_usable_size(block) : libc_usable(block);
}

void *ft_image_alloc(size_t bytes)
{
    void *block = zeroed(bytes);

    if (block == NULL)
        ft_panic("no memory for %zu bytes of the runtime's state", bytes);
    return block;
}

void *ft_image_room(size_t bytes)
{
    void *block = mi_malloc(bytes);

    if (block == NULL)
        ft_panic("no memory for %zu bytes of the runtime's state", bytes);
    return block;
}

void *ft_image_realloc(void *block, size_t bytes)
{
    block = mi_realloc(block, bytes);
    if (block == NULL)
        ft_panic("no memory for %zu bytes of the runtime's state", bytes);
    return block;
}

void ft_image_free(void *block)
{
    mi_free(block);
}
