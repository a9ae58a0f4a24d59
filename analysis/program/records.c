/* Idea: an initialiser list is typed by its braces. One of a record may also hold values for the
 * records in it, whose braces are left out or which a designator names (`.inner.field = 1`), and
 * the members of an anonymous record, which has braces of its own, are those of the record around
 * it. Layouts say which records lie in a record. */
#include "analysis/program/inside.h"

#include <string.h>

static const char *without_qualifiers(const char *name)
{
    static const char *const words[] = {"const ", "volatile "};

    for (unsigned i = 0; i < 2; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return without_qualifiers(name + strlen(words[i]));
    return name;
}

const char *an_record_name(const struct an_type *record)
{
    return without_qualifiers(record->name);
}

const struct an_type *an_type_innermost(const struct an_type *type)
{
    while (type && (type->class == AN_POINTER || type->class == AN_ARRAY))
        type = type->below;
    return type;
}

bool an_record_holds(const struct an_type *outer, const struct an_type *inner, bool anonymous)
{
    if (strcmp(an_record_name(outer), an_record_name(inner)) == 0)
        return true;
    for (unsigned i = 0; outer->layout && i < outer->layout->count; i++) {
        const struct an_field *field = &outer->layout->fields[i];
        if (field->record && (!anonymous || !*field->name) &&
            an_record_holds(field->record, inner, anonymous))
            return true;
    }
    return false;
}

bool an_list_initialises(const struct an_node *list, const struct an_type *record)
{
    const struct an_type *type = an_type_innermost(list->type);

    return type && type->class == AN_RECORD && type->name && record->name &&
           (an_record_holds(type, record, false) || an_record_holds(record, type, true));
}
