/* proc: what the kernel shows of a process. Thread rule: single threaded. */
#ifndef FT_HOST_PROC_H
#define FT_HOST_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file /proc/PID/NAME, as far as it fits, with a zero behind it. 1, or 0 and "". */
int ft_proc_read(pid_t pid, const char *name, char *text, size_t size);
/* Effect: finds the value after a name in the text of a `status`, "\nState:\t" for one, or "". */
const char *ft_proc_value(const char *text, const char *name);
/* Seconds of processor that all its threads have used, in steps of 10 ms. No process: 0. */
double ft_proc_used(pid_t pid);
/* Writes the file that is mapped at `address`, and where its beginning is mapped: for a shared
 * library what is to be taken from the address. path: PATH_MAX bytes. 1, or 0: there is none. */
int ft_proc_module(pid_t pid, uint64_t address, char *path, uint64_t *base);
struct ft_proc_nameless { /* a regular file that has no name any more */
    dev_t device;
    ino_t inode;
    int writes;       /* it is open for writing */
    const char *path; /* its name was this */
};
/* Other than 0 ends the list. */
typedef int ft_proc_nameless_each(void *context, const struct ft_proc_nameless *file);
/* Lists those that a process has open for its program, once for each descriptor, without those
 * in /dev/shm. Answers the last answer of `each`; 0: there are none, or there is no such
 * process. */
int ft_proc_nameless(pid_t pid, ft_proc_nameless_each *each, void *context);
/* Is it dead, dying, or about to die by SIGKILL, though it may not be there to reap yet? Its
 * descriptors are closed before that, and others see it. No process: 0. */
int ft_proc_is_ending(pid_t pid);

#endif
