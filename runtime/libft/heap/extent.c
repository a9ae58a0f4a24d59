/* The addresses of the program's heap.
 *
 * A sorted array of the extents in use, first fit. Its users are libmimalloc, which asks for 32 MiB
 * and more at a time, and the program's own mmap: there are few extents, so a scan is the plain and
 * the fast way. The array lies in the region, so the image brings it back. */
#include "heap/heap.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "os/os.h"

static pthread_mutex_t extent_lock = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t align_up(uintptr_t value, uintptr_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static struct ft_heap *heap_record; /* NULL until the region is open in this process */

struct ft_heap *ft_heap_adopt(void)
{
    struct ft_heap *heap = (struct ft_heap *)FT_HEAP_BASE;

    if (heap->magic != FT_HEAP_MAGIC)
        ft_panic("the image has no heap");
    heap_record = heap;
    return heap;
}

struct ft_heap *ft_heap_get(void)
{
    if (ft_likely(heap_record != NULL))
        return heap_record;
    void *at = ft_os_map((void *)FT_HEAP_BASE, sizeof *heap_record, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (void *)FT_HEAP_BASE)
        ft_panic("the address of the program's heap, %#lx, is taken by something else",
                 FT_HEAP_BASE);
    heap_record = at;
    heap_record->magic = FT_HEAP_MAGIC;
    return heap_record;
}

/* Index before which an extent of `length` fits, and its begin; -1 when none fits. */
static long find_room(const struct ft_heap *heap, size_t length, size_t align, uintptr_t *begin)
{
    uintptr_t at = align_up(FT_HEAP_BASE + sizeof *heap, align);

    for (uint64_t i = 0; i < heap->count; i++) {
        if (at + length <= heap->extent[i].begin) {
            *begin = at;
            return (long)i;
        }
        if (heap->extent[i].end > at)
            at = align_up(heap->extent[i].end, align);
    }
    if (at + length > FT_HEAP_END)
        return -1;
    *begin = at;
    return (long)heap->count;
}

static int insert(struct ft_heap *heap, uint64_t index, uintptr_t begin, uintptr_t end)
{
    if (heap->count == FT_HEAP_EXTENTS)
        return -ENOMEM;
    memmove(&heap->extent[index + 1], &heap->extent[index],
            (heap->count - index) * sizeof heap->extent[0]);
    heap->extent[index] = (struct ft_heap_extent){begin, end};
    heap->count++;
    return 0;
}

static void remove_at(struct ft_heap *heap, uint64_t index)
{
    heap->count--;
    memmove(&heap->extent[index], &heap->extent[index + 1],
            (heap->count - index) * sizeof heap->extent[0]);
}

void *ft_heap_map(size_t length, size_t align, int prot)
{
    struct ft_heap *heap = ft_heap_get();
    uintptr_t begin = 0;
    void *result = MAP_FAILED;

    length = align_up(length, 4096);
    pthread_mutex_lock(&extent_lock);
    long index = length ? find_room(heap, length, align, &begin) : -1;
    if (index >= 0 && insert(heap, (uint64_t)index, begin, begin + length) == 0) {
        result =
            ft_os_map((void *)begin, length, prot,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (result == MAP_FAILED)
            remove_at(heap, (uint64_t)index);
    }
    pthread_mutex_unlock(&extent_lock);
    if (result == MAP_FAILED)
        errno = ENOMEM;
    return result;
}

/* Takes [begin, end) out of extent i; returns the index to look at next, or -ENOMEM. */
static long cut(struct ft_heap *heap, uint64_t i, uintptr_t begin, uintptr_t end)
{
    struct ft_heap_extent *extent = &heap->extent[i];

    if (begin > extent->begin && end < extent->end) {
        if (insert(heap, i + 1, end, extent->end) != 0)
            return -ENOMEM;
        extent->end = begin;
        return (long)i + 2;
    }
    if (begin > extent->begin) {
        extent->end = begin;
        return (long)i + 1;
    }
    if (end < extent->end) {
        extent->begin = end;
        return (long)i + 1;
    }
    remove_at(heap, i);
    return (long)i;
}

int ft_heap_unmap(void *address, size_t length)
{
    struct ft_heap *heap = ft_heap_get();
    uintptr_t begin = (uintptr_t)address, end = align_up(begin + length, 4096);
    long i = 0;

    pthread_mutex_lock(&extent_lock);
    int code = ft_os_unmap(address, end - begin);
    while (code == 0 && i >= 0 && (uint64_t)i < heap->count) {
        if (heap->extent[i].begin >= end)
            break;
        i = heap->extent[i].end <= begin ? i + 1 : cut(heap, (uint64_t)i, begin, end);
    }
    pthread_mutex_unlock(&extent_lock);
    if (code == 0 && i < 0) {
        errno = ENOMEM;
        return -1;
    }
    return code;
}
