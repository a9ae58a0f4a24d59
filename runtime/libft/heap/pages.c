/* Whole pages for the runtime's own state, where an allocator would be in the way (process.h).
 *
 * The kernel leaves unneeded pages out of images: the clone that writes one finds such pages
 * empty, and pages that were never touched are not written. Huge pages are not asked for
 * (docs/decisions/0041-log-has-its-own-pages.md). */
#include "heap/heap.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

#define PAGE 4096UL

/* Advice that a kernel does not take costs memory, and nothing else. The raw call: what the program
 * may not hide from an image (map.c) the runtime may. */
static void advise(void *pages, size_t bytes, int advice)
{
    int saved = errno;

    syscall(SYS_madvise, pages, bytes, advice);
    errno = saved;
}

void *ft_image_pages(size_t bytes)
{
    void *pages = ft_heap_map(bytes, PAGE, PROT_READ | PROT_WRITE);

    if (pages == MAP_FAILED)
        ft_panic("no memory for %zu bytes of the runtime's state", bytes);
    return pages;
}

void ft_image_pages_free(void *pages, size_t bytes)
{
    ft_heap_unmap(pages, bytes);
}

void ft_image_pages_touch(void *pages, size_t bytes)
{
    advise(pages, bytes, MADV_POPULATE_WRITE);
}

void ft_image_pages_skip(void *pages, size_t bytes)
{
    advise(pages, bytes, MADV_WIPEONFORK);
}

void ft_image_pages_use(void *pages, size_t bytes)
{
    advise(pages, bytes, MADV_KEEPONFORK);
}

void ft_image_pages_apart(void *pages, size_t bytes)
{
    advise(pages, bytes, MADV_DONTFORK);
}

void ft_image_pages_drop(void *pages, size_t bytes)
{
    advise(pages, bytes, MADV_DONTNEED);
}
