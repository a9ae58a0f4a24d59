/* Idea: the nodes that belong together have a smallest block in common; its children that hold
 * the first and the last of them are the ends. A node that turns out to belong there (a named
 * receive of what is sent inside) moves the ends, until none does. */
#include "analysis/region/stretch.h"
#include "analysis/region/exits.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void an_together_add(struct an_together *together, const struct an_node *node)
{
    if (node && together->count < AN_TOGETHER)
        together->nodes[together->count++] = node;
}

static const struct an_node *child_towards(const struct an_node *block, const struct an_node *node)
{
    while (node && node->parent != block)
        node = node->parent;
    return node;
}

bool an_is_within(const struct an_node *first, const struct an_node *last,
                  const struct an_node *node)
{
    const struct an_node *child = first ? child_towards(first->parent, node) : NULL;
    for (const struct an_node *n = child ? first : NULL; n; n = n == last ? NULL : n->next)
        if (n == child)
            return true;
    return false;
}

/* ---- The stretch ---- */

static bool holds_all(const struct an_node *block, const struct an_together *together)
{
    for (unsigned i = 0; i < together->count; i++)
        if (!an_is_inside(block, together->nodes[i]))
            return false;
    return true;
}

/* A block whose children are statements, and not the value of an expression. */
static bool is_plain_block(const struct an_node *node)
{
    return node->kind == AN_BLOCK && node->parent && node->parent->kind != AN_STATEMENTS;
}

/* The label of a switch that the child of its body stands behind, or NULL. */
static const struct an_node *section_of(const struct an_node *block, const struct an_node *child)
{
    const struct an_node *label = NULL;
    if (block->parent->kind != AN_SWITCH)
        return NULL;
    for (const struct an_node *n = block->child; n; n = n->next) {
        if (n->kind == AN_CASE || n->kind == AN_DEFAULT)
            label = n;
        if (n == child)
            break;
    }
    return label;
}

/* The sections of a switch are alternatives: a region lies in one of them, or holds all. */
static bool is_one_section(const struct an_node *block, const struct an_together *together)
{
    const struct an_node *label = section_of(block, child_towards(block, together->nodes[0]));
    for (unsigned i = 1; i < together->count; i++)
        if (section_of(block, child_towards(block, together->nodes[i])) != label)
            return false;
    return true;
}

bool an_stretch_find(struct an_region *region, const struct an_together *together)
{
    const struct an_node *block = together->nodes[0];
    while (block && !(is_plain_block(block) && holds_all(block, together) &&
                      is_one_section(block, together)))
        block = block->parent;
    if (!block)
        return false;
    region->first = region->last = NULL;
    for (const struct an_node *child = block->child; child; child = child->next)
        for (unsigned i = 0; i < together->count; i++)
            if (child_towards(block, together->nodes[i]) == child) {
                region->first = region->first ? region->first : child;
                region->last = child;
            }
    return region->first != NULL;
}

/* Some of the messages. */
struct some {
    const struct an_message **list;
    unsigned count;
};

/* Those inside of the region. */
static struct some inside_find(const struct an_region *region, const struct an_message *messages)
{
    struct some inside = {NULL, 0};
    const struct an_message *message;
    unsigned all;
    LL_COUNT(messages, message, all);
    inside.list = malloc((all + 1) * sizeof(struct an_message *));
    if (!inside.list)
        abort();
    LL_FOREACH (messages, message)
        if (an_is_within(region->first, region->last, message->anchor))
            inside.list[inside.count++] = message;
    return inside;
}

static bool is_matched(const struct some *inside, const struct an_message *one)
{
    for (unsigned i = 0; i < inside->count; i++) {
        const struct an_message *other = inside->list[i], *send = one->sends ? one : other;
        if (other->sends != one->sends &&
            an_message_match(send, one->sends ? other : one) == AN_MUST_MATCH)
            return true;
    }
    return false;
}

static void stretch_take(struct an_region *region, const struct an_node *child)
{
    if (child->place.offset < region->first->place.offset)
        region->first = child;
    else
        region->last = child;
}

/* A goto of the same block that leads back inside: the loop that it makes belongs to the region. */
static bool gotos_take(struct an_region *region)
{
    const struct an_node *block = region->first->parent;
    for (const struct an_node *n = block; n; n = an_next(block, n, false)) {
        const struct an_node *child = n->kind == AN_GOTO ? child_towards(block, n) : NULL;
        if (!child || an_is_within(region->first, region->last, child) ||
            child->place.offset < region->first->place.offset ||
            !an_is_within(region->first, region->last, an_jump_target(n)))
            continue;
        region->last = child;
        return true;
    }
    return false;
}

/* Takes the messages outside that those inside match. */
static bool messages_take(struct an_region *region, const struct an_message *messages,
                          const struct some *inside)
{
    const struct an_node *block = region->first->parent;
    const struct an_message *message;
    bool moved = false;
    LL_FOREACH (messages, message) {
        const struct an_node *child = child_towards(block, message->anchor);
        if (!child || an_is_within(region->first, region->last, child) ||
            section_of(block, child) != section_of(block, region->first) ||
            !is_matched(inside, message))
            continue;
        stretch_take(region, child);
        moved = true;
    }
    return moved;
}

void an_stretch_close(struct an_region *region, const struct an_message *messages)
{
    for (bool moved = true; moved;) {
        struct some inside = inside_find(region, messages);
        moved = messages_take(region, messages, &inside);
        free(inside.list);
        moved = gotos_take(region) || moved;
    }
}

/* ---- Widening ---- */

static bool call_is_quiet(const struct an_judgement *judgement, const struct an_unit *unit,
                          const struct an_node *call, unsigned depth);

static bool node_is_quiet(const struct an_judgement *judgement, const struct an_unit *unit,
                          const struct an_node *root, unsigned depth)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false))
        if (n->kind == AN_CALL && !call_is_quiet(judgement, unit, n, depth))
            return false;
    return true;
}

/* Nothing but completions, and no function that another file defines. */
static bool call_is_quiet(const struct an_judgement *judgement, const struct an_unit *unit,
                          const struct an_node *call, unsigned depth)
{
    struct an_mpi mpi;
    if (an_call_is_mpi(judgement->program, call, &mpi))
        return mpi.what->role == AN_LOCAL || mpi.what->role == AN_WAIT;
    if (call->system)
        return true;
    const struct an_node *callee = an_local_callee(unit, call);
    return callee && depth && node_is_quiet(judgement, unit, an_body(callee), depth - 1);
}

/* Does the statement make the tag of the round? */
static bool makes_tag(const struct an_region *region, const struct an_node *statement)
{
    const struct an_term *tag = &region->tag;
    if (tag->symbol && an_is_changed(statement, tag->symbol))
        return true;
    for (const struct an_node *n = statement; n; n = an_next(statement, n, false)) {
        const struct an_node *target = n->kind == AN_ASSIGN ? an_plain(n->child) : NULL;
        if (tag->field && target && target->kind == AN_MEMBER && target->symbol &&
            strcmp(target->symbol, tag->field) == 0)
            return true;
    }
    return false;
}

void an_stretch_widen(struct an_judgement *judgement, struct an_region *region)
{
    const struct an_node *body = an_body(region->function);
    const struct an_unit *unit = an_program_unit_of(judgement->program, region->function);
    if (region->first->parent != body)
        return;
    const struct an_node *first = NULL, *last = NULL;
    for (const struct an_node *n = body->child; n; n = n->next) {
        bool inside = an_is_within(region->first, region->last, n);
        if (!inside && !node_is_quiet(judgement, unit, n, 3))
            return;
        if (n->place.offset < region->first->place.offset && makes_tag(region, n)) {
            first = NULL;
            continue;
        }
        bool end = n->kind == AN_RETURN && !n->next && !inside;
        if (!inside && ((n->kind == AN_DECLARE && !first) || n->kind == AN_EMPTY || end))
            continue;
        first = first ? first : n;
        last = n;
    }
    if (first && an_is_placed(first) && an_is_placed(last)) {
        region->first = first;
        region->last = last;
    }
}
