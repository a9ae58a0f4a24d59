/* proc: what the kernel shows of a process. Thread rule: single threaded. */
#ifndef FT_HOST_PROC_H
#define FT_HOST_PROC_H

#include <stddef.h>
#include <sys/types.h>

/* The file /proc/PID/NAME, as far as it fits, with a zero behind it. 1, or 0 and "". */
int ft_proc_read(pid_t pid, const char *name, char *text, size_t size);
/* What stands behind a name in the text of a `status`, "\nState:\t" for one, or "". */
const char *ft_proc_value(const char *text, const char *name);
/* Seconds of processor that all its threads have used, in steps of 10 ms. No process: 0. */
double ft_proc_used(pid_t pid);
/* Is it dead, dying, or about to die by SIGKILL, though it may not be there to reap yet? What it
 * held is closed before that, and others see it. No process: 0. */
int ft_proc_is_ending(pid_t pid);

#endif
