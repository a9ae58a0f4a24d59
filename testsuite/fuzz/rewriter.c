/* Any bytes as a C file: parsed, judged, annotated, applied, and parsed again. Besides that nothing
 * crashes, the edits must only add to the text, and the record of the unit must come back as it is.
 */
#include "analysis/judge/judge.h"
#include "analysis/source/source.h"
#include "analysis/tree/store.h"
#include "rewriters/annotate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* mpi.h in a few lines, so that a run takes a millisecond; and no file of the machine. */
static const char *const flags[] = {"-nostdinc", "-isystem", FT_FUZZ_INCLUDE, NULL};
static const char path[] = "fuzz.c";

static struct an_unit *stored(const struct an_unit *unit)
{
    void *record;
    size_t length, offset = 0;
    unsigned damaged = 0;
    const char *why = NULL;
    an_store_write(unit, &record, &length);
    struct an_unit *copy = an_store_read(record, length, &offset, &damaged, &why);
    assert(copy && damaged == 0 && offset == length);
    free(record);
    return copy;
}

/* The edited text, from which the insertions are taken away again, is the text. */
static void edits_check(struct rw_edits *edits, const char *text, size_t length)
{
    struct rw_text edited = rw_edits_apply(edits, text, length, 0, length, NULL);
    size_t from = 0, to = 0;
    for (size_t i = 0; i < rw_edits_count(edits); i++) {
        const struct rw_edit *edit = rw_edits_at(edits, i);
        size_t size = strlen(edit->text);
        assert(edit->offset >= from && edit->offset <= length);
        assert(memcmp(text + from, edited.text + to, edit->offset - from) == 0);
        to += edit->offset - from;
        from = edit->offset;
        assert(memcmp(edit->text, edited.text + to, size) == 0);
        to += size;
        if (edit->own_line)
            assert(edited.text[to++] == '\n');
    }
    assert(length - from == edited.length - to);
    assert(memcmp(text + from, edited.text + to, length - from) == 0);
    free(edited.text);
}

static void annotate(struct an_unit *unit, const char *text, size_t length)
{
    struct an_program *program = an_program_create();
    an_program_add(program, unit);
    an_program_join(program, false);
    struct an_judgement *judgement = an_judge(program);
    struct rw_edits *edits = rw_annotate(judgement, unit, path, text, length);
    if (edits && rw_edits_count(edits) > 0) {
        edits_check(edits, text, length);
        struct rw_text copy =
            rw_edits_apply(edits, text, length, 0, length, &(struct rw_compiled){.name = path});
        an_unit_destroy(an_source_read(path, copy.text, copy.length, flags));
        free(copy.text);
    }
    rw_edits_destroy(edits);
    an_judgement_destroy(judgement);
    an_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    char *text = malloc(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    struct an_unit *unit = an_source_read(path, text, length, flags);
    struct an_unit *copy = stored(unit);
    if (copy->problem)
        an_unit_destroy(copy);
    else
        annotate(copy, text, length);
    an_unit_destroy(unit);
    free(text);
    return 0;
}
