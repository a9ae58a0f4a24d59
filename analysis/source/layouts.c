/* Idea: a record's fields with their places, as the compiler for this machine lays them out. Arrays
 * are as their elements: what lies between two of them lies inside of one. A record that clang
 * cannot measure in all its parts has no layout, so that nobody takes a part for a hole. */
#include "analysis/source/walk.h"

#include <string.h>

static enum CXVisitorResult field_note(CXCursor cursor, CXClientData data)
{
    struct an_walk *walk = data;
    obstack_grow(&walk->scratch, &cursor, sizeof cursor);
    return CXVisit_Continue;
}

/* obstack.h aligns by counting from a null pointer. */
__attribute__((no_sanitize("pointer-overflow"))) static struct an_cursors
fields_list(struct an_walk *walk, CXType record)
{
    struct an_cursors list;
    walk->clang->clang_Type_visitFields(record, field_note, walk);
    list.count = (unsigned)(obstack_object_size(&walk->scratch) / sizeof *list.first);
    list.first = obstack_finish(&walk->scratch);
    return list;
}

/* In bits; -1 when it is not known. An array without a length reaches to the end of the record. */
static long long field_size(struct an_walk *walk, CXCursor cursor, CXType type, long long room)
{
    if (walk->clang->clang_Cursor_isBitField(cursor))
        return walk->clang->clang_getFieldDeclBitWidth(cursor);
    long long bytes = walk->clang->clang_Type_getSizeOf(type);
    if (bytes <= 0 && an_typing_class(type.kind) == AN_ARRAY)
        return room;
    return bytes < 0 ? -1 : bytes * 8;
}

/* False when the field cannot be measured. */
static bool field_read(struct an_walk *walk, CXCursor cursor, long long size,
                       struct an_field *field)
{
    const struct an_clang *clang = walk->clang;
    CXType type = clang->clang_getCanonicalType(clang->clang_getCursorType(cursor));
    long long offset = clang->clang_Cursor_getOffsetOfField(cursor);
    if (offset < 0 || offset > size)
        return false;
    long long bits = field_size(walk, cursor, type, size - offset);
    if (bits < 0 || bits > size - offset)
        return false;
    field->name = an_walk_string(walk, clang->clang_getCursorSpelling(cursor));
    if (strchr(field->name, '(')) /* clang names an anonymous record by its place */
        field->name = an_unit_string(walk->unit, "");
    field->offset = (uint64_t)offset;
    field->size = (uint64_t)bits;
    while (an_typing_class(type.kind) == AN_ARRAY)
        type = clang->clang_getCanonicalType(clang->clang_getArrayElementType(type));
    field->class = an_typing_class(type.kind);
    const struct an_type *record = type.kind == CXType_Record ? an_typing(walk, type)->type : NULL;
    if (record && record->layout && record->layout->size <= field->size)
        field->record = record;
    return true;
}

const struct an_layout *an_record_layout(struct an_walk *walk, CXType record)
{
    const struct an_clang *clang = walk->clang;
    long long bytes = clang->clang_Type_getSizeOf(record);
    if (bytes < 0)
        return NULL;
    struct an_cursors list = fields_list(walk, record);
    struct an_field *fields = an_unit_alloc(walk->unit, list.count * sizeof *fields);
    unsigned count = 0;
    bool known = true;
    for (unsigned i = 0; i < list.count && known; i++) {
        CXString name = clang->clang_getCursorSpelling(list.first[i]);
        bool filler =
            clang->clang_Cursor_isBitField(list.first[i]) && !clang->clang_getCString(name)[0];
        clang->clang_disposeString(name);
        if (!filler)
            known = field_read(walk, list.first[i], bytes * 8, &fields[count++]);
    }
    an_walk_release(walk, list);
    return known ? an_unit_layout(walk->unit, (uint64_t)bytes * 8, fields, count) : NULL;
}
