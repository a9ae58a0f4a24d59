/* Idea: what belongs to the C library is asked of the C library itself, because "declared in a
 * system header" is also true for libraries that communicate; the few others are a list. */
#include "analysis/program/inside.h"

#include <dlfcn.h>
#include <string.h>

static const char *const prefixes[] = {
#define AN_QUIET_PREFIX(text) text,
#define AN_QUIET_NAME(text)
#define AN_QUIET_BLAS(text)
#include "analysis/program/quiet.def"
#undef AN_QUIET_PREFIX
#undef AN_QUIET_NAME
#undef AN_QUIET_BLAS
};

static const char *const names[] = {
#define AN_QUIET_PREFIX(text)
#define AN_QUIET_NAME(text) text,
#define AN_QUIET_BLAS(text)
#include "analysis/program/quiet.def"
#undef AN_QUIET_PREFIX
#undef AN_QUIET_NAME
#undef AN_QUIET_BLAS
};

static const char *const blas[] = {
#define AN_QUIET_PREFIX(text)
#define AN_QUIET_NAME(text)
#define AN_QUIET_BLAS(text) text,
#include "analysis/program/quiet.def"
#undef AN_QUIET_PREFIX
#undef AN_QUIET_NAME
#undef AN_QUIET_BLAS
};

#define COUNT(array) (sizeof array / sizeof *array)

static bool is_blas(const char *name)
{
    size_t length = strlen(name);

    if (!strchr("sdcz", *name) || length < 2)
        return false;
    length -= name[length - 1] == '_';
    for (size_t i = 0; i < COUNT(blas); i++)
        if (strlen(blas[i]) == length - 1 && strncmp(blas[i], name + 1, length - 1) == 0)
            return true;
    return false;
}

static bool has_prefix(const char *name)
{
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_c_library(const char *name)
{
    static void *library, *mathematics;

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    if (!library) {
        library = dlopen("libc.so.6", RTLD_LAZY);
        mathematics = dlopen("libm.so.6", RTLD_LAZY);
    }
    return (library && dlsym(library, name)) || (mathematics && dlsym(mathematics, name));
}

/* A part of a program may call its own ddot, and that may well communicate. */
bool an_is_quiet(const char *name, bool system, bool whole)
{
    size_t length = strlen(name);

    if (length == 0)
        return false;
    if (has_prefix(name) || ((whole || name[length - 1] == '_') && is_blas(name)))
        return true;
    return (system || whole) && is_c_library(name);
}

bool an_copies_memory(const char *name)
{
    return name && (strstr(name, "memcpy") || strstr(name, "memmove") || strstr(name, "mempcpy") ||
                    strstr(name, "memccpy") || strcmp(name, "bcopy") == 0);
}
