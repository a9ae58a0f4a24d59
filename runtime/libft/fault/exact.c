/* exact: timer_create, and single steps. Each step costs a signal (about 1 us). */
#include "fault/exact.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define SECOND 1000000000u /* nanoseconds */

void ft_exact_timer(uint64_t nanoseconds, int signal)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal};
    struct itimerspec due = {.it_value = {.tv_sec = (time_t)(nanoseconds / SECOND),
                                          .tv_nsec = (long)(nanoseconds % SECOND)}};
    timer_t timer;

    ft_depth++;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &due, NULL) != 0)
        ft_panic("a fault plan needs a timer of the kernel, which cannot be had");
    ft_depth--;
}

static uint64_t steps;
static int steps_signal;

/* The kernel has cleared the flag for the handler, and sets it again behind it. */
static void on_step(int number)
{
    (void)number;
    if (--steps == 0)
        syscall(SYS_kill, syscall(SYS_getpid), steps_signal);
}

/* The way by which the kernel comes back from a handler. */
__attribute__((naked)) static void come_back(void)
{
    __asm__("mov %0, %%eax\n\tsyscall" : : "i"(SYS_rt_sigreturn));
}

/* The raw call: the runtime's own sigaction is the program's. */
static void take_traps(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {on_step, 0x04000000 /* SA_RESTORER */, come_back, 0};
    uint64_t trap = 1ULL << (SIGTRAP - 1);

    syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, sizeof action.mask);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap, NULL, sizeof trap);
}

void ft_exact_step(uint64_t instructions, int signal)
{
    steps = instructions + 1; /* the first trap comes behind popfq itself */
    steps_signal = signal;
    take_traps();
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" /* leaves the red zone alone */
                     "pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t"
                     "popfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     :
                     : "memory", "cc");
}
