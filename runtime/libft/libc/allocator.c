/* Finds whose allocator answers. The program's is libft's, and in the images; the MPI library's
 * is libc's own, by __libc_malloc. A module in front of libft or libc that has these names (the
 * program, a library that it is linked with, LD_PRELOAD) gets both. */
#include "libc/state.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>

static int is_beside(const Dl_info *one, const void *address)
{
    Dl_info other;

    return dladdr(address, &other) != 0 && one->dli_fbase == other.dli_fbase;
}

/* Is the function one of the C library's, or of libft? */
static int is_known(const Dl_info *function)
{
    return is_beside(function, (const void *)&gnu_get_libc_version) ||
           is_beside(function, (const void *)&libc_allocator_obstacle);
}

static const char *stranger_find(void)
{
    static const char *const names[] = {"malloc", "__libc_malloc"};
    static char reason[512];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Dl_info function;

        if (dladdr(dlsym(RTLD_DEFAULT, names[i]), &function) == 0 || is_known(&function))
            continue;
        snprintf(reason, sizeof reason,
                 "%s is that of %.300s, which the MPI library gets its memory from, too: start the "
                 "program without it (LD_PRELOAD), or link it without",
                 names[i], function.dli_fname);
        return reason;
    }
    return NULL;
}

const char *libc_allocator_obstacle(void)
{
    static const char *found;
    static int looked; /* libraries that come later stand behind the others */

    if (!looked)
        found = stranger_find();
    looked = 1;
    return found;
}
