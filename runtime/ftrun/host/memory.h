/* memory: how much memory this process may use: the machine's, or its control group's if that is
 * less. Thread rule: single threaded. */
#ifndef FT_HOST_MEMORY_H
#define FT_HOST_MEMORY_H

#include <stdint.h>

struct ft_memory { /* bytes */
    uint64_t total;
    uint64_t left; /* free, and what the kernel can reclaim of cached files */
};

/* Effect: reads the memory of the machine, or of the narrowest of the control groups (version 1
 * or 2) that this process is in. root: the path before /proc and /sys, "" for those of the
 * machine. Where nothing can be read both are UINT64_MAX. */
void ft_memory_look(const char *root, struct ft_memory *out);

#endif
