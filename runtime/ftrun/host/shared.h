/* shared: memory that ftrun, or an agent, shares with ranks. */
#ifndef FT_HOST_SHARED_H
#define FT_HOST_SHARED_H

#include <stddef.h>

/* Effect: makes `bytes` bytes of zeroed memory without a path, and maps the first `mapped` of them.
 * *fd: its descriptor, closed at exec, which others map; the caller's. name: what /proc shows.
 * Returns the mapping, which the caller unmaps, or NULL with errno; then *fd is open, or -1. */
void *ft_shared_create(const char *name, size_t bytes, size_t mapped, int *fd);

#endif
