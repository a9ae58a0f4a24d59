/* A call that the runtime cannot carry ends the run, by name (process.h). */
#include "process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    struct ft_wire_number number = {(int64_t)(uintptr_t)ft_fortran_caller(site)};
    char text[1024];
    int used = snprintf(text, sizeof text, "%s", call) + 1;

    used += snprintf(text + used, sizeof text - (size_t)used, "%s", reason) + 1;
    if (used > (int)sizeof text)
        used = sizeof text;
    text[sizeof text - 1] = 0;
    if (ft_wire_send(ft_life.control, FT_WIRE_REFUSED, &number, sizeof number, text, (size_t)used,
                     -1) != 0)
        ft_panic("%s: %s", call, reason);
    for (;;) /* ftrun ends the run */
        pause();
}
