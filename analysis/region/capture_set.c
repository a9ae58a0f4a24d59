#include "analysis/region/capture_set.h"

#include <stdlib.h>
#include <string.h>

bool an_seen_add(struct an_seen **set, const struct an_node *node, const void *place,
                 unsigned state, bool changed)
{
    struct an_key key;
    memset(&key, 0, sizeof key);
    key.node = node;
    key.place = place;
    key.state = state;
    key.changed = changed;
    struct an_seen *found;
    HASH_FIND(hh, *set, &key, sizeof key, found);
    if (found)
        return false;
    found = calloc(1, sizeof *found);
    if (!found)
        abort();
    found->key = key;
    HASH_ADD(hh, *set, key, sizeof found->key, found);
    return true;
}

void an_seen_free(struct an_seen **set)
{
    struct an_seen *one, *next;
    HASH_ITER (hh, *set, one, next) {
        HASH_DEL(*set, one);
        free(one);
    }
}
