/* Stands in for the rooms around libc and files in life_test: a process with one rank, a heap
 * that only grows at the image's address, and an image of that heap and the executable's data. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/files.h"
#include "heap/early.h"
#include "image/layout.h"
#include "image/modules.h"
#include "libc/libc.h"
#include "libc/life_stub.h"
#include "os/os.h"

#define HEAP_BYTES (64UL << 20)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void __libc_free(void *block);

struct heap { /* at FT_HEAP_BASE */
    uintptr_t end;
    struct ft_rank *self;
    jmp_buf point; /* where the next life goes on */
};

FT_EXPORT struct ft_rank *ft_self;
struct ft_life ft_life = {.control = -1};
FT_EXPORT __thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;

static struct heap *const heap = (struct heap *)FT_HEAP_BASE;
static int heap_is_open;

static void heap_open(void)
{
    void *at = mmap(heap, HEAP_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

    if (at != heap)
        abort();
    heap->end = FT_HEAP_BASE + 4096;
    heap_is_open = 1;
}

static int heap_holds(const void *block)
{
    return (uintptr_t)block - FT_HEAP_BASE < FT_HEAP_BYTES;
}

/* Blocks have their size in the 16 bytes before them and are never used again. */
void *ft_image_alloc(size_t bytes)
{
    size_t *block;

    if (!heap_is_open)
        heap_open();
    block = (size_t *)__atomic_fetch_add(&heap->end, (bytes + 31) & ~15UL, __ATOMIC_RELAXED);
    block[0] = bytes;
    return block + 2;
}

void *ft_image_realloc(void *block, size_t bytes)
{
    void *larger = ft_image_alloc(bytes);

    if (block != NULL)
        memcpy(larger, block, ((size_t *)block)[-2] < bytes ? ((size_t *)block)[-2] : bytes);
    return larger;
}

void ft_image_free(void *block)
{
    (void)block;
}

FT_EXPORT void *malloc(size_t bytes)
{
    return ft_depth == 0 ? ft_image_alloc(bytes) : __libc_malloc(bytes);
}

FT_EXPORT void *calloc(size_t count, size_t bytes)
{
    return ft_depth == 0 ? ft_image_alloc(count * bytes) : __libc_calloc(count, bytes);
}

FT_EXPORT void *realloc(void *block, size_t bytes)
{
    if (heap_holds(block) || (block == NULL && ft_depth == 0))
        return ft_image_realloc(block, bytes);
    return __libc_realloc(block, bytes);
}

FT_EXPORT void free(void *block)
{
    if (!heap_holds(block))
        __libc_free(block);
}

void ft_gate_pass(struct ft_rank *self, unsigned pass)
{
    (void)self;
    (void)pass;
}

void ft_gate_outside(struct ft_rank *self, const void *site)
{
    (void)self;
    (void)site;
}

const struct ft_modules *ft_modules_get(void)
{
    static const struct ft_modules none;

    return &none;
}

int ft_early_asks(const void *caller)
{
    (void)caller;
    return 0;
}

enum ft_act_part ft_act_meet(struct ft_rank *self, struct ft_act *act)
{
    (void)self;
    (void)act;
    return FT_ACT_MINE;
}

void ft_act_begin(struct ft_rank *self, int64_t there, int64_t size)
{
    (void)self, (void)there, (void)size;
}

void ft_act_note(struct ft_rank *self, const struct ft_act *act)
{
    (void)self;
    (void)act;
}

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    (void)site;
    fprintf(stderr, "refused: %s: %s\n", call, reason);
    _exit(3);
}

/* Writes or reads the image: the executable's data, then the heap. */
static void image_move(const char *path, int writing, char *data, char *data_end)
{
    int fd = open(path, writing ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0600);
    size_t length = (size_t)(data_end - data);
    ssize_t done = writing ? write(fd, data, length) : read(fd, data, length);
    uintptr_t end = heap->end;

    if (done != (ssize_t)length)
        abort();
    if (!writing && read(fd, &end, sizeof end) != sizeof end)
        abort();
    if (writing && write(fd, &end, sizeof end) != sizeof end)
        abort();
    length = end - FT_HEAP_BASE;
    done = writing ? write(fd, heap, length) : read(fd, heap, length);
    if (done != (ssize_t)length)
        abort();
    close(fd);
}

FT_EXPORT void life_first(const char *undo, void (*program)(void))
{
    char *stack = ft_image_alloc(1 << 20);
    struct ft_rank *self = ft_image_alloc(sizeof *self);

    self->recorder = ft_image_alloc(sizeof *self->recorder);
    heap->self = self;
    if (undo != NULL) {
        strcpy(ft_life.boot.undo, undo);
        ft_libc_start(self);
        ft_files_start(self);
        ft_self = self;
    }
    ft_depth = 0;
    ft_os_stack_switch((void *)(((uintptr_t)stack + (1 << 20)) & ~63UL), (void (*)(void *))program,
                       NULL);
}

FT_EXPORT void life_checkpoint(uint32_t number, const char *image, char *data, char *data_end)
{
    const char *reason;

    if (ft_self == NULL)
        return;
    if (setjmp(heap->point) != 0)
        return;
    ft_depth++;
    reason = ft_libc_obstacle(ft_self);
    if (reason == NULL)
        reason = ft_files_obstacle(ft_self);
    if (reason != NULL)
        ft_panic("obstacle: %s", reason);
    ft_files_hold(ft_self);
    ft_files_save(ft_self, number);
    ft_libc_save(ft_self, 0);
    image_move(image, 1, data, data_end);
    raise(SIGKILL);
}

FT_EXPORT const char *life_obstacle(void)
{
    const char *reason = NULL;

    ft_depth++;
    if (ft_self != NULL && (reason = ft_libc_obstacle(ft_self)) == NULL)
        reason = ft_files_obstacle(ft_self);
    ft_depth--;
    return reason;
}

FT_EXPORT void life_next(const char *undo, const char *image, char *data, char *data_end)
{
    static char reason[FT_FILES_REASON];
    int code;

    heap_open();
    image_move(image, 0, data, data_end);
    strcpy(ft_life.boot.undo, undo);
    code = ft_files_restore(heap->self, reason);
    if (code == 0)
        code = ft_libc_restore(heap->self);
    ft_self = heap->self;
    if (code == 0)
        code = ft_libc_resume(heap->self);
    if (code != 0)
        ft_panic("restore: %s (%s)", strerror(-code), reason);
    longjmp(heap->point, 1);
}
