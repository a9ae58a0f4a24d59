/* os: what is Linux's and x86-64's own. Nothing here knows of ranks or images.
 *
 * Thread rule: all may be called from any thread; the raw calls do not enter libc wrappers, so they
 * pass by every interposer (libft's own, and those that UCX installs). */
#ifndef FT_OS_H
#define FT_OS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* mmap, munmap as system calls; like mmap(2), munmap(2). */
void *ft_os_map(void *address, size_t length, int prot, int flags, int fd, off_t offset);
int ft_os_unmap(void *address, size_t length);

/* Clones the process without running any fork handler. The child belongs to this process's parent
 * (CLONE_PARENT) and dies with it; it may use system calls and the memory it sees, and nothing
 * that takes a lock. Returns the pid, 0 in the child, or -errno. */
pid_t ft_os_clone_sibling(void);

/* Where memory is short the kernel ends this process before any other (oom_score_adj). */
void ft_os_offer(void);

/* Gives the calling thread, and the threads and processes that it starts, the shortest time slice.
 * A waiting rank that yields gives up a whole slice (Linux 6.18), and busy processes on its core
 * then run for that long: 0.1 ms in place of 3 ms. Linux before 6.12 changes nothing; nor does a
 * policy other than SCHED_OTHER. */
void ft_os_slice_shorten(void);

/* The next definition of a function behind libft.so's own (dlsym(RTLD_NEXT)); panics when there is
 * none. */
void *ft_os_next_symbol(const char *name);

/* Seconds of CLOCK_MONOTONIC. */
double ft_os_now(void);

/* A place to continue: callee-saved registers, stack pointer, floating-point control words and
 * exceptions, and the calling thread's stack-protector canary. */
struct ft_os_context {
    uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip, canary;
    uint32_t mxcsr;
    uint16_t x87;        /* control word */
    uint16_t x87_status; /* only its exception flags come back */
};

/* Saves where the caller stands; returns 0. Returns 1 when continued by ft_os_context_continue. The
 * caller's frame must still be there then, as with setjmp. */
int ft_os_context_save(struct ft_os_context *context) __attribute__((returns_twice));
_Noreturn void ft_os_context_continue(const struct ft_os_context *context);

/* Calls function(argument) on the stack that ends at `top` (16-byte aligned). The function must not
 * return. */
_Noreturn void ft_os_stack_switch(void *top, void (*function)(void *), void *argument);

/* Does the frame that the kernel has made for a signal handler (its third argument) hold nothing
 * that another process of this program could not take back from it? Tile registers (AMX) are
 * granted to each process anew. */
int ft_os_frame_lasts(const void *context);

/* The thread pointer (%fs:0). */
uintptr_t ft_os_thread_pointer(void);

/* One line of /proc/self/maps. */
struct ft_os_mapping {
    uintptr_t begin, end;
    int prot;   /* PROT_* */
    int shared; /* MAP_SHARED */
};

/* Calls visit for each mapping that intersects [begin, end), cut to it, ascending. No malloc: fit
 * for the writer. visit may change a mapping that it was given: no address comes twice. Stops when
 * visit returns nonzero and returns that; -errno when /proc cannot be read. */
int ft_os_mappings(uintptr_t begin, uintptr_t end,
                   int (*visit)(void *closure, const struct ft_os_mapping *mapping), void *closure);

/* A descriptor of this process's memory, which a clone may read from while this process goes on. Or
 * -errno. */
int ft_os_memory(void);
/* Reads `bytes` bytes at address `from` of that process. 0; -ESRCH when it has ended or executed
 * another program; or another -errno. No malloc: fit for the writer. */
int ft_os_memory_read(int memory, uintptr_t from, void *to, size_t bytes);

/* Calls visit for each run of pages of [begin, end) that were ever touched (/proc/self/pagemap). */
int ft_os_touched(uintptr_t begin, uintptr_t end,
                  int (*visit)(void *closure, uintptr_t begin, uintptr_t end), void *closure);

#endif
