/* Idea: an open table of keys, because a search comes by millions of points. */
#include "analysis/region/capture_set.h"

#include <stdlib.h>

struct key {
    const struct an_node *node; /* NULL: free */
    const void *place;
    unsigned state;
};

struct an_seen {
    struct key *keys;
    size_t count, room; /* a power of two, more than twice the count */
};

static size_t hash(const struct key *key)
{
    uint64_t h = (uintptr_t)key->node * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uintptr_t)key->place ^ key->state) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h ^ h >> 32);
}

/* Where the key is, or would be. */
static struct key *key_find(const struct an_seen *set, const struct key *key)
{
    for (size_t i = hash(key);; i++) {
        struct key *at = &set->keys[i & (set->room - 1)];
        if (!at->node ||
            (at->node == key->node && at->place == key->place && at->state == key->state))
            return at;
    }
}

static void grow(struct an_seen *set)
{
    struct an_seen old = *set;
    set->room = old.room ? 4 * old.room : 64;
    set->keys = calloc(set->room, sizeof *set->keys);
    if (!set->keys)
        abort();
    for (size_t i = 0; i < old.room; i++)
        if (old.keys[i].node)
            *key_find(set, &old.keys[i]) = old.keys[i];
    free(old.keys);
}

bool an_seen_add(struct an_seen **set, const struct an_node *node, const void *place,
                 unsigned state, bool changed)
{
    struct key key = {node, place, 2 * state + changed};
    if (!*set && !(*set = calloc(1, sizeof **set)))
        abort();
    if (2 * (*set)->count >= (*set)->room)
        grow(*set);
    struct key *at = key_find(*set, &key);
    if (at->node)
        return false;
    *at = key;
    (*set)->count++;
    return true;
}

void an_seen_free(struct an_seen **set)
{
    if (*set)
        free((*set)->keys);
    free(*set);
    *set = NULL;
}
