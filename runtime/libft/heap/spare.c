/* Large blocks that the allocator gave back, kept for its next requests.
 *
 * A program that allocates and frees an array in each step pays for its pages in each step: the
 * kernel clears them and maps them one by one, which costs several times as much as clearing memory
 * that is mapped (docs/decisions). glibc's malloc keeps such blocks, too (its mmap threshold
 * rises to 32 MiB); libmimalloc does not.
 *
 * A spare is an extent in use for nobody. It does not enter images: a clone finds its pages empty,
 * and a rank that writes its own image drops it before. */
#include "heap/spare.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "heap/heap.h"
#include "process.h"

#define LEAST (1UL << 20) /* below, the allocator's own segments are used again */
#define MOST (64UL << 20) /* of all spares; what glibc keeps before it trims */

static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t spare_bytes(const struct ft_heap_spare *spare)
{
    return spare->end - spare->begin;
}

/* The spare that fits best: of the alignment, and at most a quarter longer than asked for. */
static struct ft_heap_spare *find_fit(struct ft_heap *heap, size_t length, size_t align)
{
    struct ft_heap_spare *best = NULL;

    for (int i = 0; i < FT_HEAP_SPARES; i++) {
        struct ft_heap_spare *spare = &heap->spare[i];
        size_t bytes = spare_bytes(spare);

        if (spare->begin % align == 0 && bytes >= length && bytes - length <= length / 4 &&
            (best == NULL || bytes < spare_bytes(best)))
            best = spare;
    }
    return best;
}

void *ft_heap_spare_take(size_t length, size_t align)
{
    struct ft_heap_spare spare = {0}, *found;

    if (length < LEAST)
        return NULL;
    pthread_mutex_lock(&spare_lock);
    found = find_fit(ft_heap_get(), length, align);
    if (found != NULL) {
        spare = *found;
        *found = (struct ft_heap_spare){0};
    }
    pthread_mutex_unlock(&spare_lock);
    if (spare.begin == 0)
        return NULL;
    if (mprotect((void *)spare.begin, spare_bytes(&spare), PROT_READ | PROT_WRITE) != 0) {
        ft_heap_unmap((void *)spare.begin, spare_bytes(&spare));
        return NULL;
    }
    ft_image_pages_use((void *)spare.begin, spare_bytes(&spare));
    if (spare_bytes(&spare) > length)
        ft_heap_unmap((char *)spare.begin + length, spare_bytes(&spare) - length);
    memset((void *)spare.begin, 0, length);
    return (void *)spare.begin;
}

int ft_heap_spare_keep(void *address, size_t length)
{
    struct ft_heap *heap = ft_heap_get();
    struct ft_heap_spare spare = {(uintptr_t)address, (uintptr_t)address + length}, *room = NULL;
    size_t kept = length;

    if (length < LEAST || length % FT_HEAP_PAGE != 0)
        return 0;
    pthread_mutex_lock(&spare_lock);
    for (int i = 0; i < FT_HEAP_SPARES; i++) {
        kept += spare_bytes(&heap->spare[i]);
        if (heap->spare[i].begin == 0)
            room = &heap->spare[i];
    }
    if (kept > MOST)
        room = NULL;
    if (room != NULL) {
        ft_image_pages_skip(address, length);
        *room = spare;
    }
    pthread_mutex_unlock(&spare_lock);
    return room != NULL;
}

void ft_heap_spare_drop(void)
{
    struct ft_heap *heap = ft_heap_get();

    pthread_mutex_lock(&spare_lock);
    for (int i = 0; i < FT_HEAP_SPARES; i++) {
        struct ft_heap_spare spare = heap->spare[i];

        heap->spare[i] = (struct ft_heap_spare){0};
        if (spare.begin != 0)
            ft_heap_unmap((void *)spare.begin, spare_bytes(&spare));
    }
    pthread_mutex_unlock(&spare_lock);
}
