/* Idea: short where a person writes the expected text, complete where two units are compared. */
#include "analysis/tree/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const operators[AN_OPERATORS] = {"",   "+",  "-",   "*",   "/",   "%",
                                                    "<<", ">>", "&",   "|",   "^",   "<",
                                                    ">",  "<=", ">=",  "==",  "!=",  "&&",
                                                    "||", ",",  "u+",  "u-",  "!",   "~",
                                                    "u&", "u*", "++x", "--x", "x++", "x--"};

static void node_print(FILE *out, const struct an_node *node)
{
    if (node->kind == AN_EMPTY) {
        fputs("-", out);
        return;
    }
    if (node->kind == AN_REFERENCE) {
        fputs(node->name, out);
        return;
    }
    if (node->kind == AN_NUMBER && node->constant) {
        fprintf(out, "%" PRId64, node->value);
        return;
    }
    fprintf(out, "(%s", an_kind_name(node->kind));
    if (node->name && node->kind != AN_CALL)
        fprintf(out, " %s", node->name);
    if (node->op)
        fprintf(out, " %s", operators[node->op]);
    if (node->kind == AN_CASE)
        fprintf(out, " %" PRId64, node->value);
    for (const struct an_node *child = node->child; child; child = child->next) {
        fputs(" ", out);
        node_print(out, child);
    }
    fputs(")", out);
}

char *an_dump_node(const struct an_node *node)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    node_print(out, node);
    fclose(out);
    return text;
}

static const char *shown(const char *text)
{
    return text ? text : "NULL";
}

static void layout_print(FILE *out, const struct an_layout *layout)
{
    fprintf(out, " %" PRIu64, layout->size);
    for (unsigned i = 0; i < layout->count; i++) {
        const struct an_field *field = &layout->fields[i];
        fprintf(out, " %s %" PRIu64 " %" PRIu64 " %d %s", field->name, field->offset, field->size,
                field->class, field->record ? field->record->name : "-");
    }
}

static void type_print(FILE *out, const struct an_type *type)
{
    for (; type; type = type->below) {
        fprintf(out, "{%d %s", type->class, type->name);
        if (type->layout)
            layout_print(out, type->layout);
        fprintf(out, "}");
    }
}

static void place_print(FILE *out, struct an_place place)
{
    fprintf(out, " %s:%u:%u:%u", place.file, place.line, place.column, place.offset);
}

static void members_print(FILE *out, const struct an_node *node)
{
    fprintf(out, "%s %u %u %d%d%d%d%d%d%d%d %" PRId64 " %s %s ", an_kind_name(node->kind), node->op,
            node->storage, node->editable, node->constant, node->arrow, node->internal,
            node->variadic, node->noreturn, node->system, node->by_macro, node->value,
            shown(node->name), shown(node->symbol));
    type_print(out, node->type);
    place_print(out, node->place);
    place_print(out, node->end);
    fprintf(out, " %u\n", an_children(node));
}

static void trees_print(FILE *out, const struct an_node *first)
{
    for (const struct an_node *root = first; root; root = root->next)
        for (const struct an_node *node = root; node; node = an_next(root, node, false))
            members_print(out, node);
}

char *an_dump_unit(const struct an_unit *unit)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        abort();
    fprintf(out, "%s %s %s %s %u %d %" PRIx64 "\n", unit->path, unit->folder, shown(unit->problem),
            shown(unit->strange), unit->first_declaration, unit->hooked_by_hand, unit->digest);
    trees_print(out, unit->variables);
    trees_print(out, unit->functions);
    for (const struct an_gap *gap = unit->gaps; gap; gap = gap->next)
        fprintf(out, "gap %s %u %u %s\n", gap->file, gap->first, gap->last, gap->calls);
    for (const struct an_word *word = unit->words; word; word = word->next)
        fprintf(out, "word %s %u %d %s\n", word->file, word->line, word->alone, word->text);
    fclose(out);
    return text;
}
