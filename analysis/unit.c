/* Idea: clang must see what gcc sees. Flags that only clang knows, or that concern code generation,
 * are left out; what gcc 12 takes with a warning (implicit declarations, int against pointer) must
 * not be an error here. Any error that remains means that the file is not analysed at all. */
#include "analysis/unit.h"
#include "analysis/clang.h"
#include "analysis/walk.h"

#include <string.h>
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
static void errors_check(const struct an_clang *clang, CXTranslationUnit unit,
                         struct an_facts *facts)
{
    unsigned count = clang->clang_getNumDiagnostics(unit);
    for (unsigned i = 0; i < count && !facts->problem; i++) {
        CXDiagnostic diagnostic = clang->clang_getDiagnostic(unit, i);
        if (clang->clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXSourceLocation location = clang->clang_getDiagnosticLocation(diagnostic);
            struct an_place place = an_walk_place(clang, NULL, location, facts);
            CXString text = clang->clang_getDiagnosticSpelling(diagnostic);
            facts->problem = an_facts_printf(facts, "%s:%u:%u: %s", place.file, place.line,
                                             place.column, clang->clang_getCString(text));
            clang->clang_disposeString(text);
        }
        clang->clang_disposeDiagnostic(diagnostic);
    }
}

static void unit_parse(const struct an_clang *clang, struct CXUnsavedFile *replaced,
                       UT_array *words, struct an_facts *facts)
{
    CXIndex index = clang->clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode error = clang->clang_parseTranslationUnit2(
        index, facts->path, (const char *const *)utarray_front(words), (int)utarray_len(words),
        replaced, replaced ? 1 : 0, CXTranslationUnit_DetailedPreprocessingRecord, &unit);
    if (error || !unit) {
        facts->problem = an_facts_printf(facts, "%s: clang cannot read it", facts->path);
    } else {
        errors_check(clang, unit, facts);
        if (!facts->problem)
            an_walk(clang, unit, facts);
    }
    if (unit)
        clang->clang_disposeTranslationUnit(unit);
    clang->clang_disposeIndex(index);
}

struct an_facts *an_unit_read(const char *path, const char *text, size_t length,
                              const char *const *flags)
{
    struct an_facts *facts = an_facts_create(path);
    const char *problem;
    const struct an_clang *clang = an_clang_load(&problem);
    if (!clang) {
        facts->problem = an_facts_string(facts, problem);
        return facts;
    }
    UT_array words;
    utarray_init(&words, &ut_ptr_icd);
    flags_select(flags, &words);
    struct CXUnsavedFile replaced = {path, text, length};
    unit_parse(clang, text ? &replaced : NULL, &words, facts);
    utarray_done(&words);
    return facts;
}
