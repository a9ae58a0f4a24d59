/* MPICH needs nothing at its start (library.h). */
#include "library/library.h"

#include <stddef.h>

const char *const *ft_library_variables(void)
{
    static const char *const none[] = {NULL};

    return none;
}

/* Those that programs name are constants. */
int ft_library_owns(const char *symbol)
{
    (void)symbol;
    return 0;
}
