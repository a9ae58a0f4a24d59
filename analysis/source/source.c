/* Idea: clang must see what gcc sees. Flags that only clang knows, or that concern code generation,
 * are left out; what gcc 12 takes with a warning (implicit declarations, int against pointer) must
 * not be an error here. Any error that remains means that the file is not analysed at all. */
#include "analysis/source/source.h"
#include "analysis/source/clang.h"
#include "analysis/source/walk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utarray.h>

/* Options with a value that may stand in the next word. */
static const char *const valued[] = {
    "-I", "-D",        "-U",       "-include",  "-imacros",   "-iquote",      "-isystem",
    "-x", "-isysroot", "-iprefix", "--sysroot", "-idirafter", "-iwithprefix", NULL};
static const char *const prefixes[] = {"-I",          "-D",
                                       "-U",          "-i",
                                       "-std=",       "-ansi",
                                       "-m",          "-x",
                                       "-undef",      "-pthread",
                                       "-fopenmp",    "-nostdinc",
                                       "--sysroot",   "-fms-extensions",
                                       "-fsigned-",   "-O",
                                       "-fshort-",    "-fno-signed-char",
                                       "-funsigned-", "-fgnu89-inline",
                                       NULL};
static const char *const tolerant[] = {"-w",
                                       "-xc",
                                       "-Wno-error=implicit-function-declaration",
                                       "-Wno-error=implicit-int",
                                       "-Wno-error=int-conversion",
                                       "-Wno-error=incompatible-function-pointer-types",
                                       "-Wno-error=return-type",
                                       "-Wno-error=unknown-warning-option",
                                       "-Qunused-arguments",
                                       NULL};

static bool takes_next_word(const char *flag)
{
    for (size_t i = 0; valued[i]; i++)
        if (strcmp(flag, valued[i]) == 0)
            return true;
    return false;
}

static bool matters(const char *flag)
{
    for (size_t i = 0; prefixes[i]; i++)
        if (strncmp(flag, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void flags_select(const char *const *flags, UT_array *out)
{
    for (size_t i = 0; tolerant[i]; i++)
        utarray_push_back(out, &tolerant[i]);
    for (size_t i = 0; flags[i]; i++) {
        if (!matters(flags[i]))
            continue;
        utarray_push_back(out, &flags[i]);
        if (takes_next_word(flags[i]) && flags[i + 1])
            utarray_push_back(out, &flags[++i]);
    }
}

/* The first error among the diagnostics becomes the problem. */
static void error_note(const struct an_clang *clang, CXDiagnostic diagnostic, struct an_unit *unit)
{
    CXFile file;
    unsigned line, column;
    clang->clang_getFileLocation(clang->clang_getDiagnosticLocation(diagnostic), &file, &line,
                                 &column, NULL);
    CXString name = clang->clang_getFileName(file);
    CXString text = clang->clang_getDiagnosticSpelling(diagnostic);
    const char *spelled = file ? clang->clang_getCString(name) : NULL;
    unit->problem = an_unit_printf(unit, "%s:%u:%u: %s", spelled ? spelled : unit->path, line,
                                   column, clang->clang_getCString(text));
    clang->clang_disposeString(name);
    clang->clang_disposeString(text);
}

static void errors_check(const struct an_clang *clang, CXTranslationUnit tu, struct an_unit *unit)
{
    unsigned count = clang->clang_getNumDiagnostics(tu);
    for (unsigned i = 0; i < count && !unit->problem; i++) {
        CXDiagnostic diagnostic = clang->clang_getDiagnostic(tu, i);
        if (clang->clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            error_note(clang, diagnostic, unit);
        clang->clang_disposeDiagnostic(diagnostic);
    }
}

static void unit_parse(const struct an_clang *clang, struct CXUnsavedFile *replaced,
                       UT_array *words, struct an_unit *unit)
{
    CXIndex index = clang->clang_createIndex(0, 0);
    CXTranslationUnit tu = NULL;
    enum CXErrorCode error = clang->clang_parseTranslationUnit2(
        index, unit->path, (const char *const *)utarray_front(words), (int)utarray_len(words),
        replaced, replaced ? 1 : 0, CXTranslationUnit_DetailedPreprocessingRecord, &tu);
    if (error || !tu) {
        unit->problem = an_unit_printf(unit, "%s:1:1: clang cannot read it", unit->path);
    } else {
        errors_check(clang, tu, unit);
        if (!unit->problem)
            an_walk(clang, tu, unit);
    }
    if (tu)
        clang->clang_disposeTranslationUnit(tu);
    clang->clang_disposeIndex(index);
}

static void folder_note(struct an_unit *unit)
{
    char *folder = getcwd(NULL, 0);
    unit->folder = an_unit_string(unit, folder ? folder : "");
    free(folder);
}

struct an_unit *an_source_read(const char *path, const char *text, size_t length,
                               const char *const *flags)
{
    struct an_unit *unit = an_unit_create(path);
    folder_note(unit);
    const char *problem;
    const struct an_clang *clang = an_clang_load(&problem);
    if (!clang) {
        unit->problem = an_unit_string(unit, problem);
        return unit;
    }
    UT_array words;
    utarray_init(&words, &ut_ptr_icd);
    flags_select(flags, &words);
    struct CXUnsavedFile replaced = {path, text, length};
    unit_parse(clang, text ? &replaced : NULL, &words, unit);
    utarray_done(&words);
    return unit;
}
