/* changes: how many changes of files the leaders of each rank have begun (--replicas), which ranks
 * count in a page that they map, so that it survives ftrun. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/store.h"

/* The file, of so many bytes. Its descriptor or -errno. */
static int open_counts(const struct ft_store *store, size_t bytes, int create)
{
    char path[FT_STORE_PATH];
    struct stat status;
    int fd, code;

    ft_store_file(store, "changes", path);
    fd = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0600);
    if (fd < 0)
        return -errno;
    code = create ? posix_fallocate(fd, 0, (off_t)bytes) : fstat(fd, &status) ? errno : 0;
    if (!code && !create && status.st_size != (off_t)bytes)
        code = EBADMSG;
    if (!code)
        return fd;
    close(fd);
    return -code;
}

int ft_store_map_changes(const struct ft_store *store, int size, int create, uint64_t **counts)
{
    size_t bytes = (size_t)size * sizeof(**counts);
    int fd = open_counts(store, bytes, create);
    void *mapped;

    if (fd < 0)
        return fd;
    mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        close(fd);
        return -ENOMEM;
    }
    *counts = mapped;
    return fd;
}

int ft_store_count_changes(const struct ft_store *store, int size, uint64_t *count)
{
    uint64_t *counts;
    int fd = ft_store_map_changes(store, size, 0, &counts);

    if (fd < 0)
        return fd;
    *count = 0;
    for (int i = 0; i < size; i++)
        *count += counts[i];
    munmap(counts, (size_t)size * sizeof(*counts));
    close(fd);
    return 0;
}
