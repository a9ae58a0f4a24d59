/* The names of the calls, from the same table as their numbers. */
#include "calls/calls.h"

#include <string.h>

static const char *const names[] = {
    "no call",
#define FT_REASON(reason, text)
#define FT_CALL(name, class) #name,
#define FT_REFUSED(name, reason) #name,
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
};

const char *ft_call_name(uint32_t call)
{
    return names[call < FT_CALLS ? call : FT_CALL_NONE];
}

uint32_t ft_call_find(const char *name)
{
    for (uint32_t call = FT_CALL_NONE + 1; call < FT_CALLS; call++) {
        if (!strcmp(names[call], name))
            return call;
    }
    return FT_CALL_NONE;
}
