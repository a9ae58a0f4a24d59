/* Keeps the thread-local variables of OpenMP's threads (threadprivate, __thread) while libgomp's
 * pool is away.
 *
 * The pool is let go before an image is taken. Before that a team of its size copies the
 * thread-local blocks of the program's modules into the image, each thread its own; the n-th thread
 * that libgomp makes after that is the n-th of its next team, and finds there what its forerunner
 * had. A module's block lies at the same distance from the thread pointer in all threads and all
 * lives.
 *
 * Thread rule: the main thread saves and takes numbers; a new thread reads its own copy. */
#include "libc/state.h"

#include <link.h>
#include <string.h>

#include "image/modules.h"

extern void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
    __attribute__((weak));
extern int omp_get_thread_num(void) __attribute__((weak));
extern int omp_get_num_threads(void) __attribute__((weak));
extern void *mi_malloc(size_t size) __attribute__((weak));

struct block {
    ptrdiff_t place; /* from the thread pointer */
    size_t bytes;
};

static struct block block[FT_PARTS_MAX];
static int blocks;
static size_t blocks_bytes;

static int is_saved(const void *begin)
{
    const struct ft_modules *modules = ft_modules_get();

    for (int i = 0; i < modules->parts; i++)
        if (modules->part[i].begin == (uintptr_t)begin)
            return 1;
    return 0;
}

static int holds(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type == PT_LOAD &&
            (uintptr_t)address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return 1;
    }
    return 0;
}

/* libgomp's and the allocator's own blocks say who a thread is. */
static int block_add(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    (void)closure;
    if (info->dlpi_tls_data == NULL || !is_saved(info->dlpi_tls_data) ||
        holds(info, (const void *)&GOMP_parallel) || holds(info, (const void *)&mi_malloc))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && blocks < FT_PARTS_MAX) {
            block[blocks].place = (char *)info->dlpi_tls_data - (char *)ft_os_thread_pointer();
            block[blocks++].bytes = info->dlpi_phdr[i].p_memsz;
            blocks_bytes += info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

struct saving {
    char *content;
    int team; /* threads that there were */
};

static void worker_save(void *closure)
{
    struct saving *saving = closure;
    int number = omp_get_thread_num();
    const char *self = (const char *)ft_os_thread_pointer();
    char *to = saving->content + (size_t)number * blocks_bytes;

    if (number == 0)
        saving->team = omp_get_num_threads();
    for (int i = 0; i < blocks; to += block[i].bytes, i++)
        memcpy(to, self + block[i].place, block[i].bytes);
}

void libc_workers_save(struct libc_workers *workers, int count)
{
    struct saving saving = {0};
    int depth = ft_depth;

    if (blocks == 0 || count == 0 || GOMP_parallel == NULL || omp_get_num_threads == NULL)
        return;
    workers->team = 0; /* a thread that is new in the team begins as one does natively */
    workers->content = ft_image_realloc(workers->content, ((size_t)count + 1) * blocks_bytes);
    saving.content = workers->content;
    ft_depth = 0; /* what libgomp allocates is in the image */
    GOMP_parallel(worker_save, &saving, (unsigned)count + 1, 0);
    ft_depth = depth;
    workers->team = saving.team;
    workers->next = 1;
}

const void *libc_workers_next(struct libc_workers *workers)
{
    static int found;

    if (!found)
        dl_iterate_phdr(block_add, NULL);
    found = 1;
    if (workers->next >= workers->team)
        return NULL;
    return workers->content + (size_t)workers->next++ * blocks_bytes;
}

void libc_workers_put(const void *content)
{
    char *self = (char *)ft_os_thread_pointer();
    const char *from = content;

    for (int i = 0; from != NULL && i < blocks; from += block[i].bytes, i++)
        memcpy(self + block[i].place, from, block[i].bytes);
}
