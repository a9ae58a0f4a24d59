/* The names of the calls, from the same table as their numbers, and why some are refused. */
#include "calls/calls.h"

#include <string.h>
#include <strings.h>

#define FT_REASON(reason, text) static const char because_##reason[] = text;
#define FT_CALL(name, class)
#define FT_REFUSED(name, reason)
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED

static const struct {
    const char *name, *refusal; /* refusal: NULL when the call is carried */
} calls[] = {
    {"no call", NULL},
#define FT_REASON(reason, text)
#define FT_CALL(name, class) {#name, NULL},
#define FT_REFUSED(name, reason) {#name, because_##reason},
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
};

const char *ft_call_name(uint32_t call)
{
    return calls[call < FT_CALLS ? call : FT_CALL_NONE].name;
}

const char *ft_call_refusal(uint32_t call)
{
    return calls[call < FT_CALLS ? call : FT_CALL_NONE].refusal;
}

uint32_t ft_call_find(const char *name)
{
    for (uint32_t call = FT_CALL_NONE + 1; call < FT_CALLS; call++) {
        if (!strcmp(calls[call].name, name))
            return call;
    }
    return FT_CALL_NONE;
}

/* The length of the part of a Fortran symbol that C has, too: of mpi_send_, mpi_send__,
 * mpi_send_f08_ and mpi_send_f08ts_ that of mpi_send. */
static size_t plain_length(const char *symbol)
{
    const char *modern = strstr(symbol, "_f08");
    size_t length = modern ? (size_t)(modern - symbol) : strlen(symbol);

    while (length && symbol[length - 1] == '_')
        length--;
    return length;
}

uint32_t ft_call_of_symbol(const char *symbol, int *fortran)
{
    *fortran = !strncmp(symbol, "mpi_", 4);
    if (!*fortran)
        return ft_call_find(symbol);
    size_t length = plain_length(symbol);
    for (uint32_t call = FT_CALL_NONE + 1; call < FT_CALLS; call++) {
        if (strlen(calls[call].name) == length && !strncasecmp(calls[call].name, symbol, length))
            return call;
    }
    return FT_CALL_NONE;
}
