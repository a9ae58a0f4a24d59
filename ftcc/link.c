/* Idea: ftcc finds its library from its own place: PREFIX/bin/ftcc belongs to PREFIX/lib, in the
 * build tree and after installation. -no-pie comes last because the last such option counts.
 * libft.so comes first, because the user's words may name the MPI library, and by its path, because
 * the user may have a libft, too; --no-as-needed keeps it in a program whose MPI calls are all in
 * its own libraries. The second -lft adds nothing: CMake looks for names like this one, to link
 * objects of ftcc with a compiler of another language. */
#include "ftcc/link.h"
#include "ftcc/toolchain.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cc_link_check(const struct cc_options *options)
{
    const char *sanitizer = cc_options_sanitizer(options);
    if (options->step != CC_LINK || options->inputs == 0)
        return true;
    if (options->fixed)
        fputs("ftcc: error: -static cannot be used: the runtime is a shared library that stands "
              "before the MPI library; link without -static, or with mpicc\n",
              stderr);
    if (options->split)
        fputs("ftcc: error: -fsplit-stack cannot be used: the runtime gives the program a stack of "
              "its own, of which that knows nothing; link without it, or with mpicc\n",
              stderr);
    if (sanitizer)
        fprintf(stderr,
                "ftcc: error: -fsanitize=%s cannot be used: it keeps memory of its own, which no "
                "checkpoint can hold; link without it (-fsanitize=undefined can stay), or with "
                "mpicc\n",
                sanitizer);
    return !options->fixed && !options->split && !sanitizer;
}

/* PREFIX of the running ftcc; false when /proc is not there. */
static bool prefix_find(char *prefix, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", prefix, size - 1);
    if (length <= 0)
        return false;
    prefix[length] = '\0';
    for (int levels = 0; levels < 2; levels++) {
        char *slash = strrchr(prefix, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

void cc_link_headers(UT_array *command)
{
    char prefix[PATH_MAX];
    if (!prefix_find(prefix, sizeof prefix))
        return;
    cc_command_add(command, "-idirafter");
    cc_command_add(command, "%s/include", prefix);
}

bool cc_link_header(char *path, size_t size)
{
    char prefix[PATH_MAX];
    return prefix_find(prefix, sizeof prefix) &&
           snprintf(path, size, "%s/include/ft.h", prefix) < (int)size;
}

void cc_link_front(const struct cc_options *options, bool names_header, UT_array *command)
{
    bool codes = (options->compiles || options->tell) && options->step != CC_PREPROCESS;
    if (codes && !options->pic && !options->shared && !options->tell)
        cc_command_add(command, "-fno-pie");
    if (codes && options->lines && !options->debug)
        cc_command_add(command, "-g1");
    if (names_header)
        cc_link_headers(command);
}

/* The folder of libft.so, below the prefix. */
static bool library_find(char *folder, size_t size)
{
    static const char *const places[] = {"lib", FT_LIBDIR};
    char prefix[PATH_MAX - 64], library[PATH_MAX];
    if (!prefix_find(prefix, sizeof prefix))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(folder, size, "%s/%s", prefix, places[i]);
        if (snprintf(library, sizeof library, "%s/libft.so", folder) < (int)sizeof library &&
            access(library, R_OK) == 0)
            return true;
    }
    return false;
}

static bool links(const struct cc_options *options)
{
    return options->step == CC_LINK && !options->relocatable &&
           (options->inputs > 0 || options->tell);
}

void cc_link_library(const struct cc_options *options, UT_array *command)
{
    char folder[PATH_MAX];
    if (!links(options) || !library_find(folder, sizeof folder))
        return; /* cc_link_back says so */
    cc_command_add(command, "-Wl,--push-state,--no-as-needed");
    cc_command_add(command, "%s/libft.so", folder);
    cc_command_add(command, "-Wl,--pop-state");
}

bool cc_link_back(const struct cc_options *options, UT_array *command)
{
    char folder[PATH_MAX];
    if (!links(options))
        return true;
    if (!library_find(folder, sizeof folder)) {
        fputs("ftcc: error: libft.so is not in the lib folder beside ftcc; build or install the "
              "whole project\n",
              stderr);
        return false;
    }
    if (!options->shared)
        cc_command_add(command, "-no-pie");
    if (options->tell) /* CMake's FindMPI takes neither -no-pie nor -Wl,-z,now over, but these */
        cc_command_add(command, "-Wl,-no-pie,-znow");
    cc_command_add(command, "-Wl,-z,now");
    cc_command_add(command, "-L%s", folder);
    cc_command_add(command, "-Wl,-rpath,%s", folder);
    cc_command_add(command, "-Wl,--push-state,--as-needed");
    cc_command_add(command, "-lft");
    cc_command_add(command, "-Wl,--pop-state");
    return true;
}
