/* Idea: one parse, whose first error is the unit's problem: a file that clang does not take whole
 * is not analysed at all. An error without a place is about the flags; then there is a second
 * attempt with those alone that find headers and macros. */
#include "analysis/source/source.h"
#include "analysis/source/flags.h"
#include "analysis/source/walk.h"
#include "analysis/tree/valid.h"

#include <stdlib.h>
#include <unistd.h>

struct parse {
    const struct an_clang *clang;
    struct an_unit *unit;
    struct CXUnsavedFile *replaced; /* the text that stands in for the file's, or NULL */
    struct an_reading reading;
    bool refused; /* clang does not take the flags */
};

static void error_note(struct parse *parse, CXDiagnostic diagnostic)
{
    const struct an_clang *clang = parse->clang;
    struct an_unit *unit = parse->unit;
    CXFile file;
    unsigned line, column;
    clang->clang_getFileLocation(clang->clang_getDiagnosticLocation(diagnostic), &file, &line,
                                 &column, NULL);
    CXString name = clang->clang_getFileName(file);
    CXString text = clang->clang_getDiagnosticSpelling(diagnostic);
    const char *spelled = file ? clang->clang_getCString(name) : unit->path;
    parse->refused = !file;
    unit->problem = an_unit_printf(unit, "%s:%u:%u: %s", spelled, file ? line : 1,
                                   file ? column : 1, clang->clang_getCString(text));
    clang->clang_disposeString(name);
    clang->clang_disposeString(text);
}

static void errors_check(struct parse *parse, CXTranslationUnit tu)
{
    const struct an_clang *clang = parse->clang;
    unsigned count = clang->clang_getNumDiagnostics(tu);
    for (unsigned i = 0; i < count && !parse->unit->problem; i++) {
        CXDiagnostic diagnostic = clang->clang_getDiagnostic(tu, i);
        if (clang->clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
            error_note(parse, diagnostic);
        clang->clang_disposeDiagnostic(diagnostic);
    }
}

/* A tree that is none would mislead everybody who walks it. */
static void tree_check(struct an_unit *unit)
{
    const char *flaw = unit->problem ? NULL : an_unit_flaw(unit);
    if (!flaw)
        return;
    unit->problem = an_unit_printf(unit, "%s:1:1: not understood: %s", unit->path, flaw);
    unit->functions = unit->variables = NULL;
}

static void unit_parse(struct parse *parse, UT_array *words)
{
    const struct an_clang *clang = parse->clang;
    struct an_unit *unit = parse->unit;
    CXIndex index = clang->clang_createIndex(0, 0);
    CXTranslationUnit tu = NULL;
    enum CXErrorCode error = clang->clang_parseTranslationUnit2(
        index, unit->path, (const char *const *)utarray_front(words), (int)utarray_len(words),
        parse->replaced, parse->replaced ? 1 : 0, CXTranslationUnit_DetailedPreprocessingRecord,
        &tu);
    parse->refused = error || !tu;
    if (parse->refused)
        unit->problem = an_unit_printf(unit, "%s:1:1: clang cannot read it", unit->path);
    else
        errors_check(parse, tu);
    if (!unit->problem)
        an_walk(clang, tu, unit, parse->reading);
    tree_check(unit);
    if (tu)
        clang->clang_disposeTranslationUnit(tu);
    clang->clang_disposeIndex(index);
}

static void attempt(struct parse *parse, const char *const *flags, bool plain)
{
    UT_array words;
    utarray_init(&words, &ut_ptr_icd);
    an_flags_select(flags, plain, &words);
    parse->unit->problem = NULL;
    unit_parse(parse, &words);
    utarray_done(&words);
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
    struct CXUnsavedFile replaced = {path, text, length};
    struct parse parse = {
        .clang = an_clang_load(&problem),
        .unit = unit,
        .replaced = text ? &replaced : NULL,
        .reading = {an_flags_openmp(flags), an_flags_cxx(flags)},
    };
    if (!parse.clang) {
        unit->problem = an_unit_string(unit, problem);
        return unit;
    }
    attempt(&parse, flags, false);
    if (unit->problem && parse.refused)
        attempt(&parse, flags, true);
    return unit;
}
