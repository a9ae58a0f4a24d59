/* The end of a run in which re-execution differs (process.h). */
#include <stdio.h>

#include "pmpi/calls.h"
#include "process.h"

_Noreturn void ft_disbelieve(const struct ft_rank *self, const char *what)
{
    ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
              what);
}

_Noreturn void ft_differs(const struct ft_rank *self, const char *what)
{
    char reason[480];

    snprintf(reason, sizeof reason,
             "re-execution differs: %s. A rank that goes back must do again what it did; something "
             "that is not recorded decides here, such as a clock or a random device read by a "
             "system call or in assembly, the number of a process, or another thread. Use the "
             "functions of the C library in the thread of main, or --protocol coordinated",
             what);
    ft_refuse(ft_call_name(self->recorder->call), (const void *)(uintptr_t)self->recorder->site,
              reason);
}
