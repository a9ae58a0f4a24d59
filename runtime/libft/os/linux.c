/* System calls, clones and /proc (os.h). */
#include "os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

void *ft_os_map(void *address, size_t length, int prot, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, prot, flags, fd, offset);
}

int ft_os_unmap(void *address, size_t length)
{
    return (int)syscall(SYS_munmap, address, length);
}

pid_t ft_os_clone_sibling(void)
{
    pid_t parent = getppid();
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

    if (pid < 0)
        return -errno;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (syscall(SYS_getppid) != parent)
            syscall(SYS_exit_group, 1); /* the parent died before the line above */
    }
    return (pid_t)pid;
}

void ft_os_offer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t written = fd < 0 ? 0 : write(fd, "1000", 4);

    (void)written; /* then the kernel chooses as it would have */
    if (fd >= 0)
        close(fd);
}

void *ft_os_next_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL)
        ft_panic("libc has no %s", name);
    return symbol;
}

double ft_os_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define SOFTWARE_AT 464           /* in the legacy area of an xsave frame (asm/sigcontext.h) */
#define TILES ((uint64_t)3 << 17) /* XFEATURE_MASK_XTILE */

int ft_os_frame_lasts(const void *context)
{
    const char *area = (const void *)((const ucontext_t *)context)->uc_mcontext.fpregs;
    struct _fpx_sw_bytes software;

    if (area == NULL)
        return 1;
    memcpy(&software, area + SOFTWARE_AT, sizeof software);
    return software.magic1 != FP_XSTATE_MAGIC1 || !(software.xstate_bv & TILES);
}

uintptr_t ft_os_thread_pointer(void)
{
    uintptr_t pointer;

    __asm__("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

/* A reader of lines over a fixed buffer, for the writer, where stdio must not be used. */
struct reader {
    int fd;
    size_t at, end;
    char buffer[8192];
};

static int reader_byte(struct reader *reader)
{
    if (reader->at == reader->end) {
        ssize_t got = read(reader->fd, reader->buffer, sizeof reader->buffer);

        if (got <= 0)
            return got == 0 ? -1 : -2;
        reader->at = 0;
        reader->end = (size_t)got;
    }
    return (unsigned char)reader->buffer[reader->at++];
}

/* Reads hexadecimal digits up to a byte that is none, which is returned. */
static int reader_hex(struct reader *reader, uintptr_t *value)
{
    for (*value = 0;;) {
        int byte = reader_byte(reader);

        if (byte >= '0' && byte <= '9')
            *value = *value * 16 + (uintptr_t)(byte - '0');
        else if (byte >= 'a' && byte <= 'f')
            *value = *value * 16 + (uintptr_t)(byte - 'a' + 10);
        else
            return byte;
    }
}

/* 1: a mapping was read, 0: end, -EIO: the file does not look like /proc/self/maps. */
static int reader_mapping(struct reader *reader, struct ft_os_mapping *mapping)
{
    char flags[4];
    int byte = reader_hex(reader, &mapping->begin);

    if (byte == -1)
        return 0;
    if (byte != '-' || reader_hex(reader, &mapping->end) != ' ')
        return -EIO;
    for (int i = 0; i < 4; i++)
        flags[i] = (char)reader_byte(reader);
    mapping->prot = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) |
                    (flags[2] == 'x' ? PROT_EXEC : 0);
    mapping->shared = flags[3] == 's';
    do
        byte = reader_byte(reader);
    while (byte >= 0 && byte != '\n');
    return byte == '\n' ? 1 : -EIO;
}

int ft_os_mappings(uintptr_t begin, uintptr_t end,
                   int (*visit)(void *closure, const struct ft_os_mapping *mapping), void *closure)
{
    static struct reader reader; /* large; the callers are single threaded */
    struct ft_os_mapping mapping;
    int code;

    reader.at = reader.end = 0;
    reader.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (reader.fd < 0)
        return -errno;
    while ((code = reader_mapping(&reader, &mapping)) == 1) {
        if (mapping.end <= begin || mapping.begin >= end)
            continue;
        mapping.begin = mapping.begin > begin ? mapping.begin : begin;
        mapping.end = mapping.end < end ? mapping.end : end;
        begin = mapping.end;
        code = visit(closure, &mapping);
        if (code != 0)
            break;
    }
    syscall(SYS_close, reader.fd);
    return code;
}

int ft_os_memory(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

int ft_os_memory_read(int memory, uintptr_t from, void *to, size_t bytes)
{
    while (bytes > 0) {
        ssize_t got = pread(memory, to, bytes, (off_t)from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -ESRCH;
        from += (uintptr_t)got;
        to = (char *)to + got;
        bytes -= (size_t)got;
    }
    return 0;
}

#define PAGE 4096UL
#define PAGEMAP_TOUCHED (3UL << 62) /* present or swapped */

struct runs { /* pages that follow each other are visited together */
    uintptr_t begin, end;
    int (*visit)(void *closure, uintptr_t begin, uintptr_t end);
    void *closure;
};

static int runs_end(struct runs *runs)
{
    return runs->begin < runs->end ? runs->visit(runs->closure, runs->begin, runs->end) : 0;
}

static int runs_add(struct runs *runs, uintptr_t begin, uintptr_t end)
{
    int code = begin == runs->end ? 0 : runs_end(runs);

    if (begin != runs->end)
        runs->begin = begin;
    runs->end = end;
    return code;
}

/* Page by page, for kernels before 6.7: some 4 ms for a GB of addresses, touched or not. */
static int touched_read(int fd, uintptr_t begin, uintptr_t end, struct runs *runs)
{
    static uint64_t entry[4096];
    int code = 0;

    for (uintptr_t at = begin; at < end && code == 0;) {
        uintptr_t pages = (end - at) / PAGE < 4096 ? (end - at) / PAGE : 4096;
        ssize_t got = pread(fd, entry, pages * 8, (off_t)(at / PAGE * 8));

        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        for (uintptr_t i = 0; i < (uintptr_t)got / 8 && code == 0; i++, at += PAGE)
            if (entry[i] & PAGEMAP_TOUCHED)
                code = runs_add(runs, at, at + PAGE);
    }
    return code;
}

#define SCAN_TOUCHED (3UL << 3) /* PAGE_IS_PRESENT | PAGE_IS_SWAPPED */

struct scan { /* struct pm_scan_arg of linux/fs.h, which may be older than the kernel */
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

struct scanned { /* struct page_region */
    uint64_t start, end, categories;
};

/* A program may reserve more addresses than there is memory: the kernel knows where nothing is. */
static int touched_scan(int fd, uintptr_t begin, uintptr_t end, struct runs *runs)
{
    static struct scanned region[512];
    struct scan scan = {.size = sizeof scan,
                        .end = end,
                        .vec = (uintptr_t)region,
                        .vec_len = sizeof region / sizeof region[0],
                        .category_anyof_mask = SCAN_TOUCHED,
                        .return_mask = SCAN_TOUCHED};
    int code = 0;

    for (scan.start = begin; scan.start < end && code == 0; scan.start = scan.walk_end) {
        long found = syscall(SYS_ioctl, fd, _IOWR('f', 16, struct scan), &scan);

        if (found < 0)
            return scan.start == begin ? -ENOTTY : -errno;
        for (long i = 0; i < found && code == 0; i++)
            code = runs_add(runs, region[i].start, region[i].end);
    }
    return code;
}

int ft_os_touched(uintptr_t begin, uintptr_t end,
                  int (*visit)(void *closure, uintptr_t begin, uintptr_t end), void *closure)
{
    struct runs runs = {.visit = visit, .closure = closure};
    int code;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    code = touched_scan(fd, begin, end, &runs);
    if (code == -ENOTTY)
        code = touched_read(fd, begin, end, &runs);
    syscall(SYS_close, fd);
    return code ? code : runs_end(&runs);
}
