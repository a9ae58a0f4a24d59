/* The program's stack (stack.h). */
#include "image/stack.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "image/layout.h"
#include "os/os.h"

#define PAGE 4096UL
#define RED_ZONE 128UL
#define RESERVE (256UL << 10)       /* below the program's limit: for a gate in a signal handler */
#define UNLIMITED_BYTES (1UL << 30) /* for "unlimited" and more: addresses, not memory */

static size_t stack_bytes;
static uintptr_t stack_low = FT_STACK_TOP;

static size_t limit_bytes(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > UNLIMITED_BYTES)
        return UNLIMITED_BYTES;
    return (limit.rlim_cur + PAGE - 1) & ~(PAGE - 1);
}

int ft_stack_open(size_t bytes)
{
    size_t length = bytes ? bytes : limit_bytes() + RESERVE;
    void *at = ft_os_map((void *)(FT_STACK_TOP - length), length, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (at == MAP_FAILED)
        return -errno;
    at = ft_os_map((void *)(FT_STACK_TOP - length - PAGE), PAGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED)
        return -errno;
    stack_bytes = length;
    return 0;
}

size_t ft_stack_bytes(void)
{
    return stack_bytes;
}

void ft_stack_mark(uint64_t pointer)
{
    stack_low = pointer - RED_ZONE;
}

uintptr_t ft_stack_low(void)
{
    return stack_low;
}
