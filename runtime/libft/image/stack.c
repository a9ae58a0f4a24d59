/* The program's stack (stack.h). */
#include "image/stack.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "image/layout.h"
#include "os/os.h"

#define PAGE 4096UL
#define RED_ZONE 128UL
#define RESERVE (256UL << 10)        /* below the program's limit: for a gate in a signal handler */
#define UNLIMITED_BYTES (64UL << 30) /* for "unlimited" and more: addresses, not memory */
#define LEAST_BYTES (8UL << 20)      /* and for where that many are not to be had */

static size_t stack_bytes;
static uintptr_t stack_low = FT_STACK_TOP;

static size_t limit_bytes(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > UNLIMITED_BYTES)
        return UNLIMITED_BYTES;
    return (limit.rlim_cur + PAGE - 1) & ~(PAGE - 1);
}

static int map(size_t length)
{
    void *at = ft_os_map((void *)(FT_STACK_TOP - length), length, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (at == MAP_FAILED)
        return -errno;
    at = ft_os_map((void *)(FT_STACK_TOP - length - PAGE), PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) {
        int code = -errno;

        ft_os_unmap((void *)(FT_STACK_TOP - length), length);
        return code;
    }
    stack_bytes = length;
    return 0;
}

/* A limit of addresses (ulimit -v), or a kernel that counts them as memory, may forbid the many of
 * an unlimited stack. */
int ft_stack_open(size_t bytes)
{
    size_t length = bytes ? bytes : limit_bytes() + RESERVE;
    int code = map(length);

    while (code == -ENOMEM && bytes == 0 && length / 2 >= LEAST_BYTES) {
        length = length / 2 & ~(PAGE - 1);
        code = map(length);
    }
    return code;
}

size_t ft_stack_bytes(void)
{
    return stack_bytes;
}

void ft_stack_mark(uint64_t pointer)
{
    int inside = pointer <= FT_STACK_TOP && pointer - RED_ZONE >= FT_STACK_TOP - stack_bytes;

    stack_low = inside ? pointer - RED_ZONE : 0;
}

uintptr_t ft_stack_low(void)
{
    return stack_low;
}
