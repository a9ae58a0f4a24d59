/* Idea: a table of function pointers with libclang's own names, filled by dlsym; the soname pins
 * the version whose behaviour was measured. */
#include "analysis/source/clang.h"

#include <dlfcn.h>

static struct an_clang functions;

static const char *table_fill(void *library)
{
#define AN_CLANG(name)                                                                             \
    *(void **)&functions.name = dlsym(library, #name);                                             \
    if (!functions.name)                                                                           \
        return "libclang lacks the function " #name;
#include "analysis/source/clang.def"
#undef AN_CLANG
    return NULL;
}

const struct an_clang *an_clang_load(const char **problem)
{
    static void *library;
    static const char *failure;
    if (!library && !failure) {
        library = dlopen(FT_LIBCLANG, RTLD_LAZY | RTLD_LOCAL);
        failure =
            library ? table_fill(library) : "cannot load " FT_LIBCLANG " (install libclang-19-dev)";
    }
    *problem = failure;
    return failure ? NULL : &functions;
}
