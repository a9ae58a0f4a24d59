/* The end of a run in which re-execution differs (process.h). */
#include <stdio.h>

#include "calls/calls.h"
#include "process.h"

_Noreturn void ft_disbelieve(const struct ft_rank *self, const char *what)
{
    ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
              what);
}

_Noreturn void ft_differs(const struct ft_rank *self, const char *what)
{
    char reason[640];

    if (ft_life.pair != NULL)
        snprintf(reason, sizeof reason,
                 "%s. Both copies of a rank (--replicas) must do the same; something that is not "
                 "recorded "
                 "decides here, such as a clock or a random device read by a system call or in "
                 "assembly, the "
                 "number of a process, or another thread, or memory was damaged. Use the functions "
                 "of the C "
                 "library in the thread of main, or leave --replicas out",
                 what);
    else
        snprintf(
            reason, sizeof reason,
            "re-execution differs: %s. A rank that rolls back must repeat what it did; something "
            "that is not recorded decides here, such as a clock or a random device read by a "
            "system call or in assembly, the number of a process, or another thread. Use the "
            "functions of the C library in the thread of main, or --protocol coordinated",
            what);
    ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
              reason);
}
