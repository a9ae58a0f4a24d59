/* Idea: terms over one base are families of numbers, factor * base + offset, and two of them agree
 * where a linear equation has a solution. Terms over different bases may agree. */
#include "analysis/region/term.h"

#include <string.h>

enum { WORLD = 0x44000000 };

bool an_comm_is_world(const struct an_term *comm)
{
    return an_term_is_constant(comm) && comm->offset == WORLD;
}

enum an_match an_comm_match(const struct an_term *a, const struct an_term *b)
{
    if (an_term_is_constant(a) && an_term_is_constant(b))
        return a->offset == b->offset ? AN_MUST_MATCH : AN_NO_MATCH;
    if ((a->fresh && (b->fresh || an_term_is_constant(b))) || (b->fresh && an_term_is_constant(a)))
        return strcmp(a->base, b->base) == 0 ? AN_MUST_MATCH : AN_NO_MATCH;
    if (a->vague || b->vague || strcmp(a->base, b->base) != 0)
        return AN_MAY_MATCH;
    return AN_MUST_MATCH;
}

static bool receives_any(const struct an_term *tag)
{
    return an_term_is_constant(tag) && tag->offset < 0;
}

/* For equal bases: is there a value of the base for which the two agree? */
static enum an_match families_match(const struct an_term *a, const struct an_term *b)
{
    if (a->factor == b->factor)
        return a->offset == b->offset ? AN_MUST_MATCH : AN_NO_MATCH;
    int64_t difference, slope;
    if (__builtin_sub_overflow(b->offset, a->offset, &difference) ||
        __builtin_sub_overflow(a->factor, b->factor, &slope) || slope == -1)
        return AN_MAY_MATCH;
    return difference % slope ? AN_NO_MATCH : AN_MAY_MATCH;
}

/* Value number `number` of the term; false behind the last, or when they are not known. */
static bool value_at(const struct an_term *term, unsigned number, int64_t *value)
{
    if (!term->choices || number >= term->choice_count)
        return false;
    return !__builtin_mul_overflow(term->factor, term->choices[number], value) &&
           !__builtin_add_overflow(*value, term->offset, value);
}

/* Is the constant none of the values that the other term has, as far as these are known? */
static bool is_none_of(const struct an_term *constant, const struct an_term *term)
{
    int64_t value;
    bool known = term->choices && !term->modulus;
    for (unsigned i = 0; known && i < term->choice_count; i++)
        known = value_at(term, i, &value) && value >= 0 && value != constant->offset;
    return known && an_term_is_constant(constant);
}

static bool are_apart(const struct an_term *a, const struct an_term *b)
{
    int64_t value, other;
    bool apart = a->choices && b->choices && !a->modulus && !b->modulus;
    for (unsigned i = 0; apart && i < a->choice_count; i++)
        for (unsigned k = 0; apart && k < b->choice_count; k++)
            apart = value_at(a, i, &value) && value_at(b, k, &other) && value >= 0 && other >= 0 &&
                    value != other;
    return apart;
}

enum an_match an_tag_match(const struct an_term *a, const struct an_term *b)
{
    if (receives_any(a) || receives_any(b))
        return AN_MUST_MATCH;
    if (is_none_of(a, b) || is_none_of(b, a) || are_apart(a, b))
        return AN_NO_MATCH;
    if (an_term_is_constant(a) && an_term_is_constant(b))
        return a->offset == b->offset ? AN_MUST_MATCH : AN_NO_MATCH;
    if (a->vague || b->vague || strcmp(a->base, b->base) != 0)
        return AN_MAY_MATCH;
    return families_match(a, b);
}
