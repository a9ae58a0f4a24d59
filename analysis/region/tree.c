/* Idea: a rank that gets an empty message from each child before it sends one to its parent, and
 * one from its parent before it sends to its children, leaves only when all have entered. The
 * search shows that each of two partners is both sent to and received from, with one tag and
 * nothing in it. */
#include "analysis/region/tree.h"
#include "analysis/region/bounds.h"

#include <string.h>
#include <utlist.h>

static bool is_in(const struct an_node *first, const struct an_node *last,
                  const struct an_message *message)
{
    return !first || an_is_within(first, last, message->anchor);
}

/* Is the partner of the empty send also received from? */
static bool is_answered(const struct an_message *messages, const struct an_message *send)
{
    const struct an_message *other;
    LL_FOREACH (messages, other)
        if (!other->sends && other->empty && !other->peer.vague &&
            strcmp(other->peer.base, send->peer.base) == 0 && *send->peer.base &&
            an_message_match(send, other) == AN_MUST_MATCH)
            return true;
    return false;
}

static bool is_half(const struct an_message *messages, const struct an_message *send,
                    const struct an_node *first, const struct an_node *last)
{
    return send->sends && send->empty && !send->frame && !send->peer.vague &&
           is_in(first, last, send) && is_answered(messages, send);
}

const struct an_message *an_tree_find(struct an_judgement *judgement,
                                      const struct an_node *function, const struct an_node *first,
                                      const struct an_node *last)
{
    const struct an_effects *effects = an_function_effects(judgement->program, function);
    if (effects && !(effects->sends && effects->receives))
        return NULL;
    const struct an_message *messages = an_messages_of(judgement, function, NULL), *one, *two;
    LL_FOREACH (messages, one) {
        if (!is_half(messages, one, first, last))
            continue;
        LL_FOREACH (one->next, two)
            if (is_half(messages, two, first, last) &&
                strcmp(one->peer.base, two->peer.base) != 0 &&
                an_tag_match(&one->tag, &two->tag) == AN_MUST_MATCH)
                return one;
    }
    return NULL;
}
