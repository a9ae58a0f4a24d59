/* Idea: where the rest of the line behind the brace is empty, the hook gets a line of its own (with
 * the indentation of what follows); otherwise it stands in the line. A body without braces gets
 * them. */
#include "rewriters/hook.h"
#include "rewriters/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

static const struct an_node *body_of(const struct an_node *loop)
{
    return an_child(loop, loop->kind == AN_FOR ? 3 : loop->kind == AN_WHILE ? 1 : 0);
}

static void block_hook(const struct rw_target *target, const struct an_hook *hook, size_t top)
{
    char code[32], inline_code[64];
    snprintf(code, sizeof code, "ft_hook_at(0x%08x);", hook->id);
    size_t line;
    if (rw_line_behind(target->text, target->length, top, &line)) {
        char *blanks = rw_indentation_below(target->text, target->length, line);
        rw_target_line(target, line, blanks, code, hook->id,
                       hook->chosen ? "the outermost loop that communicates"
                                    : "the main loop, if the link step says so");
        free(blanks);
        return;
    }
    snprintf(inline_code, sizeof inline_code, " %s /* ftcc %08x */", code, hook->id);
    rw_edits_insert(target->edits, top, inline_code);
}

/* Behind the brace and the declarations that open the block, so that the block stays valid C90. */
static size_t block_top(const struct rw_target *target, const struct an_node *block)
{
    size_t top = block->place.offset + 1;
    const struct an_node *first = block->child;
    for (; first && first->kind == AN_DECLARE && first->editable && rw_target_holds(target, first);
         first = first->next)
        if (!rw_statement_end(target->text, target->length, first->end.offset, &top))
            return block->place.offset + 1;
    return top;
}

static bool hook_insert(const struct rw_target *target, const struct an_hook *hook)
{
    const struct an_node *body = body_of(hook->loop);
    if (!body->editable || !rw_target_holds(target, body))
        return false;
    if (body->kind == AN_BLOCK) {
        block_hook(target, hook, block_top(target, body));
        return true;
    }
    size_t end;
    if (!rw_statement_end(target->text, target->length, body->end.offset, &end))
        return false;
    char code[64];
    snprintf(code, sizeof code, "{ ft_hook_at(0x%08x); /* ftcc %08x */ ", hook->id, hook->id);
    rw_edits_insert(target->edits, body->place.offset, code);
    rw_edits_insert(target->edits, end, " }");
    return true;
}

unsigned rw_hooks_insert(const struct rw_target *target)
{
    unsigned hooks = 0;
    const struct an_hook *hook;
    LL_FOREACH (target->judgement->hooks, hook)
        if (hook->marked)
            hooks += hook_insert(target, hook);
    return hooks;
}
