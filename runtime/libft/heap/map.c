/* mmap and its kin, in front of libc's for the whole process.
 *
 * libmimalloc's requests are answered from the region of the image, and so are the program's own
 * anonymous mappings. A private or read-only mapping of a file becomes a copy of it in the
 * region. Memory that two processes share cannot follow an image, and is refused by name. Other
 * callers get the system call. mprotect needs no wrapper: the image reads /proc/self/maps. */
#include "heap/heap.h"

#include <errno.h>
#include <link.h>
#include <mimalloc.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap/spare.h"
#include "os/os.h"
#include "process.h"

#define SEGMENT (32UL << 20) /* libmimalloc's segments are aligned to this */
#define PAGE 4096UL

static uintptr_t allocator_begin, allocator_end; /* libmimalloc's code */

static int find_allocator(struct dl_phdr_info *info, size_t size, void *closure)
{
    uintptr_t inside = (uintptr_t)&mi_malloc;

    (void)size;
    (void)closure;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && inside - begin < header->p_memsz) {
            allocator_begin = begin;
            allocator_end = begin + header->p_memsz;
            return 1;
        }
    }
    return 0;
}

static int is_allocator(const void *caller)
{
    if (ft_unlikely(allocator_end == 0))
        dl_iterate_phdr(find_allocator, NULL);
    return (uintptr_t)caller - allocator_begin < allocator_end - allocator_begin;
}

/* Fills [at, at + length), which is zeros, from the file up to its end. 0 or -errno. */
static int file_copy(char *at, size_t length, int fd, off_t offset)
{
    size_t done = 0;

    while (done < length) {
        ssize_t got = pread(fd, at + done, length - done, offset + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return 0;
}

/* A copy of a file in the region, in place of a mapping of it. */
static void *map_copy(size_t length, int prot, int fd, off_t offset)
{
    char *at = ft_heap_map(length, PAGE, PROT_READ | PROT_WRITE);
    int code;

    if (at == MAP_FAILED)
        return MAP_FAILED;
    code = file_copy(at, length, fd, offset);
    if (code != 0) {
        ft_heap_unmap(at, length);
        errno = -code;
        return MAP_FAILED;
    }
    if (prot != (PROT_READ | PROT_WRITE))
        mprotect(at, length, prot);
    return at;
}

/* The same over memory that the program has there. A file that cannot be read leaves that as it is,
 * as the kernel would. */
static void *map_copy_over(void *address, size_t length, int prot, int fd, off_t offset)
{
    void *copy = map_copy(length, PROT_READ | PROT_WRITE, fd, offset);

    if (copy == MAP_FAILED)
        return MAP_FAILED;
    if (ft_os_map(address, length, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED) {
        memcpy(address, copy, length);
        if (prot != (PROT_READ | PROT_WRITE))
            mprotect(address, length, prot);
    } else {
        address = MAP_FAILED;
    }
    ft_heap_unmap(copy, length);
    return address;
}

static void *map_program(void *address, size_t length, int prot, int flags, int fd, off_t offset,
                         const void *site)
{
    int shared = (flags & MAP_TYPE) != MAP_PRIVATE;

    if (flags & MAP_FIXED) {
        if (!ft_heap_holds(address) || shared)
            ft_refuse("mmap", site,
                      "MAP_FIXED outside of the program's own mappings cannot be "
                      "part of a checkpoint; let the system choose the address");
        return flags & MAP_ANONYMOUS ? ft_os_map(address, length, prot, flags, fd, offset)
                                     : map_copy_over(address, length, prot, fd, offset);
    }
    if (shared && ((flags & MAP_ANONYMOUS) || (prot & PROT_WRITE)))
        ft_refuse("mmap", site,
                  "memory shared with other processes or with a file cannot be part "
                  "of a checkpoint; use MAP_PRIVATE, or write(2) for files");
    if (flags & MAP_ANONYMOUS)
        return ft_heap_map(length, PAGE, prot);
    return map_copy(length, prot, fd, offset);
}

/* The memory that this thread gave to libmimalloc last. It was all zeros when given, so calloc need
 * not clear it. */
static __thread uintptr_t fresh_begin __attribute__((tls_model("initial-exec")));
static __thread uintptr_t fresh_bytes __attribute__((tls_model("initial-exec")));

void ft_heap_fresh_forget(void)
{
    fresh_bytes = 0;
}

int ft_heap_is_fresh(const void *block, size_t bytes)
{
    uintptr_t at = (uintptr_t)block - fresh_begin;

    return at < fresh_bytes && bytes <= fresh_bytes - at;
}

/* libmimalloc asks for memory to read and write, or reserves addresses that it uses later. */
static void *map_allocator(size_t length, int prot)
{
    size_t align = length >= SEGMENT / 4 ? SEGMENT : PAGE;
    void *at = prot == (PROT_READ | PROT_WRITE) ? ft_heap_spare_take(length, align) : NULL;

    if (at == NULL)
        at = ft_heap_map(length, align, prot);
    if (at != MAP_FAILED) {
        fresh_begin = (uintptr_t)at;
        fresh_bytes = length;
    }
    return at;
}

FT_EXPORT void *mmap(void *address, size_t length, int prot, int flags, int fd, off_t offset)
{
    const void *caller = __builtin_return_address(0);

    if (is_allocator(caller))
        return map_allocator(length, prot);
    if (ft_self != NULL && ft_depth == 0)
        return map_program(address, length, prot, flags, fd, offset, caller);
    return ft_os_map(address, length, prot, flags, fd, offset);
}

FT_EXPORT void *mmap64(void *address, size_t length, int prot, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

FT_EXPORT int munmap(void *address, size_t length)
{
    if (!ft_heap_holds(address))
        return ft_os_unmap(address, length);
    if (is_allocator(__builtin_return_address(0)) && ft_heap_spare_keep(address, length))
        return 0;
    return ft_heap_unmap(address, length);
}

static size_t up(size_t length)
{
    return (length + PAGE - 1) & ~(PAGE - 1);
}

FT_EXPORT void *mremap(void *address, size_t old, size_t length, int flags, ...)
{
    va_list args;
    void *to;

    va_start(args, flags);
    to = va_arg(args, void *);
    va_end(args);
    if (!ft_heap_holds(address))
        return (void *)syscall(SYS_mremap, address, old, length, flags, to);
    if (length <= old) {
        if (up(length) < up(old))
            ft_heap_unmap((char *)address + up(length), up(old) - up(length));
        return address;
    }
    if (!(flags & MREMAP_MAYMOVE) || (flags & MREMAP_FIXED)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    to = ft_heap_map(length, PAGE, PROT_READ | PROT_WRITE);
    if (to == MAP_FAILED)
        return MAP_FAILED;
    memcpy(to, address, old);
    ft_heap_unmap(address, old);
    return to;
}

/* Memory that a program hides from its children would be hidden from the clone that writes the
 * image. So the children see it, like the rest. */
FT_EXPORT int madvise(void *address, size_t length, int advice)
{
    int hides = advice == MADV_DONTFORK || advice == MADV_WIPEONFORK;

    if (hides && ft_self != NULL && ft_depth == 0 && ft_heap_holds(address))
        return 0;
    return (int)syscall(SYS_madvise, address, length, advice);
}

#define BREAK_REASON "the break is not part of a checkpoint; use malloc or mmap"

FT_EXPORT void *sbrk(intptr_t increment)
{
    if (ft_self != NULL && ft_depth == 0 && increment != 0)
        ft_refuse("sbrk", __builtin_return_address(0), BREAK_REASON);
    static void *(*libc_sbrk)(intptr_t);
    if (libc_sbrk == NULL)
        libc_sbrk = (void *(*)(intptr_t))ft_os_next_symbol("sbrk");
    return libc_sbrk(increment);
}

FT_EXPORT int brk(void *end)
{
    static int (*libc_brk)(void *);

    if (ft_self != NULL && ft_depth == 0)
        ft_refuse("brk", __builtin_return_address(0), BREAK_REASON);
    if (libc_brk == NULL)
        libc_brk = (int (*)(void *))ft_os_next_symbol("brk");
    return libc_brk(end);
}
