/* Idea: one table from calls.def, searched in order; a file has few names that begin with MPI_. */
#include "analysis/calls.h"

#include <string.h>

static const struct an_call table[] = {
#define AN_CALL(call, part, source_number, tag_number)                                             \
    {#call, AN_##part, source_number, tag_number},
#include "analysis/calls.def"
#undef AN_CALL
};

const struct an_call *an_call_find(const char *function)
{
    if (*function == 'P')
        function++;
    if (strncmp(function, "MPI_", 4) != 0)
        return NULL;
    function += 4;
    size_t length = strlen(function);
    if (length > 2 && strcmp(function + length - 2, "_c") == 0)
        length -= 2;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(table[i].name, function, length) == 0 && table[i].name[length] == '\0')
            return &table[i];
    return NULL;
}
