/* Any bytes as facts. The first byte says what the others are: a section with records, or a
 * payload, which no checksum protects. A result must be a tree that all code may walk, and be
 * the same after it was written and read again. */
#include "analysis/tree/dump.h"
#include "analysis/tree/payload.h"
#include "analysis/tree/store.h"
#include "analysis/tree/valid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void tree_spell(struct an_unit *unit, const struct an_node *root)
{
    for (const struct an_node *node = root; node; node = an_next(root, node, false))
        if (an_is_expression(node) && (!node->parent || !an_is_expression(node->parent)))
            assert(an_text(unit, node));
}

static void unit_spell(struct an_unit *unit)
{
    for (const struct an_node *node = unit->variables; node; node = node->next)
        tree_spell(unit, node);
    for (const struct an_node *node = unit->functions; node; node = node->next)
        tree_spell(unit, node);
}

static void unit_check(struct an_unit *unit)
{
    assert(!an_unit_flaw(unit));
    void *record;
    size_t length, offset = 0;
    unsigned damaged = 0;
    const char *why = NULL;
    an_store_write(unit, &record, &length);
    struct an_unit *copy = an_store_read(record, length, &offset, &damaged, &why);
    assert(copy && damaged == 0 && offset == length);
    char *first = an_dump_unit(unit), *second = an_dump_unit(copy);
    assert(strcmp(first, second) == 0);
    unit_spell(copy);
    free(first);
    free(second);
    free(record);
    an_unit_destroy(copy);
}

static void section_read(const unsigned char *bytes, size_t length)
{
    size_t offset = 0;
    unsigned damaged = 0;
    const char *why = NULL;
    struct an_unit *unit;
    while ((unit = an_store_read(bytes, length, &offset, &damaged, &why))) {
        unit_check(unit);
        an_unit_destroy(unit);
    }
    assert(offset == length && (damaged == 0 || why));
}

static void payload_read(const unsigned char *bytes, size_t length)
{
    const char *why = NULL;
    struct an_unit *unit = an_payload_read(bytes, length, &why);
    assert(unit || why);
    if (unit)
        unit_check(unit);
    an_unit_destroy(unit);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    if (length == 0)
        return 0;
    if (*bytes == 's')
        section_read(bytes + 1, length - 1);
    else
        payload_read(bytes + 1, length - 1);
    return 0;
}
