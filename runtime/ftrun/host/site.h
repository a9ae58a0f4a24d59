/* site: the source line of an address in the program. */
#ifndef FT_SITE_H
#define FT_SITE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes "FILE:LINE" of the call that returns to `address`, or "address 0x..." when it cannot be
 * found (no addr2line, no debug information). Waits for addr2line. */
void ft_site_name(const char *program, uint64_t address, char *text, size_t size);
/* The same while the process lives: also an address in one of its shared libraries. */
void ft_site_name_in(pid_t pid, const char *program, uint64_t address, char *text, size_t size);

#endif
