/* Idea: clang must see what gcc sees. Flags that only clang knows, or that concern code generation,
 * are left out; what gcc takes with a warning (implicit declarations, int against pointer) must not
 * be an error here, which -Wno-everything says.
 *
 * OpenMP is not switched on: libclang shows nothing below a directive whose statement uses a
 * variable from around it. Its macro is defined, its header is gcc's, and pragmas.c finds the
 * directives. */
#include "analysis/source/flags.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

/* Options whose value may stand in the next word. */
static const char *const valued[] = {
    "-I", "-D",        "-U",       "-include",  "-imacros",   "-iquote",      "-isystem",
    "-x", "-isysroot", "-iprefix", "--sysroot", "-idirafter", "-iwithprefix", NULL};

/* Flags that find headers and macros. */
static const char *const needed[] = {
    "-I",     "-D",     "-U",        "-i", "-std=",     "--std=", "-ansi",
    "--ansi", "-undef", "-nostdinc", "-x", "--sysroot", NULL};

/* Flags that may define macros or change types, and may be unknown to clang. */
static const char *const useful[] = {
    "-m",          "-O",       "-pthread",         "-fms-extensions", "-fsigned-",
    "-funsigned-", "-fshort-", "-fno-signed-char", "-fgnu89-inline",  NULL};

static const char *const tolerant[] = {"-Wno-everything", "-Qunused-arguments", "-xc", NULL};

static bool begins_with(const char *flag, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (strncmp(flag, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

static bool takes_next_word(const char *flag)
{
    for (size_t i = 0; valued[i]; i++)
        if (strcmp(flag, valued[i]) == 0)
            return true;
    return false;
}

bool an_flags_openmp(const char *const *flags)
{
    bool openmp = false;
    for (size_t i = 0; flags[i]; i++) {
        if (strcmp(flags[i], "-fno-openmp") == 0)
            openmp = false;
        else if (strcmp(flags[i], "-fopenmp") == 0 || strncmp(flags[i], "-fopenmp=", 9) == 0)
            openmp = true;
    }
    return openmp;
}

bool an_flags_cxx(const char *const *flags)
{
    bool cxx = false;
    for (size_t i = 0; flags[i]; i++)
        if (strncmp(flags[i], "-x", 2) == 0)
            cxx = strcmp(flags[i], "-xc++") == 0;
    return cxx;
}

/* The folder of gcc's own headers, for omp.h; the last one that there is. */
static const char *gcc_folder(void)
{
    static char folder[256];
    glob_t found;
    if (glob("/usr/lib/gcc/*/*/include/omp.h", 0, NULL, &found) == 0 && found.gl_pathc)
        snprintf(folder, sizeof folder, "%.*s",
                 (int)(strlen(found.gl_pathv[found.gl_pathc - 1]) - strlen("/omp.h")),
                 found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return folder;
}

static void word_add(UT_array *out, const char *word)
{
    utarray_push_back(out, &word);
}

/* clang does not know gcc's attribute `malloc` with the name of a function to free with. */
static void openmp_add(UT_array *out)
{
    word_add(out, "-D_OPENMP=201511");
    word_add(out, "-D__malloc__(...)=");
    const char *folder = gcc_folder();
    if (!*folder)
        return;
    word_add(out, "-idirafter");
    word_add(out, folder);
}

void an_flags_select(const char *const *flags, bool plain, UT_array *out)
{
    for (size_t i = 0; tolerant[i]; i++)
        word_add(out, tolerant[i]);
    for (size_t i = 0; flags[i]; i++) {
        bool valued_here = takes_next_word(flags[i]) && flags[i + 1];
        if (begins_with(flags[i], needed) || (!plain && begins_with(flags[i], useful))) {
            word_add(out, flags[i]);
            if (valued_here)
                word_add(out, flags[i + 1]);
        }
        i += valued_here;
    }
    if (an_flags_openmp(flags))
        openmp_add(out);
}
