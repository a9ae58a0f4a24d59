/* logged_stub: what tests of other rooms have instead of determinant/logged.c: one machine. */
#include "determinant/logged.h"
#include "os/os.h"

int ft_logged_is_safe(uint32_t place, uint64_t made)
{
    (void)place;
    (void)made;
    return 1;
}

void ft_logged_wait_for(uint32_t place, uint64_t made)
{
    (void)place;
    (void)made;
}

void ft_logged_wait(void)
{
}

void *ft_os_map(void *address, size_t length, int prot, int flags, int fd, off_t offset)
{
    (void)address, (void)length, (void)prot, (void)flags, (void)fd, (void)offset;
    return NULL;
}
