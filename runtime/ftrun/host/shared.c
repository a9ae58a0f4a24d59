#include "host/shared.h"

#include <sys/mman.h>
#include <unistd.h>

void *ft_shared_create(const char *name, size_t bytes, size_t mapped, int *fd)
{
    void *memory = MAP_FAILED;

    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd >= 0 && !ftruncate(*fd, (off_t)bytes))
        memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}
